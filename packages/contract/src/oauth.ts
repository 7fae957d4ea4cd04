import { type Static, Type } from 'typebox';
import { LoginSuccess, MfaRequired } from './login-response.ts';
import { OAUTH_PROVIDERS } from './provider-table.ts';
import { GivenLocale, Lenient, Nullable, Text, Timestamp, Uuid } from './text.ts';

/**
 * docs/reference/sign-in.md#third-party-sign-in: how a third-party sign-in fails: the value of `?error=`, and part of
 * the JSON message.
 */
export const OAUTH_FAILURES = {
  account_exists: 'conflict',
  identity_in_use: 'conflict',
  email_missing: 'authentication_required',
  registration_closed: 'forbidden',
  access_denied: 'authentication_required',
  invalid_state: 'authentication_required',
  provider_error: 'authentication_required',
  account_refused: 'authentication_required',
  rate_limited: 'rate_limited',
} as const;
export type OAuthFailure = keyof typeof OAUTH_FAILURES;

/** Accepts any value, but uses only a path of this service or a URL on an allowed origin. */
export const OAuthStartQuery = Type.Object({
  redirect_to: Type.Optional(
    Lenient({
      description:
        'A path of the service, or a URL on an origin in REDIRECT_ORIGINS. Anything else is replaced by `/`.',
    }),
  ),
  organization_id: Type.Optional(Uuid),
  locale: GivenLocale(),
});

const Anything = (description: string) => Type.Optional(Lenient({ description }));

/** The parameters of a callback. Any form is accepted: what cannot be parsed is `invalid_state`. */
export const OAuthCallbackQuery = Type.Object({
  code: Anything('The authorization code.'),
  state: Anything('The `state` of the authorization request.'),
  error: Anything('The error code of the provider, instead of `code`.'),
  iss: Anything('The issuer, if the provider sends it.'),
  user: Anything('Sent by Apple at the first sign-in: the name of the user, as JSON.'),
});

/** The parameters of a callback that the provider sends as a form. */
export const OAuthFormPost = Type.Object({
  code: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
});

export const OAuthLinkRequest = Type.Object({
  redirect_to: Type.Optional(Text(0, 8192)),
});
export type OAuthLinkRequest = Static<typeof OAuthLinkRequest>;

export const OAuthLinkStart = Type.Object({ authorization_url: Type.String() });
export type OAuthLinkStart = Static<typeof OAuthLinkStart>;

/** An account at a third party that is linked for sign-in. */
export const Identity = Type.Object({
  id: Uuid,
  provider: Type.Enum([...OAUTH_PROVIDERS]),
  email: Nullable(Type.String()),
  linked_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type Identity = Static<typeof Identity>;

export const IdentityList = Type.Object({ items: Type.Array(Identity) });
export type IdentityList = Static<typeof IdentityList>;

export const IdentityLinked = Type.Object({ status: Type.Literal('linked'), identity: Identity });
export type IdentityLinked = Static<typeof IdentityLinked>;

/** The result of a callback in JSON: a sign-in, a pending sign-in, or an identity linked to the signed-in user. */
export const OAuthResult = Type.Union([LoginSuccess, MfaRequired, IdentityLinked]);
export type OAuthResult = Static<typeof OAuthResult>;

/** The sign-in methods that the page may offer. */
export const SignInOptions = Type.Object({
  password: Type.Boolean(),
  passkey: Type.Boolean(),
  email_otp: Type.Boolean(),
  registration: Type.Boolean(),
  oauth: Type.Array(
    Type.Object({ provider: Type.Enum([...OAUTH_PROVIDERS]), name: Type.String(), start_url: Type.String() }),
  ),
});
export type SignInOptions = Static<typeof SignInOptions>;
