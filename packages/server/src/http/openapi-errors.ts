import { ERRORS, ErrorBody, type ErrorCode } from '@gatehouse/contract';
import type { Reference, Response } from './openapi-document.ts';
import { HEADERS, type HeaderName, headerReferences } from './openapi-headers.ts';
import type { Schemas } from './openapi-schema.ts';

/** §7: each code in one sentence. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  invalid_input: 'The request is invalid. The message names every invalid field.',
  authentication_required: 'The credential is missing, invalid, expired or revoked.',
  mfa_required:
    'The session needs a second factor or a more recent authentication. `X-Service-Step-Up` says what to do: `second_factor`, `sign_in` or `enroll`.',
  payment_required: 'The tier of the service does not include this feature.',
  forbidden: 'The caller is authenticated, but may not do this.',
  csrf_failed: 'A write with cookies lacks `X-Service-CSRF`, or its value does not belong to this session.',
  license_required: 'This feature requires a license.',
  not_found: 'The resource does not exist, or the caller may not see it.',
  conflict: 'The request conflicts with the current state.',
  rate_limited: 'Too many requests. `Retry-After` is the number of seconds to wait.',
  internal_error: 'An error in the service. Its log contains the cause, with the `X-Request-Id` of the response.',
};

/** The error responses of one document. Those with the same codes are defined once and referenced. */
export interface ErrorResponses {
  /** One response for each status among the codes. */
  of(codes: readonly ErrorCode[]): Record<string, Reference>;
  /** The 429 of an operation without a limit of its own. */
  overloaded(): Record<string, Reference>;
  /** The 401 of a refresh, which may be worth a retry. */
  refreshRefused(): Record<string, Reference>;
  /** All responses referenced so far, by name. */
  named(): Record<string, Response>;
}

export function collectErrors(schemas: Schemas): ErrorResponses {
  const found = new Map<string, Response>();
  const refer = (name: string, codes: readonly ErrorCode[], description?: string): Reference => {
    if (!found.has(name)) found.set(name, errorResponse(schemas, codes, description));
    return { $ref: `#/components/responses/${name}` };
  };
  return {
    of(codes) {
      const unique = ORDER.filter((code) => codes.includes(code));
      const statuses = new Set(unique.map((code): number => ERRORS[code].status));
      const entries = [...statuses].map((status): [number, Reference] => {
        const same = unique.filter((code) => ERRORS[code].status === status);
        return [status, refer(same.map(inPascalCase).join('Or'), same)];
      });
      return Object.fromEntries(entries);
    },
    overloaded: () => ({ 429: refer(OVERLOADED, ['rate_limited'], 'The service is overloaded.') }),
    refreshRefused() {
      const plain = errorResponse(schemas, ['authentication_required']);
      found.set(REFRESH_REFUSED, { ...plain, headers: { ...plain.headers, 'Retry-After': AGAIN } });
      return { 401: { $ref: `#/components/responses/${REFRESH_REFUSED}` } };
    },
    named: () => Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

export const OVERLOADED = 'Overloaded';
const REFRESH_REFUSED = 'RefreshRefused';

const AGAIN = {
  ...HEADERS['Retry-After'],
  description: 'Only if another request has just used the token: retry with the newer cookie.',
  required: false,
};

/** A fixed order, so that the same codes get the same name. */
const ORDER = Object.keys(ERROR_MEANING) as ErrorCode[];

const inPascalCase = (code: ErrorCode): string => code.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());

function errorResponse(schemas: Schemas, codes: readonly ErrorCode[], description?: string): Response {
  const headers: HeaderName[] = ['X-Request-Id'];
  if (codes.includes('rate_limited')) headers.push('Retry-After');
  if (codes.includes('mfa_required')) headers.push('X-Service-Step-Up');
  return {
    description: [description, ...codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`)].filter(Boolean).join(' '),
    headers: headerReferences(headers),
    content: { 'application/json': { schema: schemas.plain(ErrorBody) } },
    'x-error-codes': codes,
  };
}
