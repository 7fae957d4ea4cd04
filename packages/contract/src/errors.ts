import { type Static, Type } from 'typebox';

/** §7: every error code has exactly one status and one type. */
export const ERRORS = {
  authentication_required: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'authorization_error' },
  not_found: { status: 404, type: 'not_found' },
  conflict: { status: 409, type: 'conflict' },
  invalid_input: { status: 400, type: 'validation_error' },
  rate_limited: { status: 429, type: 'rate_limited' },
  mfa_required: { status: 401, type: 'mfa_required' },
  license_required: { status: 403, type: 'license_required' },
  internal_error: { status: 500, type: 'internal_error' },
  csrf_failed: { status: 403, type: 'authorization_error' },
  payment_required: { status: 402, type: 'payment_required' },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Values of `X-Service-Step-Up` on every 401 `mfa_required`: what to do before repeating the request. */
export const STEP_UPS = ['second_factor', 'sign_in', 'enroll'] as const;
export type StepUp = (typeof STEP_UPS)[number];

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(ERRORS) as ErrorCode[]),
      message: Type.String(),
      type: Type.String(),
    }),
  },
  {
    description: 'The body of every error response. Switch on `code`.',
    examples: [{ error: { code: 'authentication_required', message: 'sign in first', type: 'authentication_error' } }],
  },
);
export type ErrorBody = Static<typeof ErrorBody>;
