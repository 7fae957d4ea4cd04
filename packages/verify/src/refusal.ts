import { VerifyError, type VerifyErrorCode } from './verify-error.ts';

/** The HTTP response to a rejected request: status, headers, and an error body in the format of Gatehouse. */
export interface Refusal {
  readonly status: 401 | 403 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: { readonly code: string; readonly message: string; readonly type: string } };
}

/** Code and type as in the service's errors, so that clients handle both alike; challenge by RFC 6750 and RFC 9470. */
const WIRE = {
  token_missing: ['authentication_required', 'authentication_error', undefined],
  token_invalid: ['authentication_required', 'authentication_error', 'error="invalid_token"'],
  token_expired: ['authentication_required', 'authentication_error', 'error="invalid_token"'],
  token_stale: ['authentication_required', 'authentication_error', 'error="invalid_token", error_description="stale"'],
  session_revoked: ['authentication_required', 'authentication_error', 'error="invalid_token"'],
  step_up_required: ['mfa_required', 'mfa_required', 'error="insufficient_user_authentication"'],
  forbidden: ['forbidden', 'authorization_error', 'error="insufficient_scope"'],
  service_unreachable: ['service_unreachable', 'service_unreachable', undefined],
} as const satisfies Record<VerifyErrorCode, readonly [string, string, string | undefined]>;

const RETRY_AFTER_SECONDS = '2';

/**
 * Returns the HTTP response for a {@link VerifyError}. Rethrows any other error.
 *
 * @example
 * ```ts
 * import { refusalOf, VerifyError } from '@gatehouse/verify';
 *
 * const { status, headers, body } = refusalOf(new VerifyError('token_expired', 'the token has expired'));
 * console.log(status, headers['www-authenticate']); // 401 Bearer error="invalid_token"
 * console.log(body.error.code); // authentication_required
 * ```
 */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof VerifyError)) throw error;
  const [code, type, challenge] = WIRE[error.code];
  return {
    status: error.status,
    headers:
      error.status === 503
        ? { 'retry-after': RETRY_AFTER_SECONDS }
        : { 'www-authenticate': challenge ? `Bearer ${challenge}` : 'Bearer' },
    body: { error: { code, message: error.message, type } },
  };
}
