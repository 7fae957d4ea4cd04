import { createRequire } from 'node:module';
import type { AppOptions } from '../src/app.ts';

type Compilers = NonNullable<AppOptions['compilers']>;
type BuildSerializer = NonNullable<Compilers['buildSerializer']>;

// Fastify's own, from where Fastify takes them.
const ofFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));
const newValidatorBuilder: () => NonNullable<Compilers['buildValidator']> = ofFastify('@fastify/ajv-compiler');
const newSerializerBuilder: () => BuildSerializer = ofFastify('@fastify/fast-json-stringify-compiler');

/**
 * Fastify's compilers, kept: a worker starts hundreds of services with the same schemas, and what is made of these is most of a start.
 * The one for what is asked remembers by itself what it has compiled.
 */
export const keptCompilers: Compilers = { buildValidator: newValidatorBuilder(), buildSerializer: keepSerializers() };

function keepSerializers(): BuildSerializer {
  const build = newSerializerBuilder();
  const kept = new WeakMap<object, ReturnType<ReturnType<BuildSerializer>>>();
  return (externalSchemas, options) => {
    const compile = build(externalSchemas, options);
    return (route) => {
      const schema = route.schema as object;
      const serialize = kept.get(schema) ?? compile(route);
      kept.set(schema, serialize);
      return serialize;
    };
  };
}
