import type { Policy } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, revocationsOf } from '../../../test/records.ts';
import { enrolNew } from '../../../test/second-factor.ts';
import { colleague, founder, insertMembership } from '../../../test/team.ts';
import { givePolicy } from '../policy/policy-fixture.ts';
import {
  authorize,
  codeFor,
  createClient,
  exchange,
  locationOf,
  payloadOf,
  refresh,
  responseOf,
  userinfo,
} from './provider-fixture.ts';

const app = useTestApp();
/** Restricts the session, as a refresh under `require_mfa` does. */
const restrict = async ({ session_id }: TestUser): Promise<void> => {
  await app.deps.db.updateTable('sessions').set({ restricted: true }).where('id', '=', session_id).execute();
};
const member = async (): Promise<TestUser> => colleague(app, await founder(app));

describe('applications and the policy of the organization', () => {
  it.each([{ allowed_methods: ['passkey' as const] }, { allowed_networks: ['203.0.113.0/24'] }])(
    'access_denied for a session that the policy %j does not allow',
    async (policy) => {
      const [user, client] = [await member(), await createClient(app, { trusted: true })];
      await givePolicy(app, user.organization_id, policy);
      expect(responseOf(await authorize(user.browser, client))).toMatchObject({ error: 'access_denied' });
    },
  );

  it('allowed_networks of the organization of the session apply to an application of another organization', async () => {
    const [user, other, client] = [await founder(app), await founder(app), await createClient(app, { trusted: true })];
    const { organization_id } = other;
    await insertMembership(app, { organization_id, user_id: user.user_id });
    const request = { organization: organization_id };
    expect(responseOf(await authorize(user.browser, client, request))).toHaveProperty('code');
    await givePolicy(app, user.organization_id, { allowed_networks: ['203.0.113.0/24'] });
    await app.deps.sessions.reload(user.session_id);
    expect(responseOf(await authorize(user.browser, client, request))).toMatchObject({ error: 'access_denied' });
  });

  it.each<[string, Partial<Policy>, boolean]>([
    ['membership', {}, false],
    ['allowed_methods', { allowed_methods: ['passkey'] }, true],
    ['allowed_networks', { allowed_networks: ['203.0.113.0/24'] }, true],
    ['require_mfa', { require_mfa: true }, true],
  ])('prompt=none without consent is consent_required, whatever %s says', async (_, policy, isOwn) => {
    const [user, client] = [await member(), await createClient(app)];
    const organization = isOwn ? user.organization_id : (await founder(app)).organization_id;
    await givePolicy(app, user.organization_id, policy);
    if (policy.require_mfa) await restrict(user);
    await app.deps.sessions.reload(user.session_id);
    const silent = await authorize(user.browser, client, { prompt: 'none', organization });
    expect(responseOf(silent)).toMatchObject({ error: 'consent_required' });
  });

  it('require_mfa: a restricted session must sign in again, and prompt=none is interaction_required', async () => {
    const [user, client] = [await registerUser(app), await createClient(app, { trusted: true })];
    await givePolicy(app, user.organization_id, { require_mfa: true });
    await restrict(user);
    await app.deps.sessions.reload(user.session_id);
    expect(locationOf(await authorize(user.browser, client)).pathname).toBe('/sign-in');
    const silent = await authorize(user.browser, client, { prompt: 'none' });
    expect(responseOf(silent)).toMatchObject({ error: 'interaction_required' });
  });

  it('a refresh ends a grant whose sign-in method is no longer allowed, at the service and in the revocation feed', async () => {
    const [user, client] = [await member(), await createClient(app)];
    const code = await codeFor(user.browser, client, { scope: 'openid offline_access' });
    const { access_token, refresh_token } = (await exchange(app, client, code)).json;
    const renewed = (await refresh(app, client, refresh_token)).json;
    await givePolicy(app, user.organization_id, { allowed_methods: ['passkey'] });
    const answer = await refresh(app, client, renewed.refresh_token);
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_grant']);
    expect((await userinfo(app, access_token)).status).toBe(401);
    const { sid } = payloadOf(access_token) as { sid: string };
    expect(await revocationsOf(app, sid)).toHaveLength(1);
    expect(await auditOf(app, { resource_id: sid, action: 'oauth.token.revoked' })).toMatchObject([
      { metadata: { client_id: client.client_id, reason: 'policy' } },
    ]);
  });

  it.each(['openid', 'openid offline_access'])(
    '%s: tokens expire no later than the maximum age of the session, after which no code is valid',
    async (scope) => {
      const [user, client] = [await member(), await createClient(app, { trusted: true })];
      const [code, late] = [
        await codeFor(user.browser, client, { scope }),
        await codeFor(user.browser, client, { scope }),
      ];
      await givePolicy(app, user.organization_id, { session_max_age_seconds: 900 });
      const signedIn = (seconds: number) =>
        app.deps.db
          .updateTable('application_grants')
          .set({ auth_time: new Date(app.clock.now().getTime() - seconds * 1000) } as object)
          .where('user_id', '=', user.user_id)
          .execute();
      await signedIn(600);
      const { expires_in, refresh_token } = (await exchange(app, client, code)).json;
      expect(expires_in).toBe(300);
      if (refresh_token) expect((await refresh(app, client, refresh_token)).json.expires_in).toBe(300);
      await signedIn(900);
      expect((await exchange(app, client, late)).json.error).toBe('invalid_grant');
    },
  );

  const disable = ({ browser, password }: TestUser) => browser.post('/auth/mfa/disable', { password });
  const reset = async ({ user_id }: TestUser) =>
    (await insertAdministrator(app, 'admin', app.clock.now())).post(`/admin/users/${user_id}/mfa/reset`);

  it.each([
    ['disabled', disable],
    ['reset', reset],
  ])(
    'a second factor that is %s lowers grants to aal1; require_mfa then ends them, and codes are not valid',
    async (_, remove) => {
      const [user, client] = [await enrolNew(app), await createClient(app)];
      const scope = 'openid offline_access';
      const begin = async () => (await exchange(app, client, await codeFor(user.browser, client, { scope }))).json;
      const [free, bound] = [await begin(), await begin()];
      const unused = await codeFor(user.browser, client, { scope });
      expect(payloadOf(free.access_token).acr).toBe('aal2');
      await givePolicy(app, user.organization_id, { require_mfa: true });
      const met = await refresh(app, client, bound.refresh_token);
      expect(met.status).toBe(200);
      expect((await remove(user)).status).toBe(204);
      const ended = await refresh(app, client, met.json.refresh_token);
      expect([ended.status, ended.json.error, ended.json.error_description]).toEqual([
        400,
        'invalid_grant',
        expect.stringContaining('require_mfa'),
      ]);
      expect((await exchange(app, client, unused)).json.error).toBe('invalid_grant');
      await givePolicy(app, user.organization_id, {});
      expect(payloadOf((await refresh(app, client, free.refresh_token)).json.access_token).acr).toBe('aal1');
    },
  );
});
