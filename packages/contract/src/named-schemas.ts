import * as contract from './index.ts';

/** All schemas by export name, which is also their name in the OpenAPI document and the SDK. */
export const NAMED_SCHEMAS: ReadonlyMap<object, string> = new Map(
  Object.entries(contract).flatMap(([name, value]) => (isSchema(value) ? [[value, name] as const] : [])),
);

/** Returns whether an export is a schema. Other exports are functions that create schemas, and lists of limits. */
function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && '~kind' in value;
}
