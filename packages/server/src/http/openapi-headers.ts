import { STEP_UPS } from '@gatehouse/contract';
import type { Header, Reference } from './openapi-document.ts';

/** Headers for clients. Those for browsers and caches, which every response has, are not documented. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The ID of this request in logs and in the audit trail: the one in the request, if it is a UUID.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Service-Step-Up': {
    description:
      'Present exactly with the code `mfa_required`: what to do before repeating the request. `second_factor`: call `/auth/mfa/verify`. `sign_in`: sign in again, with a passkey if a second factor is required. `enroll`: set up a second factor, because the account has none and signing in again is not enough.',
    required: false,
    schema: { type: 'string', enum: STEP_UPS },
  },
  'WWW-Authenticate': {
    description: 'How the client authenticates.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Send it as `If-None-Match`: if nothing has changed, the response is 304.',
    required: true,
    schema: { type: 'string' },
  },
  Location: {
    description: 'The URL to continue at.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Set-Cookie': {
    description: 'Cookies to store or, with `Max-Age=0`, to delete; one header each. Not every response has them.',
    required: false,
    schema: { type: 'string' },
  },
  'X-Service-Signature': {
    description: 'HMAC-SHA256 over all lines before the last, in hexadecimal.',
    required: true,
    schema: { type: 'string' },
  },
  'Content-Disposition': {
    description: 'The suggested file name.',
    required: true,
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export const headerReferences = (names: readonly HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
