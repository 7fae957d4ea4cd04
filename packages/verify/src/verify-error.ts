/** Why a request is rejected. Switch on it; the message is for humans and logs. */
export type VerifyErrorCode =
  | 'token_missing'
  | 'token_invalid'
  | 'token_expired'
  | 'token_stale'
  | 'session_revoked'
  | 'step_up_required'
  | 'forbidden'
  | 'service_unreachable';

const STATUS = {
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  token_stale: 401,
  session_revoked: 401,
  step_up_required: 401,
  forbidden: 403,
  service_unreachable: 503,
} as const satisfies Record<VerifyErrorCode, number>;

/**
 * The error for every rejected token or session. Its message never contains the token or the key.
 *
 * | code | status | meaning |
 * |---|---|---|
 * | `token_missing` | 401 | there is no Bearer token |
 * | `token_invalid` | 401 | not an access token or API key of this issuer, altered, or a key that has ended |
 * | `token_expired` | 401 | the token has expired: the client gets a new one by refreshing |
 * | `token_stale` | 401 | roles have changed since the token was issued: the client gets a new one by refreshing |
 * | `session_revoked` | 401 | the session has ended, for example by signing out |
 * | `step_up_required` | 401 | a stronger or more recent sign-in is required |
 * | `forbidden` | 403 | another organization, a missing permission, an unverified email, or not a user |
 * | `service_unreachable` | 503 | the service cannot be reached, so the token cannot be verified now |
 *
 * @example
 * ```ts
 * import { createVerifier, VerifyError } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * try {
 *   await verifier.verify('not a token');
 * } catch (error) {
 *   if (!(error instanceof VerifyError)) throw error;
 *   console.log(error.status, error.code); // 401 token_invalid
 * }
 * ```
 */
export class VerifyError extends Error {
  readonly code: VerifyErrorCode;
  /** The corresponding HTTP status. */
  readonly status: 401 | 403 | 503;

  constructor(code: VerifyErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'VerifyError';
    this.code = code;
    this.status = STATUS[code];
  }
}
