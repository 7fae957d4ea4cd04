import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { addPasskey, beginSigningIn, createAuthenticator } from '../../../test/authenticator.ts';
import { bearer, createBrowser, newEmail, PASSWORD, refreshWith, registerUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import {
  auditOf,
  findUser,
  join,
  kindsOf,
  liveSessions,
  revocationsOf,
  setUser,
  trustBrowser,
} from '../../../test/records.ts';
import { challenge, enrol, halfSignIn } from '../../../test/second-factor.ts';
import { form } from '../avatars/form-fixture.ts';
import { plain } from '../avatars/probe-fixture.ts';
import {
  beginLink,
  comeBack,
  identitiesOf,
  linkWith,
  newUser,
  signInWith,
  startThirdParties,
  type ThirdParties,
} from '../social/oauth-fixture.ts';

let parties: ThirdParties;
let app: TestApp;
let admin: Administrator;
beforeAll(async () => {
  parties = await startThirdParties();
  app = parties.app;
});
afterAll(() => parties.close());
beforeEach(async () => {
  await app.deps.db.updateTable('users').set({ platform_role: null }).execute();
  admin = await insertAdministrator(app);
});

const remove = (id: string, by = admin) => by.delete(`/admin/users/${id}`);
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  createBrowser(app).post(path, body, { headers });

async function createFullAccount() {
  const email = newEmail('rich');
  const identity = newUser(parties.fakes.oauth_a, { email });
  const account = await registerUser(app, { email, display_name: 'Somebody' });
  await app.mailbox.take(email);
  const device = createAuthenticator();
  expect((await addPasskey(account.browser, device)).status).toBe(201);
  expect((await linkWith(account.browser, parties.fakes.oauth_a)).status).toBe(200);
  const { payload, headers } = form({ content: await plain(40, 40).png().toBuffer() });
  const authorization = `Bearer ${account.access_token}`;
  const picture = await app.server.inject({
    method: 'POST',
    url: '/v1/users/me/avatar',
    payload,
    headers: { ...headers, authorization },
  });
  const enrolled = await enrol(app, account);
  const trust = await trustBrowser(app, account.user_id);
  const mfa_token = await halfSignIn(app, account);
  await post('/auth/password/forgot', { email });
  const reset_token = await app.mailbox.takeToken(email, 'reset-password');
  await post('/auth/email-otp/request', { email });
  const code = await app.mailbox.takeCode(email);
  await account.browser.post('/users/me/email', { email: newEmail('other'), password: PASSWORD });
  await setUser(app, account.user_id, { platform_role: 'viewer' });
  const second = await join(app, account.user_id);
  const avatar_path = new URL(picture.json().avatar_url).pathname;
  return { ...enrolled, identity, device, trust, mfa_token, reset_token, code, second, avatar_path };
}

const passkeyAnswer = async (email: string, device: ReturnType<typeof createAuthenticator>) =>
  post('/auth/passkey/login/complete', { credential: device.get(await beginSigningIn(app, email)) });

describe('DELETE /admin/users/:id', () => {
  it('deleting is 204; the row of the user stays, without any credential', async () => {
    const account = await createFullAccount();
    const { user_id } = account;
    const answer = await remove(user_id);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await admin.get(`/users/${user_id}`)).json).toMatchObject({
      id: user_id,
      email: account.email,
      display_name: 'Somebody',
      status: 'deleted',
      has_password: false,
      mfa_enabled: false,
      platform_role: null,
      avatar_url: null,
      memberships: [],
    });
    expect((await findUser(app, user_id)).last_organization_id).toBeNull();
    const { rows } = await sql<Record<string, number>>`select
      (select count(*) from sessions where user_id = ${user_id} and revoked_at is null) as sessions,
      (select count(*) from trusted_browsers where user_id = ${user_id} and (revoked_at is null or token_hash is not null)) as browsers,
      (select count(*) from passkeys where user_id = ${user_id} and (revoked_at is null or public_key is not null)) as passkeys,
      (select count(*) from identities where user_id = ${user_id} and (revoked_at is null or subject is not null)) as identities,
      (select count(*) from memberships where user_id = ${user_id} and revoked_at is null) as memberships,
      (select count(*) from totp_secrets where user_id = ${user_id}) as secrets,
      (select count(*) from recovery_codes where user_id = ${user_id}) as codes,
      (select count(*) from mfa_tokens where user_id = ${user_id}) as halves,
      (select count(*) from avatars where user_id = ${user_id}) as avatars`.execute(app.deps.db);
    expect(Object.values(rows[0]!)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await kindsOf(app, user_id)).toEqual(['password_reset']);
    expect(await auditOf(app, { resource_id: user_id, action: 'user.deleted' })).toMatchObject([
      {
        actor_id: admin.user_id,
        organization_id: account.organization_id,
        resource_type: 'user',
        metadata: { sessions_revoked: 1 },
      },
    ]);
  });

  it('every sign-in method of a deleted user is rejected as for an unknown account, and every session at once', async () => {
    const account = await createFullAccount();
    const { email } = account;
    await remove(account.user_id);
    for (const token of [account.access_token, account.verified_token]) {
      expect((await createBrowser(app).get('/auth/session', bearer(token))).status).toBe(401);
    }
    expect((await refreshWith(app, account.browser.jar.get('service_rt')!)).status).toBe(401);
    expect(await revocationsOf(app, account.session_id)).toHaveLength(1);
    const unknown = await post('/auth/login', { email: newEmail('nobody'), password: PASSWORD });
    const refused = await post('/auth/login', { email, password: PASSWORD });
    expect([refused.status, refused.text]).toEqual([401, unknown.text]);
    expect((await post('/auth/email-otp/verify', { email, code: account.code })).status).toBe(401);
    expect((await passkeyAnswer(email, account.device)).status).toBe(401);
    expect((await challenge(app, account.mfa_token, { code: account.app.code() })).status).toBe(401);
    expect((await post('/auth/password/reset', { token: account.reset_token, new_password: PASSWORD })).status).toBe(
      404,
    );
    expect((await app.server.inject({ url: account.avatar_path })).statusCode).toBe(404);
    await app.mailbox.take(email);
    for (const path of ['/auth/password/forgot', '/auth/email-otp/request']) await post(path, { email });
    expect(await app.mailbox.take(email)).toEqual([]);
  });

  it('the email is free at once; a new account inherits nothing, and old credentials do not work', async () => {
    const old = await createFullAccount();
    const { email } = old;
    await remove(old.user_id);
    const fresh = await registerUser(app, { email, password: 'another password, another person' });
    expect(fresh.user_id).not.toBe(old.user_id);
    expect(fresh.organization_id).not.toBe(old.organization_id);
    const { json } = await fresh.browser.get('/users/me');
    expect(json).toMatchObject({
      email,
      email_verified: false,
      display_name: null,
      avatar_url: null,
      mfa_enabled: false,
      platform_role: null,
    });
    expect(json.memberships.map(({ organization_id }: { organization_id: string }) => organization_id)).toEqual([
      fresh.organization_id,
    ]);
    for (const path of ['/users/me/passkeys', '/users/me/identities', '/auth/trusted-browsers']) {
      expect((await fresh.browser.get(path)).json.items, path).toEqual([]);
    }
    for (const organization_id of [old.organization_id, old.second]) {
      expect((await fresh.browser.post('/auth/organization', { organization_id })).status).toBe(403);
    }
    expect((await createBrowser(app).get('/auth/session', bearer(old.access_token))).status).toBe(401);
    expect((await refreshWith(app, old.browser.jar.get('service_rt')!)).status).toBe(401);
    expect((await post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
    expect((await post('/auth/email-otp/verify', { email, code: old.code })).status).toBe(401);
    expect((await passkeyAnswer(email, old.device)).status).toBe(401);
    expect((await challenge(app, old.mfa_token, { recovery_code: old.recovery_codes[0] })).status).toBe(401);
    expect((await post('/auth/password/reset', { token: old.reset_token, new_password: PASSWORD })).status).toBe(404);
    await enrol(app, fresh);
    const trusted = await post('/auth/login', { email, password: fresh.password }, { cookie: old.trust });
    expect(trusted.json.status).toBe('mfa_required');
    expect(await liveSessions(app, old.user_id)).toEqual([]);
  });

  it('an identity of the deleted account registers a new one, or can be linked', async () => {
    const old = await createFullAccount();
    await remove(old.user_id);
    parties.fakes.oauth_a.person = { ...parties.fakes.oauth_a.person, ...old.identity };
    const answer = await signInWith(app, parties.fakes.oauth_a);
    expect(answer.status).toBe(200);
    expect(answer.json.user.user_id).not.toBe(old.user_id);
    await remove(answer.json.user.user_id);
    const other = await registerUser(app);
    expect((await linkWith(other.browser, parties.fakes.oauth_a)).status).toBe(200);
    expect((await other.browser.get('/users/me/identities')).json.items).toHaveLength(1);
  });

  it('a linking that began before the deletion adds nothing to a deleted user', async () => {
    const account = await registerUser(app);
    newUser(parties.fakes.oauth_a);
    const url = await beginLink(account.browser, 'oauth_a');
    await remove(account.user_id);
    expect((await comeBack(account.browser, parties.fakes.oauth_a, url)).status).toBe(401);
    expect(await identitiesOf(app, account.user_id)).toEqual([]);
  });

  it('deleting a deleted user again: 204, and nothing is written', async () => {
    const account = await registerUser(app);
    await remove(account.user_id);
    const before = await findUser(app, account.user_id);
    app.clock.advance(10);
    expect((await remove(account.user_id.toUpperCase())).status).toBe(204);
    expect(await findUser(app, account.user_id)).toEqual(before);
    expect(await auditOf(app, { resource_id: account.user_id, action: 'user.deleted' })).toHaveLength(1);
  });

  it('a disabled user and the last owner of an organization can be deleted', async () => {
    const account = await registerUser(app);
    await setUser(app, account.user_id, { status: 'disabled' });
    expect((await remove(account.user_id)).status).toBe(204);
    expect((await admin.get(`/admin/users?organization_id=${account.organization_id}`)).json.total).toBe(0);
  });

  it('403 for a higher rank; an equal rank and oneself are allowed; 409 for the last active platform owner', async () => {
    const [owner, peer] = [await insertAdministrator(app, 'owner'), await insertAdministrator(app)];
    const higher = await remove(owner.user_id);
    expect([higher.status, higher.json.error.code]).toEqual([403, 'forbidden']);
    expect((await remove(peer.user_id)).status).toBe(204);
    const last = await remove(owner.user_id, owner);
    expect([last.status, last.json.error.code]).toEqual([409, 'conflict']);
    const second = await insertAdministrator(app, 'owner');
    expect((await remove(owner.user_id, owner)).status).toBe(204);
    expect((await owner.get('/auth/session')).status).toBe(401);
    expect((await findUser(app, owner.user_id)).platform_role).toBeNull();
    expect((await remove(second.user_id, second)).status).toBe(409);
  });

  it('404 for an unknown id; 401 without a session, 403 for a viewer and without CSRF', async () => {
    for (const id of [uuid(), 'x']) expect((await remove(id)).status).toBe(404);
    const account = await registerUser(app);
    const path = `/admin/users/${account.user_id}`;
    expect((await createBrowser(app).delete(path)).status).toBe(401);
    expect((await remove(account.user_id, await insertAdministrator(app, 'viewer'))).status).toBe(403);
    expect((await account.browser.delete(path, { csrf: false })).json.error.code).toBe('csrf_failed');
    expect((await findUser(app, account.user_id)).status).toBe('active');
  });
});
