import type { Policy } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { claimsOf, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { findSession, setAuthTime, untilBlocked } from '../../../test/records.ts';
import { createAuthenticatorApp, enrol, enrolNew } from '../../../test/second-factor.ts';
import { insertDomain, newDomain } from '../../../test/sso-fixture.ts';
import { lowerSessions } from '../../domain/sessions/queries.ts';
import { givePolicy } from './policy-fixture.ts';

const app = useTestApp({ environment: { REFRESH_GRACE_SECONDS: '30' } });

const refresh = ({ browser }: TestUser) => browser.post('/auth/refresh');
const renew = ({ browser, organization_id }: TestUser) => browser.post('/auth/organization', { organization_id });

const ago = (seconds: number) => new Date(app.clock.now().getTime() - seconds * 1000);

/** The two requests that raise a session to `aal2`, each by a user who is ready for it. */
const RAISES = [
  [
    'mfa/verify',
    async (domain: string) => {
      const user = await enrol(app, await registerUser(app, { email: `ada@${domain}` }));
      return { user, raise: () => user.browser.post('/auth/mfa/verify', { code: user.app.code() }) };
    },
  ],
  [
    'mfa/enable',
    async (domain: string) => {
      const user = await registerUser(app, { email: `ada@${domain}` });
      const { secret } = (await user.browser.post('/auth/mfa/setup')).json;
      const code = () => createAuthenticatorApp(app, secret).code();
      return { user, raise: () => user.browser.post('/auth/mfa/enable', { code: code() }) };
    },
  ],
] as const;

describe.each(RAISES)('policy: the access token of %s', (_, prepare) => {
  it.each<Partial<Policy>>([
    { allowed_methods: ['passkey'] },
    { sso_required: true },
    { session_max_age_seconds: 900 },
  ])('is not issued to a session that %j rejects: 403, and nothing changes', async (policy) => {
    const domain = newDomain();
    const { user, raise } = await prepare(domain);
    await insertDomain(app, user, domain);
    if (policy.session_max_age_seconds) await setAuthTime(app, user.session_id, ago(901));
    await givePolicy(app, user.organization_id, policy);
    const before = await findSession(app, user.session_id);
    // An owner with a second factor may always sign in without single sign-on.
    await app.deps.db.updateTable('memberships').set({ role: 'member' }).where('user_id', '=', user.user_id).execute();
    expect((await raise()).status).toBe(403);
    expect(await findSession(app, user.session_id)).toEqual(before);
  });

  it('expires no later than the maximum age of the session', async () => {
    const { user, raise } = await prepare(newDomain());
    await givePolicy(app, user.organization_id, { session_max_age_seconds: 900 });
    await setAuthTime(app, user.session_id, ago(600));
    expect((await raise()).json.expires_in).toBe(300);
  });
});

describe('an access token of a session under a policy', () => {
  it('expires no later than the maximum age, also when it is renewed', async () => {
    const user = await registerUser(app);
    await givePolicy(app, user.organization_id, { session_max_age_seconds: 900 });
    await setAuthTime(app, user.session_id, ago(600));
    expect((await renew(user)).json.expires_in).toBe(300);
  });

  /** What a concurrent request that disables the second factor writes. */
  async function disableDuring<T>(user: TestUser, request: () => Promise<T>): Promise<T> {
    const tx = await app.deps.db.startTransaction().execute();
    await lowerSessions(tx, user);
    const asked = request();
    await untilBlocked(app, 1);
    await tx.commit().execute();
    return asked;
  }

  it.each<[string, (user: TestUser) => ReturnType<typeof renew>]>([
    ['refreshed', refresh],
    ['renewed', renew],
  ])('is restricted if the second factor is disabled while it is %s', async (_, request) => {
    const user = await enrolNew(app);
    await givePolicy(app, user.organization_id, { require_mfa: true });
    const { access_token } = (await disableDuring(user, () => request(user))).json;
    expect(claimsOf(access_token)).toMatchObject({ aud: 'http://localhost:8080' });
    expect(await findSession(app, user.session_id)).toMatchObject({ restricted: true });
  });

  it('is restricted if the second factor is disabled while a refresh is repeated', async () => {
    const user = await enrolNew(app);
    await givePolicy(app, user.organization_id, { require_mfa: true });
    const used = user.browser.jar.get('service_rt')!;
    expect((await refresh(user)).status).toBe(200);
    user.browser.jar.set('service_rt', used);
    const { access_token } = (await disableDuring(user, () => refresh(user))).json;
    expect(claimsOf(access_token)).toMatchObject({ aud: 'http://localhost:8080' });
    expect(await findSession(app, user.session_id)).toMatchObject({ restricted: true, revoked_at: null });
  });
});
