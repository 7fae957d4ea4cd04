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

/** Strings are inlined. `NewX` becomes `CreateX`: Go generators create a function `NewRole` for the type `Role`. */
function nameOf(value: unknown): string | undefined {
  if (!isObject(value) || value.type === 'string') return undefined;
  return NAMED_SCHEMAS.get(value)?.replace(/^New(?=[A-Z])/, 'Create');
}

function tidy(key: string, value: unknown): unknown {
  if (key.startsWith('~') || key === 'x-lower-case') return undefined;
  if (!isObject(value)) return value;
  if (Array.isArray(value.anyOf)) return union(value, value.anyOf);
  if (value.type === 'string' && value.format === 'integer') return integerInText(value);
  if (isInteger(value)) return { ...value, format: 'int64' };
  const documented = value['x-lenient'];
  if (documented !== undefined) return { type: documented, ...value, 'x-lenient': true };
  // Few generators support patternProperties.
  const { patternProperties, ...rest } = value;
  const everything = isObject(patternProperties) ? patternProperties['^.*$'] : undefined;
  if (everything !== undefined && Object.keys(patternProperties as object).length === 1) {
    return { ...rest, additionalProperties: everything };
  }
  const type = typeOfChoices(value);
  return type === undefined ? value : { type, ...value };
}

/** Whether an integer needs a format: without it, generators use 32 bits, which times in milliseconds exceed. */
const isInteger = ({ type, format }: Record<string, unknown>): boolean =>
  format === undefined && [type].flat().includes('integer');

/** A query parameter is validated as text, but generators need its integer type. */
function integerInText({ examples, maxLength: _, ...rest }: Record<string, unknown>): object {
  return {
    ...rest,
    type: 'integer',
    format: 'int64',
    ...(Array.isArray(examples) && { examples: examples.map(Number) }),
  };
}

/**
 * An object or null becomes one type with both; a reference cannot be null in OpenAPI 3.0. A union of named objects
 * that differ in a constant, such as `status`, becomes a `oneOf` with a discriminator.
 */
function union({ anyOf: _, ...rest }: Record<string, unknown>, shapes: readonly unknown[]): object {
  const [first, second, ...others] = shapes;
  if (isObject(first) && first.type === 'object' && isObject(second) && second.type === 'null' && others.length === 0) {
    return { ...rest, ...first, type: ['object', 'null'] };
  }
  const names = shapes.map(nameOf);
  const fields = shapes.map((shape) => (isObject(shape) && isObject(shape.properties) ? shape.properties : {}));
  const constants = (field: string) => fields.map((properties) => (properties[field] as { const?: unknown })?.const);
  const propertyName = Object.keys(fields[0] ?? {}).find((field) =>
    constants(field).every((value, index, all) => typeof value === 'string' && all.indexOf(value) === index),
  );
  if (propertyName === undefined || names.includes(undefined)) return { ...rest, anyOf: shapes };
  const mapping = Object.fromEntries(
    constants(propertyName).map((value, index) => [value, `#/components/schemas/${names[index]}`]),
  );
  return { ...rest, oneOf: shapes, discriminator: { propertyName, mapping } };
}

/** Adds the type to enums, which generators otherwise treat as untyped. */
function typeOfChoices({ type, enum: choices }: Record<string, unknown>): string | string[] | undefined {
  if (!Array.isArray(choices) || type !== undefined) return undefined;
  if (!choices.every((one) => one === null || typeof one === 'string')) return undefined;
  return choices.includes(null) ? ['string', 'null'] : 'string';
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
