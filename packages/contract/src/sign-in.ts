import { type Static, Type } from 'typebox';
import { Email } from './email.ts';
import { LIMITS } from './limits.ts';
import { UnprovenCredential } from './login-response.ts';
import { GivenLocale, GivenPassword, GivenToken, Name, NewPassword, Nullable, Text, Timestamp, Uuid } from './text.ts';

export const Slug = Type.String({ format: 'slug', minLength: 2, maxLength: 63, examples: ['example'] });

export const RegisterRequest = Type.Object(
  {
    email: Email,
    password: NewPassword,
    organization_name: Name(120),
    organization_slug: Type.Optional(Slug),
    display_name: Type.Optional(Text(0, 120)),
    locale: GivenLocale(),
  },
  {
    examples: [{ email: 'ada@example.com', password: 'correct horse battery staple', organization_name: 'Example' }],
  },
);
export type RegisterRequest = Static<typeof RegisterRequest>;

export const LoginRequest = Type.Object(
  { email: Email, password: GivenPassword, organization_id: Type.Optional(Uuid) },
  { examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }] },
);
export type LoginRequest = Static<typeof LoginRequest>;

/** §4.4, §4.6 */
export const AddressRequest = Type.Object({ email: Email }, { examples: [{ email: 'ada@example.com' }] });
export type AddressRequest = Static<typeof AddressRequest>;

/** §4.5 */
export const EmailCodeVerifyRequest = Type.Object({
  email: Email,
  code: Type.String({ format: 'code', description: `${LIMITS.emailCode.digits} digits`, examples: ['042137'] }),
  organization_id: Type.Optional(Uuid),
});
export type EmailCodeVerifyRequest = Static<typeof EmailCodeVerifyRequest>;

/** §4.7 */
export const PasswordResetRequest = Type.Object({
  token: GivenToken,
  new_password: NewPassword,
  disown: Type.Optional(
    Type.Boolean({
      description: 'If the email is not verified: also remove the second factor, which someone else may have added.',
    }),
  ),
});
export type PasswordResetRequest = Static<typeof PasswordResetRequest>;

export const PasswordResetPreviewRequest = Type.Object({ token: GivenToken });
export type PasswordResetPreviewRequest = Static<typeof PasswordResetPreviewRequest>;

export const PasswordResetPreview = Type.Object({ email: Type.String({ examples: ['ada@example.com'] }) });
export type PasswordResetPreview = Static<typeof PasswordResetPreview>;

export const EmailVerifyRequest = Type.Object({
  token: GivenToken,
  disown: Type.Optional(
    Type.Boolean({
      description:
        'The account is not yours: remove its password, passkeys, identities, second factor and sessions. For a link of kind `change`: invalidate the link.',
    }),
  ),
});
export type EmailVerifyRequest = Static<typeof EmailVerifyRequest>;

export const EmailVerifyPreviewRequest = Type.Object({ token: GivenToken });
export type EmailVerifyPreviewRequest = Static<typeof EmailVerifyPreviewRequest>;

export const EmailVerifyPreview = Type.Object({
  email: Type.String({ examples: ['ada@example.com'] }),
  kind: Type.Enum(['verification', 'change'], {
    description: '`change`: the email replaces the current one of the account.',
  }),
  account: Type.Optional(
    Type.Object(
      {
        created_at: Timestamp,
        device: Nullable(
          Type.String({
            description: 'The browser and operating system that registered it; null if unknown.',
            examples: ['Firefox on Linux'],
          }),
        ),
        unproven: Type.Boolean({ description: 'Its email is not verified yet.' }),
        credentials: Type.Array(UnprovenCredential, { description: 'The credentials of the account. Sorted.' }),
      },
      { description: 'The account that the link belongs to. Absent for the kind `change`.' },
    ),
  ),
});
export type EmailVerifyPreview = Static<typeof EmailVerifyPreview>;
