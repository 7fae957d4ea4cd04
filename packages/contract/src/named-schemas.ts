import * as contract from './index.ts';

/** Every schema of the wire by the name it is exported under: the name it has in the OpenAPI document and in the SDK too. */
export const NAMED_SCHEMAS: ReadonlyMap<object, string> = new Map(
  Object.entries(contract).flatMap(([name, value]) => (isSchema(value) ? [[value, name] as const] : [])),
);

/** Some exports make a schema, and some are lists of limits. */
function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && '~kind' in value;
}
