import { LIMITS } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { insertAdministrator } from './administrator.ts';
import { createBrowser } from './browser.ts';
import { useTestApp } from './harness.ts';
import { founder } from './team.ts';

const app = useTestApp({ environment: { CONFIG_ENCRYPTION_KEY: `${'x'.repeat(42)}A` } });
const anonymous = () => createBrowser(app);
const LONG = 'x'.repeat(2_000);

describe('the letter of the specification', () => {
  it.each([
    ['/auth/password/reset', { token: LONG, new_password: 'a long new password' }, 401],
    ['/auth/invitations/accept', { token: LONG }, 404],
    ['/auth/email/verify', { token: LONG }, 401],
    ['/auth/mfa/challenge', { mfa_token: LONG.repeat(5), code: '123456' }, 401],
    ['/auth/login', { email: 'ada@example.com', password: LONG }, 401],
  ])('POST %s answers a long value like any wrong one', async (path, body, status) => {
    expect((await anonymous().post(path, body)).status).toBe(status);
  });

  it('GET /auth/invitations/preview answers a long token like an unknown one', async () => {
    expect((await anonymous().get(`/auth/invitations/preview?token=${LONG}`)).status).toBe(404);
  });

  it('a password that begins with the right one and is longer than 256 characters is wrong', async () => {
    const password = 'p'.repeat(LIMITS.password.max);
    const { user } = await registered(password);
    const login = (given: string) => anonymous().post('/auth/login', { email: user.email, password: given });
    expect((await login(password)).status).toBe(200);
    expect((await login(`${password}p`)).status).toBe(401);
  });

  it('null for an optional field means absent', async () => {
    const { user, password } = await registered('a long enough password');
    const login = await anonymous().post('/auth/login', { email: user.email, password, organization_id: null });
    expect(login.status).toBe(200);
    const owner = await founder(app);
    expect((await owner.browser.patch('/users/me', { display_name: 'Ada' })).status).toBe(200);
  });

  it('an empty code at the MFA challenge is absent: 400 without an attempt', async () => {
    const response = await anonymous().post('/auth/mfa/challenge', { mfa_token: 'x', code: '', recovery_code: '' });
    expect([response.status, response.json.error.message]).toEqual([400, expect.stringContaining('code: is required')]);
  });

  it.each([
    ['oauth_a', { enabled: true, public_config: { client_id: 'id' }, secret: 'with spaces inside' }, 200],
    ['oauth_a', { enabled: true, public_config: { client_id: 'id' }, secret: ' space at its start' }, 400],
    ['oauth_a', { enabled: false, public_config: { client_id: '' } }, 200],
    ['oauth_a', { enabled: true, public_config: { client_id: '' } }, 400],
    ['email_transport', { enabled: false, public_config: { from: 'id@mailhost' } }, 200],
  ])('PUT /admin/integrations/%s %j is %i', async (provider, body, status) => {
    const admin = await insertAdministrator(app, 'owner', app.clock.now());
    expect((await admin.put(`/admin/integrations/${provider}`, body)).status).toBe(status);
  });

  it('a page beyond the last is empty, up to any positive integer', async () => {
    const admin = await insertAdministrator(app, 'owner', app.clock.now());
    const owner = await founder(app);
    for (const page of ['2', '10001', '99999999999', '9'.repeat(60)]) {
      const lists = [
        await admin.get(`/audit-logs?page=${page}00`),
        await admin.get(`/admin/users?page=${page}00`),
        await admin.get(`/admin/orgs?page=${page}00`),
        await owner.browser.get(`/orgs/${owner.organization_id}/members?page=${page}`),
        await owner.browser.get(`/orgs/${owner.organization_id}/invitations?page=${page}`),
      ];
      for (const { status, json } of lists) {
        expect([status, json.items]).toEqual([200, []]);
        expect(json.page).toEqual(expect.any(Number));
      }
      expect(lists[0]!.json.total).toBeGreaterThan(0);
    }
  });

  it.each([
    ['from=2016-12-31T23:59:60Z', 200],
    ['to=2017-01-01T00:59:60%2B01:00', 200],
    ['from=2016-12-31T23:58:60Z', 400],
  ])('GET /audit-logs?%s is %i', async (query, status) => {
    const admin = await insertAdministrator(app, 'viewer');
    expect((await admin.get(`/audit-logs?${query}`)).status).toBe(status);
  });
});

async function registered(password: string) {
  const email = `user-${Math.random().toString(36).slice(2)}@example.com`;
  const body = { email, password, organization_name: `Org ${email}` };
  const { status } = await anonymous().post('/auth/register', body);
  expect(status).toBe(201);
  return { user: { email }, password };
}
