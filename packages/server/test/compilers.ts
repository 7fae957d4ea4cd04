import { type Compilers, eagerCompilers } from '../src/http/compilers.ts';

type BuildSerializer = Required<Compilers>['buildSerializer'];

/**
 * Compilers that keep what they made: a worker starts hundreds of services with the same schemas. The one for what is asked remembers by itself. They
 * compile at the start, so that no schema is left out.
 */
const { buildValidator, buildSerializer } = eagerCompilers();
export const keptCompilers: Compilers = { buildValidator, buildSerializer: keepSerializers(buildSerializer) };

function keepSerializers(build: BuildSerializer): BuildSerializer {
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
