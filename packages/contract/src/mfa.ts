import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { GivenPassword, Nullable, Text, Timestamp } from './text.ts';

/** Any text is valid: text that is not a code counts as a wrong code. */
const Code = Text(0, 1024);
const TotpCode = Type.Unsafe<string>({
  ...Code,
  description: 'Six digits from an authenticator app',
  examples: ['042137'],
});
const RecoveryCode = Type.Unsafe<string>({
  ...Code,
  description: 'A recovery code; case and hyphens are ignored',
  examples: ['k7ta-93xq-m2fv-0wzd'],
});

export const MfaStatus = Type.Object({
  enabled: Type.Boolean(),
  enabled_at: Nullable(Timestamp),
  recovery_codes_remaining: Type.Integer(),
  mfa_verified_at: Nullable(Timestamp),
});
export type MfaStatus = Static<typeof MfaStatus>;

export const MfaSetup = Type.Object({
  secret: Type.String({ description: 'Base32, for apps that cannot scan the QR code' }),
  otpauth_url: Type.String(),
  qr_code: Type.String({ description: '`otpauth_url` as a QR code: an SVG data URI' }),
});
export type MfaSetup = Static<typeof MfaSetup>;

export const MfaEnableRequest = Type.Object({ code: TotpCode });
export type MfaEnableRequest = Static<typeof MfaEnableRequest>;

const RecoveryCodeList = Type.Array(Type.String(), {
  description: `${LIMITS.recoveryCodes} codes, each usable once. They are returned only here.`,
});

/** The response to a session that has just verified a second factor. */
const Verified = { mfa_verified_at: Timestamp, access_token: Type.String(), expires_in: Type.Integer() };

export const MfaEnabled = Type.Object({ recovery_codes: RecoveryCodeList, ...Verified });
export type MfaEnabled = Static<typeof MfaEnabled>;

/** Optional: an account without a password needs a fresh sign-in instead. */
export const PasswordConfirmation = Type.Object(
  { password: Type.Optional(GivenPassword) },
  {
    description:
      'Omit it only if the account has no password; then a sign-in or second factor within the last 5 minutes is required.',
  },
);
export type PasswordConfirmation = Static<typeof PasswordConfirmation>;

export const RecoveryCodes = Type.Object({ recovery_codes: RecoveryCodeList });
export type RecoveryCodes = Static<typeof RecoveryCodes>;

const EitherCode = { code: Type.Optional(Nullable(TotpCode)), recovery_code: Type.Optional(Nullable(RecoveryCode)) };

export const MfaVerifyRequest = Type.Object(EitherCode, {
  description: 'Exactly one of the two fields.',
  examples: [{ code: '042137' }],
});
export type MfaVerifyRequest = Static<typeof MfaVerifyRequest>;

export const MfaVerified = Type.Object(Verified);
export type MfaVerified = Static<typeof MfaVerified>;

/** §4.2 */
export const MfaChallengeRequest = Type.Object(
  { mfa_token: Type.String({ format: 'text', minLength: 1 }), ...EitherCode },
  {
    description: 'The token of an `mfa_required` response and exactly one of the two codes.',
    examples: [{ mfa_token: '…', code: '042137' }],
  },
);
export type MfaChallengeRequest = Static<typeof MfaChallengeRequest>;
