import { TEXT_FORMATS } from '@gatehouse/contract';
import type { FastifySchemaValidationError, FastifyServerOptions } from 'fastify';

/** Bodies are not coerced, stripped or completed. All faults are reported at once. */
export const ajvOptions: FastifyServerOptions['ajv'] = {
  customOptions: {
    allErrors: true,
    verbose: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
    // Compiling the meta-schema takes 60 ms in the first request. openapi-document.test.ts validates all routes.
    validateSchema: false,
  },
  // Called last, so that our formats override the framework's.
  onCreate: (ajv) => {
    for (const [name, validate] of Object.entries(TEXT_FORMATS)) ajv.addFormat(name, validate);
    ajv.addKeyword({
      keyword: 'x-lower-case',
      type: 'string',
      modifying: true,
      validate(_schema: unknown, text: string, _parent?: unknown, place?: Place) {
        if (place) place.parentData[place.parentDataProperty] = text.toLowerCase();
        return true;
      },
    });
  },
};

/** Where a validated value is. */
interface Place {
  readonly parentData: Record<string | number, unknown>;
  readonly parentDataProperty: string | number;
}

interface Fault extends FastifySchemaValidationError {
  parentSchema?: { minLength?: number; maxLength?: number; anyOf?: { const?: unknown }[] };
}

const FORMATS: Record<string, string> = {
  email: 'must be an email address',
  slug: 'must be lower-case letters and digits, separated by single hyphens',
  permission: 'must be two or more words of lower-case letters, digits, - and _, joined by dots',
  'event-pattern': 'must be *, an action such as member.removed, or a prefix such as member.*',
  'event-patterns': 'must be at most 100 actions or prefixes such as member.*, separated by commas',
  locale: 'must be a language tag such as de or de-CH',
  code: 'must be 6 digits',
  integer: 'must be a whole number',
  uuid: 'must be a UUID',
  'date-time': 'must be an RFC 3339 timestamp',
  name: 'must not be blank or contain control characters or invalid Unicode',
  text: 'must not contain control characters or invalid Unicode',
  password: 'must not contain invalid Unicode',
  token: 'must be printable characters without spaces',
};

/** A body may have a fault in every byte; more messages are useless. */
const MAX_FAULTS = 20;

/** `password: must be 12 to 256 characters; email: is required` */
export function describeFaults(all: readonly FastifySchemaValidationError[], context: string): string {
  const messages = new Map<string, string>();
  const faults = all.slice(0, MAX_FAULTS);
  // A union reports each branch and then itself; only the last names the choices.
  const unions = faults.filter((fault) => fault.keyword === 'anyOf').map((fault) => fault.schemaPath);
  for (const fault of faults as readonly Fault[]) {
    if (unions.some((path) => fault.schemaPath !== path && fault.schemaPath.startsWith(`${path}/`))) continue;
    const field = fieldOf(fault, context);
    if (!messages.has(field)) messages.set(field, messageOf(fault));
  }
  return [...messages].map(([field, message]) => `${field}: ${message}`).join('; ');
}

function fieldOf(fault: Fault, context: string): string {
  const path = fault.instancePath.split('/').slice(1).map(unescapePointer);
  if (fault.keyword === 'required') path.push(String(fault.params.missingProperty));
  if (path.length > 0) return path.join('.');
  return context === 'querystring' ? 'query' : context;
}

const unescapePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

function messageOf(fault: Fault): string {
  const { params, parentSchema: schema } = fault;
  switch (fault.keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return params.type === 'object' && fault.instancePath === ''
        ? 'must be a JSON object'
        : `must be ${article(params.type)}`;
    case 'format':
      return FORMATS[String(params.format)] ?? 'is not valid';
    case 'minLength':
    case 'maxLength':
      return lengthMessage(schema ?? {});
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${String(params.allowedValue)}`;
    case 'anyOf': {
      const choices = (schema?.anyOf ?? []).map((branch) => branch.const);
      return choices.every((choice) => choice !== undefined) ? `must be one of ${choices.join(', ')}` : 'is not valid';
    }
    default:
      return fault.message ?? 'is not valid';
  }
}

const article = (type: unknown): string => {
  const name = [type].flat().join(' or ');
  return `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`;
};

function lengthMessage({ minLength = 0, maxLength }: { minLength?: number; maxLength?: number }): string {
  if (maxLength === undefined)
    return minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters`;
  return minLength === 0
    ? `must be at most ${maxLength} characters`
    : `must be ${minLength} to ${maxLength} characters`;
}
