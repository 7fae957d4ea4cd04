const unauthorized = (challenge: string) => ({
  status: 401,
  headers: { 'www-authenticate': challenge },
  error: { code: 'authentication_required', type: 'authentication_error' },
});

/** The HTTP response of an API for each refusal. `message`, in `error`, is for developers and not prescribed. */
export const responses = {
  about: 'The HTTP response for each code of a refusal.',
  responses: {
    token_missing: unauthorized('Bearer'),
    token_invalid: unauthorized('Bearer error="invalid_token"'),
    token_expired: unauthorized('Bearer error="invalid_token"'),
    token_stale: unauthorized('Bearer error="invalid_token", error_description="stale"'),
    session_revoked: unauthorized('Bearer error="invalid_token"'),
    step_up_required: {
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="insufficient_user_authentication"' },
      error: { code: 'mfa_required', type: 'mfa_required' },
    },
    forbidden: {
      status: 403,
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
      error: { code: 'forbidden', type: 'authorization_error' },
    },
    service_unreachable: {
      status: 503,
      headers: { 'retry-after': '2' },
      error: { code: 'service_unreachable', type: 'service_unreachable' },
    },
  },
};
