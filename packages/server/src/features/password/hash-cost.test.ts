import { hash } from '@node-rs/argon2';
import { describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { atOnce, createBrowser, newEmail, PASSWORD, registerUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, findUser, setUser } from '../../../test/records.ts';

const app = useTestApp({ realHashes: true });

const ARGON2ID_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const NEW = 'another correct horse';
const hashOf = async (user_id: string) => (await findUser(app, user_id)).password_hash;
const login = (email: string) => createBrowser(app).post('/auth/login', { email, password: PASSWORD });

/** Other tests use cheaper hashes. These tests use the parameters of production. */
describe('argon2id, m=19456 KiB, t=2, p=1', () => {
  it('argon2id with the required parameters is used at registration', async () => {
    expect(await hashOf((await registerUser(app)).user_id)).toMatch(ARGON2ID_HASH);
  });

  it('argon2id with the required parameters is used for an owner whom an admin creates', async () => {
    const admin = await insertAdministrator(app);
    const owner = { organization_name: 'Example', owner_email: newEmail(), owner_password: PASSWORD };
    const { owner_user_id } = (await admin.post('/admin/orgs', owner)).json;
    expect(await hashOf(owner_user_id)).toMatch(ARGON2ID_HASH);
  });

  it('argon2id with the required parameters is used for an invited user', async () => {
    const { browser, organization_id } = await registerUser(app);
    const email = newEmail();
    await browser.post(`/orgs/${organization_id}/invitations`, { email, role: 'member' });
    const token = await app.mailbox.takeToken(email, 'accept-invitation');
    const accepted = await createBrowser(app).post('/auth/invitations/accept', { token, password: PASSWORD });
    expect(await hashOf(accepted.json.user.user_id)).toMatch(ARGON2ID_HASH);
  });

  it('argon2id with the required parameters is used after a password change', async () => {
    const { browser, user_id } = await registerUser(app);
    const before = await hashOf(user_id);
    await browser.post('/users/me/password', { current_password: PASSWORD, new_password: NEW });
    expect(await hashOf(user_id)).not.toBe(before);
    expect(await hashOf(user_id)).toMatch(ARGON2ID_HASH);
  });

  it('argon2id with the required parameters is used after a reset', async () => {
    const { email, user_id } = await registerUser(app);
    const before = await hashOf(user_id);
    await createBrowser(app).post('/auth/password/forgot', { email });
    const token = await app.mailbox.takeToken(email, 'reset-password');
    await createBrowser(app).post('/auth/password/reset', { token, new_password: NEW });
    expect(await hashOf(user_id)).not.toBe(before);
    expect(await hashOf(user_id)).toMatch(ARGON2ID_HASH);
  });

  it('argon2id with the required parameters is computed once for a wrong password', () => {
    expect(app.deps.passwords.costs()).toEqual(['argon2id 19456 2 1']);
  });
});

describe('a weaker hash', () => {
  it('a weaker hash is replaced at the next successful sign-in', async () => {
    const account = await registerUser(app);
    await setUser(app, account.user_id, { password_hash: await hash(PASSWORD, { memoryCost: 4096, timeCost: 1 }) });
    expect((await login(account.email)).status).toBe(200);
    expect(await hashOf(account.user_id)).toMatch(ARGON2ID_HASH);
    expect((await login(account.email)).status).toBe(200);
  });

  it('several concurrent sign-ins that all replace a weaker hash succeed', async () => {
    const account = await registerUser(app);
    await setUser(app, account.user_id, { password_hash: await hash(PASSWORD, { memoryCost: 4096, timeCost: 1 }) });
    expect(tally(await atOnce(4, () => login(account.email)))).toEqual({ 200: 4 });
    const logins = await auditOf(app, { resource_id: account.user_id, action: 'auth.login' });
    expect(logins.map(({ outcome }) => outcome)).not.toContain('failure');
  });
});
