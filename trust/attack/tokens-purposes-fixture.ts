import { arrive, begin, newUser } from '../../packages/server/src/features/social/oauth-fixture.ts';
import { beginSigningIn, type Keyholder, withPasskey } from '../../packages/server/test/authenticator.ts';
import {
  type Answer,
  type Browser,
  bearer,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
} from '../../packages/server/test/browser.ts';
import type { FakeProvider } from '../../packages/server/test/fake-providers/types.ts';
import { CODE, linkTo, mailed } from '../../packages/server/test/mailed.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';
import { type Enrolled, enrolNew, halfSignIn } from '../../packages/server/test/second-factor.ts';

export interface Collection {
  readonly tokens: Readonly<Record<Kind, string>>;
  /** A user who has MFA enabled and owns most of the tokens. */
  readonly user: Enrolled;
  /** A user who has requested an email change and sent an invitation. */
  readonly other: TestUser;
  readonly keyholder: Keyholder;
  readonly invited: string;
  /** A third-party sign-in: its browser and the path of its callback. */
  readonly flow: { readonly browser: Browser; readonly path: string };
}

export const KINDS = [
  'access',
  'refresh',
  'mfa',
  'reset',
  'verification',
  'change of email',
  'invitation',
  'CSRF',
  'trust',
  'state',
  'browser of a flow',
  'passkey challenge',
  'emailed code',
  'recovery code',
  'session id',
  'user id',
] as const;
export type Kind = (typeof KINDS)[number];

export async function collect({ urls, folder }: Replicas, google: FakeProvider): Promise<Collection> {
  const url = urls[0]!;
  const [user, other, keyholder] = await Promise.all([enrolNew(url), registerUser(url), withPasskey(url)]);
  const [invited, moved] = [newEmail('invited'), newEmail('moved')];
  await user.browser.post('/auth/trusted-browsers', {});
  await createBrowser(url).post('/auth/password/forgot', { email: user.email });
  await createBrowser(url).post('/auth/email-otp/request', { email: user.email });
  await other.browser.post('/users/me/email', { email: moved, password: PASSWORD });
  await other.browser.post(`/orgs/${other.organization_id}/invitations`, { email: invited, role: 'member' });
  newUser(google);
  const flowBrowser = createBrowser(url);
  const path = await arrive(flowBrowser, google, await begin(flowBrowser, 'oauth_a'));
  const { challenge } = (await beginSigningIn(url, keyholder.email)) as { challenge: string };
  const inMail = (email: string, pattern: RegExp) => mailed({ folder }, email, pattern);
  return {
    tokens: {
      access: user.verified_token,
      refresh: user.browser.jar.get('service_rt')!,
      mfa: await halfSignIn(url, user),
      reset: await inMail(user.email, linkTo('reset-password')),
      verification: await inMail(user.email, linkTo('verify-email')),
      'change of email': await inMail(moved, linkTo('verify-email')),
      invitation: await inMail(invited, linkTo('accept-invitation')),
      CSRF: user.browser.jar.get('service_csrf')!,
      trust: user.browser.jar.get('service_trust')!,
      state: new URLSearchParams(path.split('?')[1]).get('state')!,
      'browser of a flow': flowBrowser.jar.get('service_oauth')!,
      'passkey challenge': challenge,
      'emailed code': await inMail(user.email, CODE),
      'recovery code': user.recovery_codes[0]!,
      'session id': user.session_id,
      'user id': user.user_id,
    },
    user,
    other,
    keyholder,
    invited,
    flow: { browser: flowBrowser, path },
  };
}

export interface Place {
  readonly name: string;
  /** The kinds of token that are accepted at this place. */
  readonly own: readonly Kind[];
  present(url: string, token: string, collection: Collection): Promise<Answer>;
  /** Whether the token was accepted. */
  opened(answer: Answer): boolean;
}

const isGood = ({ status }: Answer): boolean => status < 300;
const withCookies = (url: string, cookies: Record<string, string>): Browser =>
  createBrowser(url, new Map(Object.entries(cookies)));

