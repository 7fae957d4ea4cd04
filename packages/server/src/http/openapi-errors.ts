import { ERRORS, type ErrorCode } from '@gatehouse/contract';
import type { Response } from './openapi-document.ts';

/** §7, each code in one sentence. */
export const ERROR_MEANING: Record<ErrorCode, string> = {
  invalid_input: 'The request does not have the shape described here; the message names every field at fault.',
  authentication_required: 'The credential is missing, wrong, expired or revoked.',
  mfa_required: 'A recent check of the second factor is missing.',
  payment_required: 'The service runs on a tier that does not include this.',
  forbidden: 'The caller is known, and may not do this.',
  csrf_failed: 'A write with cookies came without `X-Service-CSRF`, or with one that is not of this session.',
  license_required: 'A license that this needs is missing.',
  not_found: 'There is no such thing, or not for this caller.',
  conflict: 'The request contradicts what is stored.',
  rate_limited: 'Too many requests; `Retry-After` says how many seconds to wait.',
  internal_error: 'A fault of the service. Its log has the cause under the `X-Request-Id` of the answer.',
};

const RETRY_AFTER = { description: 'Seconds to wait', schema: { type: 'integer', minimum: 0 } } as const;

/** One response for each status among the codes; all share one body. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, Response> {
  const unique = [...new Set(codes)];
  const statuses = new Set(unique.map((code): number => ERRORS[code].status));
  const entries = [...statuses].map((status): [number, Response] => {
    const same = unique.filter((code) => ERRORS[code].status === status);
    return [status, errorResponse(status, same)];
  });
  return Object.fromEntries(entries);
}

const errorResponse = (status: number, codes: readonly ErrorCode[]): Response => ({
  description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join(' '),
  ...(status === 429 && { headers: { 'Retry-After': RETRY_AFTER } }),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  'x-error-codes': codes,
});
