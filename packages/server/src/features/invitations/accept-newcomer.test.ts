import { beforeAll, describe, expect, it } from 'vitest';
import { atOnce, createBrowser, newEmail, PASSWORD, type TestUser, tally } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, findSession, lockUserRow, setUser, untilBlocked } from '../../../test/records.ts';
import { findMembership, founder } from '../../../test/team.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import {
  acceptAs,
  acceptNew,
  ask,
  eventsOf,
  findRow,
  findUserBy,
  invite,
  preview,
  setRow,
} from './invitation-fixture.ts';

const app = useTestApp({ environment: { REGISTRATION: 'closed' } });
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
});

describe('the locale of an invited account', () => {
  it.each([
    [{ locale: 'de-ch' }, 'en', 'de-CH'],
    [{ locale: 'not a tag' }, 'de', 'de'],
    [{ locale: 7 }, undefined, null],
    [{}, 'fr, de;q=0.5', 'de'],
  ])('the locale for the body %o and Accept-Language %s is %s', async (given, accepted, expected) => {
    const { token, email } = await invite(app, owner);
    const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-language': accepted };
    const body = { token, password: PASSWORD, ...given };
    expect((await createBrowser(app).post('/auth/invitations/accept', body, { headers })).status).toBe(200);
    const [row] = await findUserBy(app, email);
    expect(row!.locale).toBe(expected);
  });
});

