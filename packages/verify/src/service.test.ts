import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rotateSigningKey } from '../../server/src/domain/endings/ensure-key.ts';
import { assign, createRole, declare } from '../../server/src/features/roles/roles-fixture.ts';
import { claimsOf, registerUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import { enrol } from '../../server/test/second-factor.ts';
import { createVerifier, type Verifier } from './verifier.ts';

const app = useTestApp();
let verifier: Verifier;
beforeAll(async () => {
  // The verifier uses the test clock of the service.
  vi.useFakeTimers({ toFake: ['Date'], now: app.clock.now() });
  const address = await app.server.listen({ host: '127.0.0.1', port: 0 });
  verifier = createVerifier({ issuer: app.deps.config.PUBLIC_BASE_URL!, address });
  await verifier.ready();
});
afterAll(async () => {
  verifier.close();
  vi.useRealTimers();
});

const untilRefused = async (token: string, by = verifier): Promise<unknown> => {
  for (;;) {
    const error = await by.verify(token).then(
      () => undefined,
      (reason) => reason,
    );
    if (error) return error;
    await sleep(20);
  }
};

describe('against the service itself', () => {
  it('a token is accepted until its session ends; tokens of other sessions stay valid', async () => {
    const [account, other] = [await registerUser(app), await registerUser(app)];
    expect(await verifier.verify(account.access_token)).toMatchObject({
      user_id: account.user_id,
      organization_id: account.organization_id,
      session_id: account.session_id,
      email: account.email,
      aal: 'aal1',
      auth_method: 'password',
      auth_time: new Date(Math.floor(app.clock.now().getTime() / 1000) * 1000),
    });
    expect((await account.browser.post('/auth/logout')).status).toBe(204);
    expect(await untilRefused(account.access_token)).toMatchObject({ code: 'session_revoked', status: 401 });
    await verifier.verify(other.access_token);
  });

  it('a refresh token is not accepted as an access token', async () => {
    const { browser } = await registerUser(app);
    await expect(verifier.verify(browser.jar.get('service_rt')!)).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('permissions are looked up, and a step-up of a moment ago is accepted', async () => {
    const account = await registerUser(app);
    const { user, capabilities } = await verifier.lookUp(account.access_token);
    expect(user).toMatchObject({ email: account.email, session_family_id: account.session_id, mfa_verified_at: null });
    expect(capabilities).toMatchObject({ role: 'owner', platform_role: null });
    await verifier.requirePermission(account.access_token, 'members.invite');
    await expect(verifier.requirePermission(account.access_token, 'billing.pay')).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(verifier.requireStepUp(account.access_token, 300)).rejects.toMatchObject({ code: 'step_up_required' });
    const { verified_token } = await enrol(app, account);
    await verifier.requireStepUp(verified_token, 300);
    expect((await verifier.verify(verified_token)).aal).toBe('aal2');
  });

  it('permissions of the product are in the token, and a change of roles makes older tokens stale', async () => {
    const account = await registerUser(app);
    const { browser, organization_id, user_id, access_token } = account;
    await declare(app, 'invoices.read');
    const role = await createRole(account, { name: 'Reader', permissions: ['invoices.read'] });
    const setRoles = (role_ids: string[]) => assign(account, user_id, role_ids);
    const freshToken = async () => (await browser.post('/auth/organization', { organization_id })).json.access_token;
    const readers = verifier.require({ permission: 'invoices.read' });
    await expect(readers.verify(access_token)).rejects.toMatchObject({ code: 'forbidden' });

    expect((await setRoles([role.id])).status).toBe(200);
    expect(await untilRefused(access_token)).toMatchObject({ code: 'token_stale', status: 401 });
    const granted = await freshToken();
    expect(await readers.verify(granted)).toMatchObject({ role: 'owner', permissions: ['invoices.read'] });

    expect((await setRoles([])).status).toBe(200);
    expect(await untilRefused(granted)).toMatchObject({ code: 'token_stale' });
    await expect(readers.verify(await freshToken())).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('an API key has the roles of its account, follows their change, and is accepted until it ends', async () => {
    const account = await registerUser(app);
    const { browser, organization_id } = account;
    await declare(app, 'reports.read');
    const role = await createRole(account, { name: 'Reporter', permissions: ['reports.read'] });
    const accounts = `/orgs/${organization_id}/service-accounts`;
    const { id } = (await browser.post(accounts, { name: 'Nightly import', role_ids: [role.id] })).json;
    const { key, id: key_id } = (await browser.post(`${accounts}/${id}/keys`, { name: 'Production' })).json;
    const reporters = verifier.require({ permission: 'reports.read' });
    expect(await reporters.verify(key)).toMatchObject({
      user_id: id,
      organization_id,
      auth_method: 'api_key',
      aal: 'aal1',
      role: 'machine',
      permissions: ['reports.read'],
      scopes: ['members.list', 'org.read', 'reports.read'],
    });
    await verifier.require({ permission: 'members.list' }).verify(key);
    expect((await verifier.lookUp(key)).capabilities).toMatchObject({ role: 'machine', platform_role: null });

    expect((await browser.send('PATCH', `${accounts}/${id}`, { body: { role_ids: [] } })).status).toBe(200);
    expect(await untilRefused(key, reporters)).toMatchObject({ code: 'forbidden' });
    expect((await verifier.verify(key)).scopes).toEqual(['members.list', 'org.read']);

    expect((await browser.send('DELETE', `${accounts}/${id}/keys/${key_id}`)).status).toBe(204);
    expect(await untilRefused(key)).toMatchObject({ code: 'token_invalid', status: 401 });
  });

  it('tokens of the old and the new key are accepted after a rotation', async () => {
    const before = await registerUser(app);
    await verifier.verify(before.access_token);
    const { kid, signs_from } = await rotateSigningKey(app.deps);
    app.clock.set(new Date(signs_from.getTime() + 1_000));
    vi.setSystemTime(app.clock.now());
    const after = await registerUser(app);
    expect(JSON.parse(Buffer.from(after.access_token.split('.')[0]!, 'base64url').toString()).kid).toBe(kid);
    expect((await verifier.verify(after.access_token)).session_id).toBe(after.session_id);
    expect((await verifier.verify(before.access_token)).token_id).toBe(claimsOf(before.access_token).jti);
  });
});
