import { NAMED_SCHEMAS } from '@gatehouse/contract/named-schemas';
import type { TSchema } from 'typebox';
import type { JsonSchema, Reference } from './openapi-document.ts';

/** The schemas of one document. Named schemas are components, and all others reference them. */
export interface Schemas {
  /** Plain JSON Schema that common tools support, or a reference if the schema is named. */
  plain(schema: TSchema): JsonSchema;
  /** The schema itself even if it is named: path and query parameters are listed one by one. */
  fields(schema: TSchema): JsonSchema;
  /** All schemas referenced so far, by name. */
  named(): Record<string, JsonSchema>;
}

export function collectSchemas(): Schemas {
  const found = new Map<string, JsonSchema>();
  const refer = (value: unknown): Reference | undefined => {
    const name = nameOf(value);
    if (name === undefined) return undefined;
    if (!found.has(name)) found.set(name, fields(value as TSchema));
    return { $ref: `#/components/schemas/${name}` };
  };
  const fields = (schema: TSchema): JsonSchema =>
    JSON.parse(
      JSON.stringify(schema, (key, value) => (value === schema ? undefined : refer(value)) ?? tidy(key, value)),
    );
  return {
    plain: (schema) => refer(schema) ?? fields(schema),
    fields,
    named: () => Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** Strings are inlined: their format describes them, and they are shorter than a reference. */
function nameOf(value: unknown): string | undefined {
  return isObject(value) && value.type !== 'string' ? NAMED_SCHEMAS.get(value) : undefined;
}

function tidy(key: string, value: unknown): unknown {
  if (key.startsWith('~')) return undefined;
  if (!isObject(value)) return value;
  // Few generators support patternProperties.
  const { patternProperties, ...rest } = value;
  const everything = isObject(patternProperties) ? patternProperties['^.*$'] : undefined;
  if (everything !== undefined && Object.keys(patternProperties as object).length === 1) {
    return { ...rest, additionalProperties: everything };
  }
  const type = typeOfChoices(value);
  return type === undefined ? value : { type, ...value };
}

/** Adds the type to enums, which generators otherwise treat as untyped. */
function typeOfChoices({ type, enum: choices }: Record<string, unknown>): string | string[] | undefined {
  if (!Array.isArray(choices) || type !== undefined) return undefined;
  if (!choices.every((one) => one === null || typeof one === 'string')) return undefined;
  return choices.includes(null) ? ['string', 'null'] : 'string';
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
