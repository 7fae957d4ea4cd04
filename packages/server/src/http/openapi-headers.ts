import { STEP_UPS } from '@gatehouse/contract';
import type { Header, Reference } from './openapi-document.ts';

/** Headers that tell a client something. Those that every answer has for browsers and caches go without saying. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of this request in logs and in the audit trail: the one it came with, when that is a UUID.',
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
      'Only with the code `mfa_required`, and then always: what to do before repeating the request. `second_factor`: call `/auth/mfa/verify`. `sign_in`: sign in again, with a passkey where a second factor is needed. `enroll`: set up a second factor, because the account has none and signing in again would not be enough.',
    required: false,
    schema: { type: 'string', enum: STEP_UPS },
  },
  ETag: {
    description: 'Send it back as `If-None-Match`: while nothing has changed, the answer is 304.',
    required: true,
    schema: { type: 'string' },
  },
  Location: {
    description: 'Where to go on.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Set-Cookie': {
    description: 'Cookies to keep or, with `Max-Age=0`, to forget; one header for each. Not every answer has them.',
    required: false,
    schema: { type: 'string' },
  },
  'X-Service-Signature': {
    description: 'HMAC-SHA256 over all lines before the last, in hexadecimal.',
    required: true,
    schema: { type: 'string' },
  },
  'Content-Disposition': {
    description: 'The name to keep the file under.',
    required: true,
    schema: { type: 'string' },
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export const headerReferences = (names: readonly HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
