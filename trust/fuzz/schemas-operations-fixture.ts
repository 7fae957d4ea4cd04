import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
} from '../../packages/server/src/http/openapi-document.ts';

/** An endpoint of the document, with all references resolved. */
export interface Endpoint {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly path_parameters: Fields;
  readonly query_parameters: Fields;
  readonly headers: Fields;
  readonly body: { readonly type: string; readonly fields: Fields; readonly needed: boolean } | undefined;
  readonly signed_in: boolean;
  readonly csrf: boolean;
  /** Whether the endpoint responds to every body in the same way. */
  readonly takes_anything: boolean;
}

export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

type Fields = readonly Field[];

export function endpointsOf(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => endpointOf(document, method.toUpperCase(), path, operation)),
  );
}

function endpointOf(document: OpenApiDocument, method: string, path: string, operation: Operation): Endpoint {
  const follow = <T extends object>(value: T | Reference): T => resolved(document, value) as T;
  const parameters = (operation.parameters ?? []).map((parameter) => follow<Parameter>(parameter));
  const isIn = (place: Parameter['in']): Fields =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required }) => ({ name, required, schema: asText(follow<JsonSchema>(schema)) }));
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return {
    name: `${method} ${path}`,
    method,
    path,
    path_parameters: isIn('path'),
    query_parameters: isIn('query'),
    headers: isIn('header'),
    body:
      type === undefined || !content
        ? undefined
        : { type, fields: fieldsOf(follow, content.schema), needed: operation.requestBody?.required ?? false },
    signed_in: operation.security.length > 0 && !operation.security.some((way) => Object.keys(way).length === 0),
    csrf: parameters.some(({ name }) => name === 'X-Service-CSRF'),
    takes_anything: operation.requestBody !== undefined && !('400' in operation.responses),
  };
}

/** Parameters are text: an integer is up to 21 characters. */
const asText = (schema: JsonSchema): JsonSchema =>
  schema.type === 'integer' ? { type: 'string', format: 'integer', maxLength: 21 } : schema;

function resolved(document: OpenApiDocument, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(document, item));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string') return resolved(document, lookUp(document, value.$ref));
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolved(document, part)]));
}

const lookUp = (document: OpenApiDocument, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce((at: unknown, key) => (at as Record<string, unknown>)[key], document);

function fieldsOf(follow: <T extends object>(value: T | Reference) => T, schema: JsonSchema): Fields {
  const { properties = {}, required = [] } = follow<JsonSchema>(schema as JsonSchema | Reference);
  return Object.entries(properties).map(([name, part]) => ({
    name,
    schema: follow<JsonSchema>(part as JsonSchema | Reference),
    required: required.includes(name),
  }));
}
