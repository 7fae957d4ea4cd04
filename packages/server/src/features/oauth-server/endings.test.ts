import { describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { knowToken, setUser } from '../../../test/records.ts';
import { founder, insertMembership } from '../../../test/team.ts';
import {
  codeFor,
  createClient,
  exchange,
  introspect,
  payloadOf,
  refresh,
  type TestClient,
  userinfo,
} from './provider-fixture.ts';

const app = useTestApp({ environment: { LIMIT_PASSWORD_PER_ADDRESS: '100000/1m' } });

interface Granted {
  readonly user: TestUser;
  readonly client: TestClient;
  /** Tokens of a grant without `offline_access`. */
  readonly plain: { access_token: string };
  /** Tokens of a grant with `offline_access`. */
  readonly offline: { access_token: string; refresh_token: string };
}

async function grantBoth(): Promise<Granted> {
  const client = await createClient(app);
  const user = await registerUser(app);
  await setUser(app, user.user_id, { email_verified_at: app.clock.now() });
  const tokens = async (scope: string) =>
    (await exchange(app, client, await codeFor(user.browser, client, { scope }))).json;
  return { user, client, plain: await tokens('openid'), offline: await tokens('openid offline_access') };
}

const admin = (platform_role: 'admin' | 'owner' = 'owner') => insertAdministrator(app, platform_role, app.clock.now());

const secondSession = async ({ email }: TestUser) => {
  const browser = createBrowser(app);
  await browser.post('/auth/login', { email, password: PASSWORD });
  return browser;
};

const CASES: readonly [string, 'ends' | 'lives', (granted: Granted) => Promise<{ status: number }>][] = [
  ['signing out', 'lives', ({ user }) => user.browser.post('/auth/logout')],
  ['ending the session in the list', 'lives', ({ user }) => user.browser.delete(`/auth/sessions/${user.session_id}`)],
  ['ending all other sessions', 'lives', async ({ user }) => (await secondSession(user)).delete('/auth/sessions')],
  [
    'changing the password in another session',
    'lives',
    async ({ user }) =>
      (await secondSession(user)).post('/users/me/password', {
        current_password: PASSWORD,
        new_password: `${PASSWORD} 2`,
      }),
  ],
  [
    'switching the organization',
    'lives',
    async ({ user }) => {
      const { organization_id } = await founder(app);
      await insertMembership(app, { organization_id, user_id: user.user_id });
      return user.browser.post('/auth/organization', { organization_id });
    },
  ],
  ['ending all sessions', 'ends', ({ user }) => user.browser.delete('/auth/sessions?include_current=true')],
  [
    'ending all sessions as an administrator',
    'ends',
    async ({ user }) => (await admin()).delete(`/admin/users/${user.user_id}/sessions`),
  ],
  [
    'resetting the password',
    'ends',
    async ({ user }) => {
      await createBrowser(app).post('/auth/password/forgot', { email: user.email });
      const token = await knowToken(app, user.user_id, 'password_reset');
      return createBrowser(app).post('/auth/password/reset', { token, new_password: `${PASSWORD} 2` });
    },
  ],
  [
    'disabling the account',
    'ends',
    async ({ user }) => (await admin()).patch(`/admin/users/${user.user_id}`, { status: 'disabled' }),
  ],
  ['deleting the account', 'ends', async ({ user }) => (await admin()).delete(`/admin/users/${user.user_id}`)],
  [
    'removing the member',
    'ends',
    async ({ user: { user_id, organization_id, browser } }) => {
      const owner = await founder(app);
      await insertMembership(app, { organization_id, user_id: owner.user_id }, { role: 'owner' });
      return browser.delete(`/orgs/${organization_id}/members/${user_id}`);
    },
  ],
  [
    'suspending the organization',
    'ends',
    async ({ user }) => (await admin()).patch(`/admin/orgs/${user.organization_id}`, { suspended: true }),
  ],
  [
    'withdrawing the consent',
    'ends',
    ({ user, client }) => user.browser.delete(`/users/me/applications/${client.application.id}`),
  ],
  [
    'disabling the application, even if it is enabled again',
    'ends',
    async ({ client: { application } }) => {
      const { patch } = await admin();
      await patch(`/admin/applications/${application.id}`, { enabled: false });
      return patch(`/admin/applications/${application.id}`, { enabled: true });
    },
  ],
  [
    'deleting the application',
    'ends',
    async ({ client: { application } }) => (await admin()).delete(`/admin/applications/${application.id}`),
  ],
  [
    'binding the application to another organization',
    'ends',
    async ({ client: { application } }) => {
      const { organization_id } = await founder(app);
      return (await admin()).patch(`/admin/applications/${application.id}`, { organization_id });
    },
  ],
];

describe('the end of a grant', () => {
  it.each(CASES)(
    '%s: the grant ends at once and is listed in the feed; a grant with offline_access %s',
    async (_, offline, end) => {
      const granted = await grantBoth();
      const { client, plain } = granted;
      expect((await userinfo(app, plain.access_token)).status).toBe(200);
      expect((await userinfo(app, granted.offline.access_token)).status).toBe(200);
      expect((await end(granted)).status).toBeLessThan(300);
      const ended = offline === 'ends';
      expect((await userinfo(app, plain.access_token)).status).toBe(401);
      expect((await userinfo(app, granted.offline.access_token)).status).toBe(ended ? 401 : 200);
      expect((await refresh(app, client, granted.offline.refresh_token)).status).toBe(
        ended ? ((await isKnown(client)) ? 400 : 401) : 200,
      );
      const rows = await app.deps.db.selectFrom('revocations').select('sid').execute();
      const sids = new Set<unknown>(rows.map(({ sid }) => sid));
      expect(sids.has(payloadOf(plain.access_token).sid)).toBe(true);
      expect(sids.has(payloadOf(granted.offline.access_token).sid)).toBe(ended);
    },
  );

  it('removing offline_access from the application ends its grants with offline_access, for good', async () => {
    const { client, user, plain, offline } = await grantBoth();
    const code = await codeFor(user.browser, client, { scope: 'openid offline_access' });
    const { patch } = await admin();
    for (const scopes of [['openid'], ['openid', 'offline_access']]) {
      expect((await patch(`/admin/applications/${client.application.id}`, { scopes })).status).toBe(200);
    }
    expect((await userinfo(app, plain.access_token)).status).toBe(200);
    expect((await userinfo(app, offline.access_token)).status).toBe(401);
    expect((await refresh(app, client, offline.refresh_token)).json.error).toBe('invalid_grant');
    expect((await exchange(app, client, code)).json.error).toBe('invalid_grant');
  });

  it('a scope that the application no longer lists has no effect at userinfo and is not shown at introspection', async () => {
    const client = await createClient(app);
    const user = await registerUser(app);
    const code = await codeFor(user.browser, client, { scope: 'openid email' });
    const { access_token } = (await exchange(app, client, code)).json;
    expect((await userinfo(app, access_token)).json.email).toBe(user.email);
    await (await admin()).patch(`/admin/applications/${client.application.id}`, { scopes: ['openid'] });
    expect((await userinfo(app, access_token)).json).toEqual({ sub: user.user_id });
    expect((await introspect(app, client, access_token)).json).toMatchObject({ active: true, scope: 'openid' });
  });

  it('an unused code is invalid once its session has ended, also with offline_access', async () => {
    const client = await createClient(app);
    const user = await registerUser(app);
    const codes = [
      await codeFor(user.browser, client),
      await codeFor(user.browser, client, { scope: 'openid offline_access', prompt: 'consent' }),
    ];
    await user.browser.post('/auth/logout');
    for (const code of codes) expect((await exchange(app, client, code)).json.error).toBe('invalid_grant');
  });

  it('reclaiming the account ends its grants and deletes its consents', async () => {
    const client = await createClient(app);
    const squatter = await registerUser(app);
    const { access_token } = (await exchange(app, client, await codeFor(squatter.browser, client))).json;
    const browser = createBrowser(app);
    await browser.post('/auth/email-otp/request', { email: squatter.email });
    await browser.post('/auth/email-otp/verify', {
      email: squatter.email,
      code: await app.mailbox.takeCode(squatter.email),
    });
    expect((await browser.post('/auth/reclaim')).status).toBe(204);
    expect((await userinfo(app, access_token)).status).toBe(401);
    expect((await browser.get('/users/me/applications')).json.items).toEqual([]);
  });
});

const isKnown = async ({ client_id }: TestClient): Promise<boolean> =>
  (await app.deps.applications.find(client_id)) !== undefined;
