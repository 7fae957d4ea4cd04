import { describe, expect, it } from 'vitest';
import { beginSigningIn } from '../../../../test/authenticator.ts';
import { createBrowser, PASSWORD, registerUser, signInAgain } from '../../../../test/browser.ts';
import { useTestApp } from '../../../../test/harness.ts';
import { auditOf, countingRows, findUser, join, knowInvitation, knowToken, setUser } from '../../../../test/records.ts';
import { enrol } from '../../../../test/second-factor.ts';
import { givePolicy } from '../../policy/policy-fixture.ts';
import { leftIn, linkIdentity, NOTHING_LEFT, newCode, signInByCode, squat } from './squat-fixture.ts';

const app = useTestApp();

describe('POST /auth/reclaim', () => {
  it('a reclaim removes everything unproven except the current session, and verifies the email', async () => {
    const { user_id, email, browser: attacker, device, invitation_id } = await squat(app);
    const invitation = await knowInvitation(app, invitation_id);
    const [change, reset] = [
      await knowToken(app, user_id, 'email_change'),
      await knowToken(app, user_id, 'password_reset'),
    ];
    const { browser: victim } = await signInByCode(app, email);
    const code = await newCode(app, email);
    const ceremony = await beginSigningIn(app, email);

    expect((await victim.post('/auth/reclaim')).status).toBe(204);

    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, sessions: 1 });
    expect((await findUser(app, user_id)).email_verified_at).toEqual(app.clock.now());
    expect((await victim.get('/auth/session')).json.user).toMatchObject({ email_verified: true, extensions: {} });
    const anybody = createBrowser(app);
    const refused = [
      await attacker.get('/auth/session'),
      await attacker.post('/auth/refresh'),
      await anybody.post('/auth/login', { email, password: PASSWORD }),
      await anybody.post('/auth/email-otp/verify', { email, code }),
      await anybody.post('/auth/email/verify', { token: change }),
      await anybody.post('/auth/password/reset', { token: reset, new_password: PASSWORD }),
      await anybody.post('/auth/passkey/login/complete', { credential: device.get(ceremony) }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401, 401]);
    const accepted = await anybody.post('/auth/invitations/accept', { token: invitation, password: PASSWORD });
    expect(accepted.status).toBe(409);
  });

  it('a reclaim is audited with counts, and with one row per passkey and identity', async () => {
    const { user_id, email, organization_id } = await squat(app);
    await linkIdentity(app, user_id);
    const { browser: victim } = await signInByCode(app, email);
    await victim.post('/auth/reclaim');
    const about = { actor_id: user_id, organization_id, outcome: 'success' };
    expect(await auditOf(app, { resource_id: user_id, action: 'account.reclaimed' })).toEqual([
      expect.objectContaining({
        ...about,
        metadata: { passkeys: 1, identities: 2, sessions: 1, trusted_browsers: 1 },
      }),
    ]);
    const items = await auditOf(app, { actor_id: user_id, action: ['passkey.removed', 'auth.oauth.unlinked'] });
    expect(items.map(({ action, metadata }) => [action, metadata])).toEqual([
      ['passkey.removed', {}],
      ['auth.oauth.unlinked', { provider: 'oauth_b' }],
      ['auth.oauth.unlinked', { provider: 'oauth_b' }],
    ]);
    expect(await auditOf(app, { resource_id: user_id, action: 'auth.email.verified' })).toHaveLength(1);
  });

  it('a reclaim removes a second factor that the current session has verified', async () => {
    const { user_id, email, factor } = await squat(app, { mfa: true });
    const { browser, answer } = await signInByCode(app, email);
    const { mfa_token } = answer.json;
    const signedIn = await browser.post('/auth/mfa/challenge', { mfa_token, recovery_code: factor!.recovery_codes[0] });
    expect(signedIn.json.user).toMatchObject({ auth_method: 'password_with_mfa' });
    expect((await browser.post('/auth/reclaim')).status).toBe(204);
    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, sessions: 1 });
    const challenged = await createBrowser(app).post('/auth/mfa/challenge', {
      mfa_token: factor!.mfa_token,
      code: factor!.app.code(),
    });
    expect(challenged.status).toBe(401);
  });

  it('a reclaim after a restriction resets the policies of organizations with the account as owner and only member', async () => {
    const account = await squat(app);
    const { user_id, email, organization_id } = account;
    await givePolicy(app, organization_id, { require_mfa: true });
    const cases = { shared: 'active', paused: 'disabled', foreign: 'deleted', deserted: 'deleted' } as const;
    let deserted = '';
    for (const [name, status] of Object.entries(cases)) {
      const id = await join(app, user_id, { role: name === 'foreign' ? 'member' : 'owner' });
      if (name === 'deserted') deserted = id;
      const other = { user_id: (await registerUser(app)).user_id, organization_id: id, role: 'owner' } as const;
      await app.deps.db
        .insertInto('memberships')
        .values({ ...other, joined_at: app.clock.now(), revoked_at: null })
        .execute();
      await givePolicy(app, id, { session_max_age_seconds: 3600 });
      await setUser(app, other.user_id, { status });
    }
    const { browser, answer } = await signInByCode(app, email);
    expect(answer.json.user.extensions).toMatchObject({ restricted: 'mfa_enrollment' });
    // A restricted session reaches the reclaim only after its second factor was set up.
    expect((await browser.post('/auth/reclaim')).status).toBe(403);
    await enrol(app, { ...account, browser });
    expect((await browser.post('/auth/reclaim')).status).toBe(204);
    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, sessions: 1 });
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    expect((await browser.get('/auth/session')).json.user.extensions).toEqual({});
    expect((await browser.get(`/orgs/${organization_id}/policy`)).json.require_mfa).toBe(false);
    const rows = await auditOf(app, { actor_id: user_id, action: 'policy.reset' });
    const reason = 'reclaimed';
    expect(new Map(rows.map(({ resource_id, metadata }) => [resource_id, metadata]))).toEqual(
      new Map([
        [organization_id, { old: expect.objectContaining({ require_mfa: true }), reason }],
        [deserted, { old: expect.objectContaining({ session_max_age_seconds: 3600 }), reason }],
      ]),
    );
  });

  it('a reclaim changes nothing on an account whose email is verified', async () => {
    const account = await squat(app);
    await setUser(app, account.user_id, { email_verified_at: app.clock.now() });
    const { browser } = await signInByCode(app, account.email);
    const before = await leftIn(app, account.user_id);
    const { result, rows } = await countingRows(app, ['audit_events', 'mails'], () => browser.post('/auth/reclaim'));
    expect(result.status).toBe(204);
    expect(rows).toEqual({ audit_events: 0, mails: 0 });
    expect(await leftIn(app, account.user_id)).toEqual(before);
  });

  it('the first factor of a session is kept when switching the organization', async () => {
    const { user_id, email } = await squat(app);
    const organization_id = await join(app, user_id);
    const { browser } = await signInByCode(app, email);
    expect((await browser.post('/auth/organization', { organization_id })).status).toBe(200);
    expect((await browser.post('/auth/reclaim')).status).toBe(204);
    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, sessions: 1 });
  });

  it('403 for a session that began with a password, verified or not, with or without a second factor', async () => {
    const { browser, factor, user_id } = await squat(app, { mfa: true });
    const challenged = createBrowser(app);
    await challenged.post('/auth/mfa/challenge', { mfa_token: factor!.mfa_token, code: factor!.app.code() });
    for (const verified of [null, app.clock.now()]) {
      await setUser(app, user_id, { email_verified_at: verified });
      const answers = [await browser.post('/auth/reclaim'), await challenged.post('/auth/reclaim')];
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 403, json: { error: { code: 'forbidden' } } });
      }
    }
    expect(await leftIn(app, user_id)).toMatchObject({ password: true, mfa: true, passkeys: 1 });
  });

  it('403 when the sign-in is older than 15 minutes', async () => {
    const { user_id, email } = await squat(app);
    const { browser } = await signInByCode(app, email);
    app.clock.advance(15 * 60 + 1);
    await browser.post('/auth/refresh');
    const answer = await browser.post('/auth/reclaim');
    expect(answer).toMatchObject({ status: 403, json: { error: { code: 'forbidden' } } });
    expect(await leftIn(app, user_id)).toMatchObject({ password: true, passkeys: 1 });
  });

  it('401 without a session, 403 for a cookie without CSRF', async () => {
    expect((await createBrowser(app).post('/auth/reclaim')).status).toBe(401);
    const { email } = await registerUser(app);
    const { browser } = await signInByCode(app, email);
    const answer = await browser.post('/auth/reclaim', undefined, { csrf: false });
    expect(answer).toMatchObject({ status: 403, json: { error: { code: 'csrf_failed' } } });
  });

  it('after a reclaim the owner can set a first password and sign in with it', async () => {
    const { email } = await squat(app);
    const { browser } = await signInByCode(app, email);
    await browser.post('/auth/reclaim');
    const new_password = 'the owner chose this one';
    expect((await browser.post('/users/me/password', { new_password })).status).toBe(204);
    const again = await createBrowser(app).post('/auth/login', { email, password: new_password });
    expect(again.status).toBe(200);
  });
});

describe('a user who registers, signs in by code and then by password again', () => {
  it('keeps password, passkeys and sessions, and the email stays unverified', async () => {
    const account = await squat(app);
    const before = await leftIn(app, account.user_id);
    const { browser } = await signInByCode(app, account.email);
    expect((await browser.get('/auth/session')).status).toBe(200);
    expect((await account.browser.get('/auth/session')).status).toBe(200);
    const again = await signInAgain(app, account);
    expect((await again.get('/auth/session')).json.user.extensions).toEqual({});
    expect(await leftIn(app, account.user_id)).toEqual({ ...before, sessions: before.sessions + 2 });
    expect((await findUser(app, account.user_id)).email_verified_at).toBeNull();
  });
});
