import { ERRORS, ErrorBody, type ErrorCode, STEP_UPS, TEXT_FORMATS } from '@gatehouse/contract';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type {
  Header,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Reference,
  Response,
} from '../src/http/openapi-document.ts';

export interface Answer {
  readonly method: string;
  /** The path as a key of `paths`. */
  readonly path: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined if the body is a stream, which is not checked. */
  readonly body: string | undefined;
}

/** Returns the differences between a response and its document, as sentences. */
export type ResponseCheck = (answer: Answer) => string[];

export function createResponseCheck(document: OpenApiDocument): ResponseCheck {
  const validators = validatorsOf(document);
  return (answer) => {
    const operation = operationOf(document, answer);
    if (!operation) return ['the document has no such operation'];
    const listed = operation.responses[answer.status];
    if (!listed) return [`the status is not listed: ${Object.keys(operation.responses).join(', ')}`];
    const response = follow<Response>(document, listed);
    return [
      ...headerFaults(document, response, answer),
      ...bodyFaults(validators, response, answer),
      ...codeFaults(response, answer),
    ];
  };
}

/** Checks a response outside of the document (unknown path or method, or a failed page): it must be the error body. */
export function checkError({ status, headers, body = '' }: Omit<Answer, 'path' | 'method'>): string[] {
  if (essenceOf(headers) !== 'application/json') return [`an error of type ${essenceOf(headers)}`];
  const faults = schemaFaults(ERROR_VALIDATORS, ErrorBody as JsonSchema, body);
  if (faults.length > 0) return faults;
  const { code } = JSON.parse(body).error as { code: ErrorCode };
  return ERRORS[code].status === status ? [] : [`${code} with a status that is not its own`];
}

/** The operation of a response; HEAD uses the operation of GET. */
const operationOf = ({ paths }: OpenApiDocument, { method, path }: Answer): Operation | undefined =>
  paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];

const follow = <T extends object>(document: OpenApiDocument, value: T | Reference): T =>
  '$ref' in value
    ? (value.$ref
        .split('/')
        .slice(1)
        .reduce((at: unknown, key) => (at as Record<string, unknown>)[key], document) as T)
    : value;

/** Headers of HTTP, browsers and caches, which the document does not list. */
const UNLISTED_HEADERS =
  /^(date|connection|keep-alive|transfer-encoding|content-(length|type|encoding|security-policy)|cache-control|pragma|vary|strict-transport-security|x-content-type-options|access-control-.*)$/;

type ListedHeader = Header & { readonly name: string };

const headersOfResponses = new WeakMap<Response, readonly ListedHeader[]>();

function headersOf(document: OpenApiDocument, response: Response): readonly ListedHeader[] {
  const known = headersOfResponses.get(response);
  if (known) return known;
  const listed = Object.entries(response.headers ?? {}).map(([name, header]) => ({
    ...follow(document, header),
    name: name.toLowerCase(),
  }));
  headersOfResponses.set(response, listed);
  return listed;
}

function headerFaults(document: OpenApiDocument, response: Response, { method, headers }: Answer): string[] {
  const listed = headersOf(document, response);
  const isListed = (wanted: string): boolean => listed.some(({ name }) => name === wanted);
  const unlisted = Object.keys(headers).filter((name) => !UNLISTED_HEADERS.test(name) && !isListed(name));
  // RFC 9110, 9.3.2: a response to HEAD may omit headers that depend on the content.
  const missing = listed.filter(
    ({ name, required }) => required && headers[name] === undefined && (method !== 'HEAD' || name === 'x-request-id'),
  );
  const wrong = listed.filter(
    ({ name, schema }) => schema.type === 'integer' && headers[name] !== undefined && !/^\d+$/.test(`${headers[name]}`),
  );
  return [
    ...unlisted.map((name) => `the header ${name} is not listed`),
    ...missing.map(({ name }) => `the header ${name} is missing`),
    ...wrong.map(({ name }) => `the header ${name} is no whole number`),
  ];
}

const essenceOf = (headers: Answer['headers']): string => String(headers['content-type'] ?? 'none').split(';')[0]!;

function bodyFaults(validators: Validators, { content }: Response, { method, headers, body }: Answer): string[] {
  if (!content) return body === '' ? [] : ['there is a body, and none is listed'];
  const type = essenceOf(headers);
  const listed = content[type];
  if (!listed) return [`the content type ${type} is not listed: ${Object.keys(content).join(', ')}`];
  if (type !== 'application/json' || body === undefined || (method === 'HEAD' && body === '')) return [];
  return schemaFaults(validators, listed.schema, body);
}

function schemaFaults(validators: Validators, schema: JsonSchema, body: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return ['the body is not JSON'];
  }
  const validate = validators(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `the body${instancePath} ${message} ${params.additionalProperty ?? ''}`.trimEnd(),
  );
}

/** A body without a code was reported by the schema check. */
function codeFaults({ 'x-error-codes': codes }: Response, { headers, body }: Answer): string[] {
  if (!codes || !body) return [];
  const code = /"code":"(\w+)"/.exec(body)?.[1] as ErrorCode | undefined;
  const stepUps: readonly unknown[] = code === 'mfa_required' ? STEP_UPS : [undefined];
  if (!stepUps.includes(headers['x-service-step-up'])) return [`the header x-service-step-up is wrong for ${code}`];
  return code === undefined || codes.includes(code) ? [] : [`the error ${code} is not listed: ${codes.join(', ')}`];
}

type Validators = (schema: JsonSchema) => ValidateFunction;

/** Compiled validators by the text of all named schemas; services with equal documents share them. */
const compiled = new Map<string, Validators>();

function validatorsOf({ components: { schemas } }: OpenApiDocument): Validators {
  const text = JSON.stringify(schemas);
  const known = compiled.get(text) ?? compileLazily(schemas);
  compiled.set(text, known);
  return known;
}

function compileLazily(named: Readonly<Record<string, JsonSchema>>): Validators {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  for (const [name, validate] of Object.entries(TEXT_FORMATS)) ajv.addFormat(name, validate);
  for (const [name, schema] of Object.entries(named)) ajv.addSchema(closed(schema), name);
  const byText = new Map<string, ValidateFunction>();
  const bySchema = new WeakMap<JsonSchema, ValidateFunction>();
  return (schema) => {
    const known = bySchema.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema);
    const validate = byText.get(text) ?? ajv.compile(closed(schema));
    byText.set(text, validate);
    bySchema.set(schema, validate);
    return validate;
  };
}

/** Forbids undeclared fields, for tests. Schemas with `additionalProperties` or without properties stay open. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) =>
    key === '$ref' ? [key, String(part).split('/').at(-1)] : [key, closed(part)],
  );
  const isOpen = !('properties' in schema) || 'additionalProperties' in schema;
  return { ...(isOpen ? {} : { additionalProperties: false }), ...Object.fromEntries(parts) };
}

const ERROR_VALIDATORS = compileLazily({});
