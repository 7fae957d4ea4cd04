import newValidatorBuilder from '@fastify/ajv-compiler';
import newSerializerBuilder from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

/** What makes functions of schemas. */
export type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/** Fastify's own. */
export const eagerCompilers = (): Required<Compilers> => ({
  buildValidator: newValidatorBuilder() as Required<Compilers>['buildValidator'],
  buildSerializer: newSerializerBuilder() as Required<Compilers>['buildSerializer'],
});

/** The same, at the first use of each: to compile all of them is a third of a start, and most are not needed for hours. */
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

/** By the types of Ajv a validator carries its schema too; Fastify asks for the verdict and the errors alone. */
const laterOf = (build: Build): Build =>
  ((externalSchemas: never, options: never) => {
    const compile = build(externalSchemas, options);
    return (route: never) => validateLater(() => compile(route));
  }) as unknown as Build;

interface Validate {
  (data: unknown): unknown;
  /** What the last call found. */
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
