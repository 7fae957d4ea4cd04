import { type Static, Type } from 'typebox';
import { Email } from './email.ts';
import { LoginSuccess, MfaRequired } from './login-response.ts';
import { OAuthStartQuery } from './oauth.ts';
import { SsoTestResult } from './sso.ts';
import { Lenient, Uuid } from './text.ts';

/** docs/reference/policy-and-sso.md#single-sign-on: the connection with which an email address signs in. */
export const SsoDiscoverRequest = Type.Object({ email: Email }, { examples: [{ email: 'ada@example.com' }] });
export type SsoDiscoverRequest = Static<typeof SsoDiscoverRequest>;

/** Depends on the domain of the address only, not on whether the address has an account. */
export const SsoDiscovery = Type.Object({
  connection: Type.Union([
    Type.Object({
      id: Uuid,
      name: Type.String({ examples: ['Example Corp'] }),
      start_url: Type.String({
        description: 'Navigate to this URL to sign in. The parameters `redirect_to` and `login_hint` may be added.',
        examples: ['https://id.example.com/api/v1/auth/sso/0198c5b2-7d3f-7c61-9f0e-0a4d7c1b2e3f/start'],
      }),
      required: Type.Boolean({ description: 'The organization accepts no other sign-in method (`sso_required`).' }),
    }),
    Type.Null(),
  ]),
});
export type SsoDiscovery = Static<typeof SsoDiscovery>;

const { redirect_to, locale } = OAuthStartQuery.properties;

export const SsoStartQuery = Type.Object({
  redirect_to,
  login_hint: Type.Optional(
    Lenient({
      description: 'The email address, with which the provider may fill in its sign-in form. At most 320 characters.',
    }),
  ),
  locale,
});
export type SsoStartQuery = Static<typeof SsoStartQuery>;

/** The result of a callback in JSON: a sign-in, a pending sign-in, or the test of a connection. */
export const SsoResult = Type.Union([LoginSuccess, MfaRequired, SsoTestResult]);
export type SsoResult = Static<typeof SsoResult>;
