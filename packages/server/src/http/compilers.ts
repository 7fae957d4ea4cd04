import newValidatorBuilder from '@fastify/ajv-compiler';
import newSerializerBuilder from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

export type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

export const eagerCompilers = (): Required<Compilers> => ({
  buildValidator: newValidatorBuilder() as Required<Compilers>['buildValidator'],
  buildSerializer: newSerializerBuilder() as Required<Compilers>['buildSerializer'],
});

/** Compiles each schema at its first use: compiling all takes a third of the start, and few are needed soon. */
export function lazyCompilers(): Compilers {
  const { buildValidator, buildSerializer } = eagerCompilers();
  return {
    buildValidator: laterOf(buildValidator),
    buildSerializer(externalSchemas, options) {
      const compile = buildSerializer(externalSchemas, options);
      return (route) => {
        let serialize: ((document: unknown) => string) | undefined;
        return (document: unknown) => {
          serialize ??= compile(route);
          return serialize(document);
        };
      };
    },
  };
}

type Build = Required<Compilers>['buildValidator'];

/** Ajv's types require more properties; Fastify only uses the result and `errors`. */
const laterOf = (build: Build): Build =>
  ((externalSchemas: never, options: never) => {
    const compile = build(externalSchemas, options);
    return (route: never) => validateLater(() => compile(route));
  }) as unknown as Build;

interface Validate {
  (data: unknown): unknown;
  /** The errors of the last call. */
  errors?: unknown;
}

function validateLater(compile: () => Validate): Validate {
  let validate: Validate | undefined;
  const later: Validate = (data) => {
    validate ??= compile();
    const verdict = validate(data);
    later.errors = validate.errors;
    return verdict;
  };
  return later;
}