/** All places that accept a token, ordered so that none invalidates a later one. */
export const PLACES: readonly Place[] = [
  {
    name: 'Authorization: Bearer',
    own: ['access'],
    present: (url, token) => createBrowser(url).get('/auth/session', bearer(token)),
    opened: isGood,
  },
  {
    name: 'the cookie service_at',
    own: ['access'],
    present: (url, token) => withCookies(url, { service_at: token }).get('/auth/session'),
    opened: isGood,
  },
  {
    name: 'CSRF header and cookie',
    own: ['CSRF'],
    present: (url, token, { tokens }) =>
      withCookies(url, { service_at: tokens.access, service_csrf: token }).patch('/users/me', {}),
    opened: isGood,
  },
  {
    name: 'POST /auth/email/verify/preview',
    own: ['verification', 'change of email'],
    present: (url, token) => createBrowser(url).post('/auth/email/verify/preview', { token }),
    opened: isGood,
  },
  {
    name: 'POST /auth/password/reset/preview',
    own: ['reset'],
    present: (url, token) => createBrowser(url).post('/auth/password/reset/preview', { token }),
    opened: isGood,
  },
  {
    name: 'GET /auth/invitations/preview',
    own: ['invitation'],
    present: (url, token) => createBrowser(url).get(`/auth/invitations/preview?${new URLSearchParams({ token })}`),
    opened: isGood,
  },
  {
    name: 'the cookie service_trust at a sign-in',
    own: ['trust'],
    present: (url, token, { user }) =>
      withCookies(url, { service_trust: token }).post('/auth/login', { email: user.email, password: PASSWORD }),
    opened: ({ json }) => json.status !== 'mfa_required',
  },
  {
    name: 'POST /auth/email-otp/verify',
    own: ['emailed code'],
    present: (url, code, { user }) => createBrowser(url).post('/auth/email-otp/verify', { email: user.email, code }),
    opened: isGood,
  },
  {
    name: 'POST /auth/mfa/challenge, as the token',
    own: ['mfa'],
    present: (url, mfa_token, { user }) =>
      createBrowser(url).post('/auth/mfa/challenge', { mfa_token, recovery_code: user.recovery_codes[1] }),
    opened: isGood,
  },
  {
    name: 'POST /auth/passkey/login/complete',
    own: ['passkey challenge'],
    present: async (url, challenge, { keyholder }) => {
      const options = { challenge, rpId: 'localhost', allowCredentials: [] };
      const text = /^[\w-]+$/.test(challenge) ? challenge : Buffer.from(challenge).toString('base64url');
      const credential = keyholder.device.get({ ...options, challenge: text });
      return createBrowser(url).post('/auth/passkey/login/complete', { credential });
    },
    opened: isGood,
  },
  {
    name: 'the state of an OAuth callback',
    own: ['state'],
    present: (url, state, { flow }) => {
      const [path, query] = flow.path.split('?');
      const changed = new URLSearchParams(query);
      changed.set('state', state);
      const jar = new Map(flow.browser.jar);
      return createBrowser(url, jar).get(`${path}?${changed}`, { headers: { accept: 'application/json' } });
    },
    opened: ({ status, text }) => status !== 401 || !text.includes('invalid_state'),
  },
  {
    name: 'POST /auth/refresh',
    own: ['refresh'],
    present: (url, token) => withCookies(url, { service_rt: token }).post('/auth/refresh'),
    opened: isGood,
  },
  {
    name: 'POST /auth/invitations/accept',
    own: ['invitation'],
    present: (url, token) => createBrowser(url).post('/auth/invitations/accept', { token, password: PASSWORD }),
    opened: isGood,
  },
  {
    name: 'POST /auth/email/verify',
    own: ['verification', 'change of email'],
    present: (url, token) => createBrowser(url).post('/auth/email/verify', { token }),
    opened: isGood,
  },
  {
    name: 'POST /auth/password/reset',
    own: ['reset'],
    present: (url, token) =>
      createBrowser(url).post('/auth/password/reset', { token, new_password: 'another password entirely' }),
    opened: isGood,
  },
];
