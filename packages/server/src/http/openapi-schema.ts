import type { TSchema } from 'typebox';
import type { JsonSchema } from './openapi-document.ts';

/** A TypeBox schema as the plain JSON Schema that other people's tools read well. */
export const plainSchema = (schema: TSchema): JsonSchema => JSON.parse(JSON.stringify(schema, tidy));

function tidy(key: string, value: unknown): unknown {
  if (key.startsWith('~')) return undefined;
  if (!isSchema(value)) return value;
  // A record of anything: few generators know patternProperties.
  const { patternProperties, ...rest } = value;
  const everything = isSchema(patternProperties) ? patternProperties['^.*$'] : undefined;
  if (everything !== undefined && Object.keys(patternProperties as object).length === 1) {
    return { ...rest, additionalProperties: everything };
  }
  if (Array.isArray(value.enum) && value.type === undefined && value.enum.every((one) => typeof one === 'string')) {
    return { type: 'string', ...value };
  }
  return value;
}

const isSchema = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