describe('POST /auth/invitations/accept without an account', () => {
  it('a new user who accepts gets 200 LoginResponse and three cookies, and is a verified member; audited once; also with registration closed', async () => {
    const { id, token, email } = await invite(app, owner, { role: 'admin' });
    const browser = createBrowser(app);
    const answer = await acceptNew(app, token, { display_name: '  Ada Lovelace ' }, browser);
    expect(answer.status).toBe(200);
    const { user } = answer.json;
    expect(answer.json).toEqual({
      status: 'success',
      user: expect.objectContaining({
        organization_id: owner.organization_id,
        email,
        email_verified: true,
        display_name: 'Ada Lovelace',
        auth_method: 'password',
        aal: 'aal1',
        mfa_verified_at: null,
      }),
      capabilities: expect.objectContaining({ role: 'admin', platform_role: null }),
      access_token: expect.any(String),
      expires_in: 900,
    });
    expect(answer.set_cookies.map((line) => line.split('=')[0])).toEqual(['service_at', 'service_rt', 'service_csrf']);
    expect((await browser.get('/auth/session')).json).toEqual({
      user: answer.json.user,
      capabilities: answer.json.capabilities,
    });
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    const now = app.clock.now();
    const [row] = await findUserBy(app, email);
    expect(row).toMatchObject({
      id: user.user_id,
      email_verified_at: now,
      status: 'active',
      platform_role: null,
      last_login_at: now,
      last_password_change_at: now,
      last_organization_id: owner.organization_id,
    });
    expect(row!.password_hash).toMatch(/^\$argon2id\$/);
    const membershipKey = { organization_id: owner.organization_id, user_id: user.user_id };
    expect(await findMembership(app, membershipKey)).toMatchObject({ role: 'admin', joined_at: now, revoked_at: null });
    expect(await findSession(app, user.session_family_id)).toMatchObject({ user_id: user.user_id, revoked_at: null });
    expect(await findRow(app, id)).toMatchObject({ accepted_at: now, closed_at: now });
    expect(await auditOf(app, { actor_id: user.user_id })).toMatchObject([
      {
        action: 'invitation.accepted',
        organization_id: owner.organization_id,
        resource_type: 'invitation',
        resource_id: id,
        metadata: { role: 'admin', new_user: true },
      },
    ]);
    expect((await createBrowser(app).post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
    expect((await preview(app, token)).status).toBe(409);
  });

  it('400 for a missing or invalid password after the token was checked; the invitation stays open', async () => {
    const { id, token } = await invite(app, owner);
    const missing = await acceptNew(app, token, { password: undefined });
    expect(missing.status).toBe(400);
    expect(missing.json.error.message).toBe('password: is required');
    for (const [body, message] of [
      [{ password: 'too short' }, 'password: must be 12 to 256 characters'],
      [{ password: 'x'.repeat(257) }, 'password: must be 12 to 256 characters'],
      [{ password: null }, 'password: is required'],
      [{ password: `\ud800${PASSWORD}` }, 'password: must not contain invalid Unicode'],
      [{ display_name: 'x'.repeat(121) }, 'display_name: must be at most 120 characters'],
      [{ display_name: 'a\u0000b' }, 'display_name: must not contain control characters or invalid Unicode'],
      [{ token: undefined }, 'token: is required'],
      [{ token: '' }, 'token: must not be empty'],
      [{ token: 'a\u0000b' }, 'token: must be printable characters without spaces'],
      [{ token: [token] }, 'token: must be a string'],
    ] as const) {
      const answer = await acceptNew(app, token, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.json.error.message).toBe(message);
    }
    expect((await acceptNew(app, token, {})).status).toBe(200);
    expect(await eventsOf(app, { id })).toHaveLength(2);
  });

  it('401 if the invited email is registered concurrently; the invitation stays open, and nothing is written', async () => {
    const inviter = await founder(app);
    const { id, token, email } = await invite(app, inviter);
    const other = await founder(app);
    const letGo = await lockUserRow(app, inviter.user_id);
    const { result, rows } = await countingRows(app, ['users', 'memberships', 'sessions', 'audit_events'], async () => {
      const asked = acceptNew(app, token);
      await untilBlocked(app, 1);
      await letGo((tx) => tx.updateTable('users').set({ email }).where('id', '=', other.user_id).execute());
      return asked;
    });
    expect(result.status).toBe(401);
    expect(result.set_cookies).toEqual([]);
    expect(rows).toEqual({ users: 0, memberships: 0, sessions: 0, audit_events: 0 });
    expect((await findRow(app, id))!.accepted_at).toBeNull();
  });

  it('the email of a deleted account gets a new account, which inherits nothing', async () => {
    const gone = await founder(app);
    await setUser(app, gone.user_id, { status: 'deleted', display_name: 'Gone', platform_role: 'owner' });
    const { token } = await invite(app, owner, { email: gone.email });
    const { json } = await acceptNew(app, token);
    expect(json.user.user_id).not.toBe(gone.user_id);
    expect(json.user.display_name).toBeNull();
    expect(json.capabilities).toMatchObject({ role: 'member', platform_role: null });
  });

  it('ten concurrent requests with one token create one account, one session and one audit row', async () => {
    const { id, token, email } = await invite(app, owner);
    const answers = await atOnce(10, () => acceptNew(app, token));
    expect(tally(answers)).toEqual({ 200: 1, 409: 9 });
    const users = await findUserBy(app, email);
    expect(users).toHaveLength(1);
    expect(await eventsOf(app, { id })).toHaveLength(2);
  });

  it('of two concurrent invitations to a new email, one creates the account and the other requires a sign-in', async () => {
    const email = newEmail();
    const [one, two] = [await invite(app, owner, { email }), await invite(app, await founder(app), { email })];
    const answers = await atOnce(2, (index) => acceptNew(app, index === 0 ? one.token : two.token));
    expect(tally(answers)).toEqual({ 200: 1, 401: 1 });
    expect(await findUserBy(app, email)).toHaveLength(1);
  });
});

describe('INITIAL_OWNER_EMAIL in production', () => {
  it.each(['a new account', 'an account'])(
    'is claimed by %s that accepts an invitation, which verifies the email',
    async (whose) => {
      const email = newEmail('root');
      const environment = { NODE_ENV: 'production', INITIAL_OWNER_EMAIL: email, SMTP_URL: 'smtp://127.0.0.1:1' };
      const production = await startTestApp({ environment });
      try {
        const [inviter, account] = [await founder(production), await founder(production)];
        const { json } = await ask(inviter, { email, role: 'member' });
        const token = 'a-token-that-a-test-knows';
        await setRow(production, json.id, { token_hash: hashToken(token) });
        if (whose === 'an account') {
          await setUser(production, account.user_id, { email });
          expect((await acceptAs(account, token)).status).toBe(200);
        } else {
          expect((await acceptNew(production, token)).json.capabilities.platform_role).toBe('owner');
        }
        expect(await findUserBy(production, email)).toMatchObject([{ platform_role: 'owner' }]);
      } finally {
        await production.close();
      }
    },
  );
});
