import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { GivenPassword, Nullable, Text, Timestamp } from './text.ts';

/** As typed: what is no code is a wrong one. */
const Code = Text(0, 1024);
const TotpCode = Type.Unsafe<string>({
  ...Code,
  description: 'Six digits of an authenticator app',
  examples: ['042137'],
});
const RecoveryCode = Type.Unsafe<string>({
  ...Code,
  description: 'One of the codes that were shown once; capitals and hyphens do not matter',
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
  secret: Type.String({ description: 'Base32, for an app that cannot scan' }),
  otpauth_url: Type.String(),
  qr_code: Type.String({ description: 'The same as a picture: an SVG data URI' }),
});
export type MfaSetup = Static<typeof MfaSetup>;

export const MfaEnableRequest = Type.Object({ code: TotpCode });
export type MfaEnableRequest = Static<typeof MfaEnableRequest>;

const RecoveryCodeList = Type.Array(Type.String(), {
  description: `${LIMITS.recoveryCodes} codes, each good for one time. They are shown this once.`,
});

/** What a session gets that has just shown a second factor. */
const Verified = { mfa_verified_at: Timestamp, access_token: Type.String(), expires_in: Type.Integer() };

export const MfaEnabled = Type.Object({ recovery_codes: RecoveryCodeList, ...Verified });
export type MfaEnabled = Static<typeof MfaEnabled>;

/** Optional, because an account without a password gives a fresh sign-in instead. */
export const PasswordConfirmation = Type.Object(
  { password: Type.Optional(GivenPassword) },
  {
    description:
      'Only an account without a password leaves it out; there, a sign-in or second factor of the last 5 minutes stands for it.',
  },
);
export type PasswordConfirmation = Static<typeof PasswordConfirmation>;

export const RecoveryCodes = Type.Object({ recovery_codes: RecoveryCodeList });
export type RecoveryCodes = Static<typeof RecoveryCodes>;

const EitherCode = { code: Type.Optional(Nullable(TotpCode)), recovery_code: Type.Optional(Nullable(RecoveryCode)) };

export const MfaVerifyRequest = Type.Object(EitherCode, {
  description: 'Exactly one of the two.',
  examples: [{ code: '042137' }],
});
export type MfaVerifyRequest = Static<typeof MfaVerifyRequest>;

export const MfaVerified = Type.Object(Verified);
export type MfaVerified = Static<typeof MfaVerified>;

/** §4.2 */
export const MfaChallengeRequest = Type.Object(
  { mfa_token: Text(1, 8192), ...EitherCode },
  {
    description: 'The token of an `mfa_required` answer and exactly one of the two codes.',
    examples: [{ mfa_token: '…', code: '042137' }],
  },
);
export type MfaChallengeRequest = Static<typeof MfaChallengeRequest>;
