import { arrive, begin, newUser } from '../../packages/server/src/features/social/oauth-fixture.ts';
import {
  beginAdding,
  beginSigningIn,
  createAuthenticator,
  withPasskey,
} from '../../packages/server/test/authenticator.ts';
import {
  type Browser,
  bearer,
  createBrowser,
  newEmail,
  newSlug,
  PASSWORD,
  refreshTokenIn,
  refreshWith,
  registerUser,
} from '../../packages/server/test/browser.ts';
import type { FakeProvider } from '../../packages/server/test/fake-providers/types.ts';
import { setUser } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';
import type { Race } from './races-fixture.ts';

const at = (url: string, { jar }: Browser): Browser => createBrowser(url, new Map(jar));

const register = (url: string, given: object) =>
  createBrowser(url).post('/auth/register', {
    email: newEmail(),
    password: PASSWORD,
    organization_name: 'Example',
    ...given,
  });

export function namesAndTokens(replicas: Replicas, google: FakeProvider): readonly Race[] {
  const here = () => replicas.urls[0]!;
  return [
    {
      name: 'a refresh token',
      async prepare() {
        const { browser } = await registerUser(here());
        const token = browser.jar.get('service_rt')!;
        return {
          request: (url) => refreshWith(url, token),
          won: 200,
          lost: [401],
          rows: { sessions: 0, refresh_uses: 1 },
          audited: [],
          async after(winner) {
            const { status } = await refreshWith(here(), refreshTokenIn(winner)!);
            return status === 200 ? undefined : `the family does not live: ${status}`;
          },
        };
      },
    },
    {
      name: 'an email, by registration',
      async prepare() {
        const email = newEmail();
        return {
          request: (url) => register(url, { email }),
          won: 201,
          lost: [409],
          rows: { users: 1, organizations: 1, memberships: 1, sessions: 1, mails: 1 },
          audited: ['auth.register', 'org.created'],
        };
      },
    },
    {
      name: 'a slug, by registration',
      async prepare() {
        const organization_slug = newSlug();
        return {
          request: (url) => register(url, { organization_slug }),
          won: 201,
          lost: [409],
          rows: { users: 1, organizations: 1, memberships: 1, sessions: 1, mails: 1 },
          audited: ['auth.register', 'org.created'],
        };
      },
    },
    {
      name: 'the signature of a passkey that does not count',
      async prepare() {
        const { device, email } = await withPasskey(here(), createAuthenticator({ counts: false }));
        const credential = device.get(await beginSigningIn(here(), email));
        return {
          request: (url) => createBrowser(url).post('/auth/passkey/login/complete', { credential }),
          won: 200,
          lost: [401],
          rows: { sessions: 1, passkey_challenges: 1 },
          audited: ['auth.passkey.login'],
        };
      },
    },
    {
      name: 'the challenge for a new passkey',
      async prepare() {
        const { browser } = await registerUser(here());
        const options = await beginAdding(browser);
        return {
          request: (url) =>
            at(url, browser).post('/users/me/passkeys/register/complete', {
              credential: createAuthenticator().create(options),
            }),
          won: 201,
          lost: [400],
          rows: { passkeys: 1, passkey_challenges: 1, mails: 1 },
          audited: ['passkey.added'],
        };
      },
    },
    {
      name: 'the state of a third-party sign-in',
      async prepare() {
        newUser(google);
        const browser = createBrowser(here());
        const path = await arrive(browser, google, await begin(browser, 'oauth_a'));
        const exchanges = () => google.requests.filter((request) => request.path === '/token').length;
        const before = exchanges();
        return {
          request: (url) => at(url, browser).get(path, { headers: { accept: 'application/json' } }),
          won: 200,
          lost: [401],
          rows: { users: 1, organizations: 1, identities: 1, sessions: 1 },
          audited: ['auth.oauth.login', 'auth.register', 'org.created'],
          after: async () => (exchanges() - before === 1 ? undefined : `${exchanges() - before} exchanges of its code`),
        };
      },
    },
    {
      name: 'the removal of a feature flag',
      async prepare() {
        const admin = await registerUser(here());
        await setUser(replicas.database, admin.user_id, { platform_role: 'admin' });
        const flag_key = newSlug();
        const as = bearer(admin.access_token);
        await createBrowser(here()).send('PUT', '/admin/feature-flags', { ...as, body: { flag_key, enabled: true } });
        return {
          request: (url) => createBrowser(url).delete(`/admin/feature-flags/${flag_key}`, as),
          won: 204,
          lost: [204],
          rows: { feature_flags: -1 },
          audited: ['feature_flag.deleted'],
        };
      },
    },
  ];
}
