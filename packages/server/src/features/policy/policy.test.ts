import { domainToUnicode } from 'node:url';
import { createVerifier } from '@gatehouse/verify';
import { decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { ACCESS_TABLE } from '../../../test/access-table.ts';
import { insertAdministrator } from '../../../test/administrator.ts';
import { beginSigningIn, withPasskey } from '../../../test/authenticator.ts';
import { bearer, claimsOf, createBrowser, registerUser, signInAgain, type TestUser } from '../../../test/browser.ts';
import { insertSession, useTestApp } from '../../../test/harness.ts';
import { auditOf, findSession, join, recorded, setAuthTime, setUser, trustBrowser } from '../../../test/records.ts';
import { createAuthenticatorApp, type Enrolled, enrol, enrolNew } from '../../../test/second-factor.ts';
import { insertDomain } from '../../../test/sso-fixture.ts';
import { colleague, teammate } from '../../../test/team.ts';
import { DEFAULT_POLICY } from '../../domain/policy/policy.ts';
import { from, givePolicy, putPolicy } from './policy-fixture.ts';

const app = useTestApp({ environment: { TRUST_PROXY: '127.0.0.1', LIMIT_ORGANIZATION_SWITCHES: '1000/1m' } });
const HERE = '192.0.2.10';
const ELSEWHERE = '198.51.100.7';

const policyOf = (user: TestUser) => user.browser.get(`/orgs/${user.organization_id}/policy`);
const refresh = ({ browser }: Pick<TestUser, 'browser'>, address = HERE) =>
  browser.post('/auth/refresh', undefined, { headers: from(address) });
const restrictionOf = async ({ browser }: Pick<TestUser, 'browser'>) => {
  const { user, capabilities } = (await browser.get('/auth/session')).json;
  return [user.extensions.restricted, capabilities.permissions];
};

describe('PUT /orgs/:org_id/policy', () => {
  let owner: Enrolled;
  beforeAll(async () => {
    owner = await enrolNew(app);
  });

  it('returns the defaults until a policy is set, also to members', async () => {
    expect((await policyOf(owner)).json).toEqual(DEFAULT_POLICY);
    expect((await policyOf(await colleague(app, owner))).json).toEqual(DEFAULT_POLICY);
  });

  it('replaces the policy, audits the old and the new one, and marks older tokens as stale', async () => {
    const changed = {
      require_mfa: true,
      allowed_methods: ['passkey', 'password'],
      session_max_age_seconds: 43_200,
      allowed_networks: ['192.0.2.0/24', '127.0.0.1', '2001:db8::/32'],
      sso_required: false,
    };
    const answer = await putPolicy(owner, { ...changed, allowed_methods: ['passkey', 'password', 'passkey'] });
    expect([answer.status, answer.json]).toEqual([200, changed]);
    expect((await policyOf(owner)).json).toEqual(changed);
    const [row] = await auditOf(app, { action: 'policy.updated', resource_id: owner.organization_id });
    expect(row).toMatchObject({ actor_id: owner.user_id, metadata: { old: DEFAULT_POLICY, new: changed } });
    const feed = await createBrowser(app).get('/.well-known/service-revocations.json');
    expect(feed.json.refreshes).toHaveLength(1);
    // A field that is left out gets its default.
    expect((await putPolicy(owner, {})).json).toEqual(DEFAULT_POLICY);
    expect((await putPolicy(owner, {})).json).toEqual(DEFAULT_POLICY);
    expect(await auditOf(app, { action: 'policy.updated', resource_id: owner.organization_id })).toHaveLength(2);
  });

  it.each([
    ['allowed_methods', []],
    ['allowed_methods', ['totp']],
    ['allowed_methods', 'password'],
    ['session_max_age_seconds', 899],
    ['session_max_age_seconds', 7_776_001],
    ['session_max_age_seconds', 900.5],
    ['allowed_networks', ['192.0.2.0/33']],
    ['allowed_networks', ['192.0.2']],
    ['allowed_networks', ['2001:db8::/129']],
    ['allowed_networks', ['fe80::1%eth0']],
    ['allowed_networks', ['192.0.2.1/']],
    ['allowed_networks', Array.from({ length: 65 }, (_, index) => `192.0.2.${index}`)],
    ['require_mfa', 'yes'],
    ['sso_required', 1],
  ])('400 that names the field: %s %j', async (field, value) => {
    const answer = await putPolicy(owner, { [field]: value });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_input']);
    expect(answer.json.error.message).toContain(field);
    expect((await policyOf(owner)).json).toEqual(DEFAULT_POLICY);
  });

  it('409 for sso_required while there is no active connection', async () => {
    expect((await putPolicy(owner, { sso_required: true })).status).toBe(409);
  });

  it.each([
    ['require_mfa', { require_mfa: true }, registerUser],
    ['allowed_methods', { allowed_methods: ['passkey', 'sso'] }, registerUser],
    ['session_max_age_seconds', { session_max_age_seconds: 900 }, enrolNew],
    ['allowed_networks', { allowed_networks: [ELSEWHERE] }, registerUser],
  ])('400 that names %s if the session of the acting owner does not meet it', async (rule, policy, create) => {
    const user = await create(app);
    if (create === enrolNew) await setAuthTime(app, user.session_id, new Date(app.clock.now().getTime() - 900_000));
    const answer = await putPolicy(user, policy, from(HERE));
    expect([answer.status, answer.json.error?.message.split(' ')[0]]).toEqual([400, `${rule}:`]);
  });

  it('401 mfa_required without fresh authentication', async () => {
    const user = await registerUser(app);
    app.clock.advance(16 * 60);
    await refresh(user);
    const answer = await putPolicy(user, {});
    expect([answer.status, answer.json.error.code]).toEqual([401, 'mfa_required']);
  });

  it('the preview counts the members that each rule would affect', async () => {
    const user = await enrolNew(app);
    await colleague(app, user);
    const preview = (body: object) => user.browser.post(`/orgs/${user.organization_id}/policy/preview`, body);
    const others = { sso_required: 0, session_max_age_seconds: 0, allowed_networks: 0 };
    const none = { require_mfa: 0, allowed_methods: 0, ...others };
    expect((await preview({})).json).toEqual({ members: 2, ...none });
    app.clock.advance(901);
    await refresh(user);
    const all = { require_mfa: true, allowed_methods: ['passkey'], session_max_age_seconds: 900 };
    expect((await preview({ ...all, allowed_networks: ['192.0.2.1', '2001:db8::/32'] })).json).toEqual({
      members: 2,
      require_mfa: 1,
      sso_required: 0,
      allowed_methods: 2,
      session_max_age_seconds: 2,
      allowed_networks: 2,
    });
    expect((await preview({ allowed_methods: ['password'], allowed_networks: ['127.0.0.0/8'] })).json).toMatchObject({
      allowed_methods: 0,
      allowed_networks: 1,
    });
    // One of the two members has an address in the domain, in its Unicode form.
    const domain = await insertDomain(app, user, 'xn--bcher-kva.example');
    await setUser(app, user.user_id, { email: `ada@${domainToUnicode(domain)}` });
    expect((await preview({ sso_required: true })).json).toEqual({ members: 2, ...none, sso_required: 1 });
    expect((await preview({})).json).toEqual({ members: 2, ...none });
  });
});

describe('policy: unusual forms of networks', () => {
  let owner: TestUser;
  beforeAll(async () => {
    owner = await registerUser(app);
  });

  it.each([
    ['2001:db8::/032', 200],
    ['2001:db8::00001', 400],
    ['2001:0DB8:0:0::1/64', 200],
    ['::ffff:192.0.2.1', 200],
    ['::ffff:192.0.2.0/120', 200],
    ['::ffff:c000:0201/128', 200],
    ['::192.0.2.1', 200],
    ['192.0.2.1/024', 200],
    ['192.0.2.77/24', 200],
    ['0.0.0.0/0', 200],
    ['::/0', 200],
    ['192.0.2.010', 400],
    ['0x7f.1', 400],
    ['::ffff:192.0.2.0/95', 400],
    ['2001:db8::1%1', 400],
    ['1::2::3', 400],
    [' 192.0.2.1', 400],
    ['192.0.2.1/-1', 400],
  ])('the preview of rules with the network %s returns %i', async (network, status) => {
    const answer = await owner.browser.post(`/orgs/${owner.organization_id}/policy/preview`, {
      allowed_networks: [network],
    });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('allowed_networks')]);
  });
});

describe('existing sessions after a change of the policy', () => {
  it('a sign-in method that is no longer allowed: requests succeed until the refresh, which is 401 and ends the session', async () => {
    const user = await registerUser(app);
    await givePolicy(app, user.organization_id, { allowed_methods: ['passkey'] });
    expect((await user.browser.get('/users/me')).status).toBe(200);
    expect((await refresh(user)).status).toBe(401);
    expect((await findSession(app, user.session_id)).revoked_at).not.toBeNull();
    expect((await auditOf(app, { resource_id: user.session_id })).at(-1)).toMatchObject({
      action: 'auth.session.revoked',
      actor_id: user.user_id,
      metadata: { reason: 'policy' },
    });
  });

  it('a session older than the maximum age: the refresh is 401; access tokens expire no later than the maximum age', async () => {
    const user = await registerUser(app);
    await givePolicy(app, user.organization_id, { session_max_age_seconds: 900 });
    app.clock.advance(600);
    expect((await refresh(user)).json.expires_in).toBe(300);
    app.clock.advance(300);
    expect((await refresh(user)).status).toBe(401);
    const late = await registerUser(app);
    app.clock.advance(1000);
    await givePolicy(app, late.organization_id, { session_max_age_seconds: 900 });
    expect((await refresh(late)).status).toBe(401);
    expect((await findSession(app, late.session_id)).revoked_at).not.toBeNull();
  });

  it('from a network that is not allowed: 403 for requests and the refresh, but not for GET /auth/session, logout and a switch to another organization', async () => {
    const owner = await registerUser(app);
    const { status } = await putPolicy(owner, { allowed_networks: ['192.0.2.0/24'] }, from(HERE));
    expect(status).toBe(200);
    const other = await join(app, owner.user_id);
    const ask = async (method: string, path: string, address: string, body?: object) =>
      (await owner.browser.send(method, path, { headers: from(address), ...(body && { body }) })).status;
    expect(await ask('GET', '/users/me', HERE)).toBe(200);
    expect(await ask('GET', '/users/me', `::ffff:${HERE}`)).toBe(200);
    expect(await ask('GET', '/users/me', ELSEWHERE)).toBe(403);
    expect(await ask('GET', '/auth/mfa/status', ELSEWHERE)).toBe(403);
    expect(await ask('GET', '/auth/session', ELSEWHERE)).toBe(200);
    expect((await refresh(owner, ELSEWHERE)).status).toBe(403);
    expect((await refresh(owner)).status).toBe(200);
    const { organization_id } = owner;
    expect(await ask('POST', '/auth/organization', ELSEWHERE, { organization_id })).toBe(403);
    expect(await ask('POST', '/auth/organization', ELSEWHERE, { organization_id: other })).toBe(200);
    expect(await ask('GET', '/users/me', ELSEWHERE)).toBe(200);
    expect(await ask('POST', '/auth/organization', ELSEWHERE, { organization_id })).toBe(403);
    expect(await ask('POST', '/auth/organization', HERE, { organization_id })).toBe(200);
    expect(await ask('POST', '/auth/logout', ELSEWHERE)).toBe(204);
  });

  it('a switch checks the method and the time of the original sign-in: 403 if the policy does not allow them, and the session stays in its organization', async () => {
    const user = await registerUser(app);
    const other = await join(app, user.user_id);
    const change = () => user.browser.post('/auth/organization', { organization_id: other });
    await givePolicy(app, other, { allowed_methods: ['passkey'] });
    expect((await change()).status).toBe(403);
    await givePolicy(app, other, { session_max_age_seconds: 900 });
    app.clock.advance(901);
    await refresh(user);
    expect((await change()).status).toBe(403);
    expect((await user.browser.get('/auth/session')).json.user.organization_id).toBe(user.organization_id);
    await givePolicy(app, other, { require_mfa: true });
    expect((await change()).json.user.extensions).toEqual({ restricted: 'mfa_enrollment' });
  });

  it('a session of a trusted browser is not restricted while the browser is trusted, also after a switch', async () => {
    const user = await enrolNew(app);
    const trust = await trustBrowser(app, user.user_id);
    await givePolicy(app, user.organization_id, { require_mfa: true });
    const browser = createBrowser(app, new Map([trust.split('=') as [string, string]]));
    const { email, password } = user;
    expect((await browser.post('/auth/login', { email, password })).json.user.extensions).toEqual({});
    expect((await refresh({ browser })).status).toBe(200);
    expect((await restrictionOf({ browser }))[0]).toBeUndefined();
    const other = await join(app, user.user_id);
    await givePolicy(app, other, { require_mfa: true });
    const switched = await browser.post('/auth/organization', { organization_id: other });
    expect(switched.json.user.extensions).toEqual({});
    const [{ id }] = (await browser.get('/auth/trusted-browsers')).json.items;
    await browser.delete(`/auth/trusted-browsers/${id}`);
    await refresh({ browser });
    expect(await restrictionOf({ browser })).toEqual(['mfa_verification', []]);
    app.clock.advance(60);
    expect((await browser.post('/auth/mfa/verify', { code: user.app.code() })).status).toBe(200);
    expect((await restrictionOf({ browser }))[0]).toBeUndefined();
  });

  it('without a policy a refresh sends one SQL statement', async () => {
    const user = await registerUser(app);
    const { statements } = await recorded(app, () => refresh(user));
    expect(statements).toHaveLength(1);
  });
});

describe('a restricted session', () => {
  /** A member without a second factor, signed in to an organization that requires one. */
  async function restricted(): Promise<TestUser> {
    const user = await registerUser(app);
    await givePolicy(app, user.organization_id, { require_mfa: true });
    const browser = await signInAgain(app, user);
    return { ...user, browser, access_token: browser.jar.get('service_at')! };
  }

  it('has no permissions, and extensions.restricted names the reason', async () => {
    expect(await restrictionOf(await restricted())).toEqual(['mfa_enrollment', []]);
  });

  it('is accepted only at the endpoints that are needed for a second factor', async () => {
    const user = await restricted();
    const reached = new Set<string>();
    // Endpoints for applications reject the token of every session.
    const rows = ACCESS_TABLE.filter(({ cells, path }) => cells[0] === '401' && !path.startsWith('/oauth/'));
    for (const row of rows) {
      const path = row.path
        .replace(':org_id', user.organization_id)
        .replaceAll(/:\w+(=\w+(-\w+)?)?/g, 'c7a1f1de-7a5b-7000-8000-000000000000');
      const method = row.method as 'GET';
      const isBase = row.path.startsWith('/healthz');
      const answer = await app.server.inject({
        method,
        url: isBase ? path : `/v1${path}`,
        headers: { authorization: `Bearer ${user.access_token}`, 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: row.body?.replaceAll('@home', user.organization_id) ?? '{}' }),
      });
      if (answer.statusCode !== 403) reached.add(row.route);
    }
    expect([...reached].sort()).toEqual(
      [
        'GET /auth/mfa/status',
        'GET /auth/session',
        'GET /users/me',
        'POST /auth/mfa/disable',
        'POST /auth/mfa/enable',
        'POST /auth/mfa/recovery-codes',
        'POST /auth/mfa/setup',
        'POST /auth/mfa/verify',
        'POST /auth/organization',
        'POST /auth/refresh',
        'POST /users/me/passkeys/register/begin',
        'POST /users/me/passkeys/register/complete',
      ].sort(),
    );
  });

  it('has a token for this service alone, signed by a key that is not published; verifiers reject it', async () => {
    const { access_token } = await restricted();
    const { kid, alg } = decodeProtectedHeader(access_token);
    const { keys } = (await createBrowser(app).get('/.well-known/jwks.json')).json;
    expect([alg, keys.map((key: { kid: string }) => key.kid).includes(kid)]).toEqual(['RS256', false]);
    const claims = claimsOf(access_token);
    expect([claims.aud, claims.perms]).toEqual([claims.iss, undefined]);
    const url = await app.server.listen({ port: 0, host: '127.0.0.1' });
    const served: typeof fetch = (input, init) => fetch(String(input).replace('http://localhost:8080', url), init);
    const verifier = createVerifier({ issuer: 'http://localhost:8080', fetch: served });
    await expect(verifier.verify(access_token)).rejects.toThrow();
    verifier.close();
  });

  it('is no longer restricted after mfa/enable: the same session gets a token signed by the published key', async () => {
    const user = await restricted();
    const before = (await user.browser.get('/auth/session')).json.user.session_family_id;
    await enrol(app, user);
    const { user: now, capabilities } = (await user.browser.get('/auth/session')).json;
    expect([now.session_family_id, now.extensions, now.aal]).toEqual([before, {}, 'aal2']);
    expect(capabilities.permissions).toContain('policy.manage');
    expect(claimsOf(user.browser.jar.get('service_at')!).aud).toBeUndefined();
    expect((await refresh(user)).status).toBe(200);
    expect((await user.browser.get('/auth/sessions')).status).toBe(200);
  });

  it('stays restricted after a refresh; the reason becomes mfa_verification when another session sets up the factor', async () => {
    const user = await restricted();
    const other = { ...user, browser: await signInAgain(app, user) };
    await refresh(user);
    expect((await restrictionOf(user))[0]).toBe('mfa_enrollment');
    const { secret } = (await other.browser.post('/auth/mfa/setup')).json;
    const authenticator = createAuthenticatorApp(app, secret);
    await other.browser.post('/auth/mfa/enable', { code: authenticator.code(-1) });
    expect((await restrictionOf(user))[0]).toBe('mfa_verification');
    expect((await user.browser.get('/auth/sessions')).status).toBe(403);
    expect((await user.browser.post('/auth/mfa/verify', { code: authenticator.code() })).status).toBe(200);
    expect((await user.browser.get('/auth/sessions')).status).toBe(200);
  });

  it('is no longer restricted after the next refresh or switch if the policy was removed', async () => {
    const [first, second] = [await restricted(), await restricted()];
    await givePolicy(app, first.organization_id, {});
    await givePolicy(app, second.organization_id, {});
    expect((await refresh(first)).status).toBe(200);
    expect((await first.browser.get('/auth/sessions')).status).toBe(200);
    const { organization_id } = second;
    expect((await second.browser.post('/auth/organization', { organization_id })).json.user.extensions).toEqual({});
    expect((await second.browser.get('/auth/sessions')).status).toBe(200);
  });

  it('a token with an audience is rejected unless the key for restricted sessions signed it', async () => {
    const { access_token } = await registerUser(app);
    const forged = { ...claimsOf(access_token), aud: 'http://localhost:8080' };
    const { access_token: token } = await app.deps.accessTokens.issue(forged, {
      now: app.clock.now(),
      session_ends: new Date(app.clock.now().getTime() + 60_000),
    });
    expect((await createBrowser(app).get('/auth/session', bearer(token))).status).toBe(401);
  });
});

describe('policy: a second factor that is removed', () => {
  const disable = ({ browser, password }: Pick<TestUser, 'browser' | 'password'>) =>
    browser.post('/auth/mfa/disable', { password });
  const reset = async ({ user_id }: TestUser) =>
    (await insertAdministrator(app, 'admin', app.clock.now())).post(`/admin/users/${user_id}/mfa/reset`);

  it.each([
    ['by its user', disable, true],
    ['by an administrator', reset, true],
    ['by its user, without a policy', disable, false],
  ])(
    '%s: every session is aal1 at once, and restricted if the policy requires the factor',
    async (_, remove, require_mfa) => {
      const user = await registerUser(app);
      const other = { browser: await signInAgain(app, user) };
      const { app: authenticator } = await enrol(app, user);
      await other.browser.post('/auth/mfa/verify', { code: authenticator.code() });
      await givePolicy(app, user.organization_id, { require_mfa });
      for (const each of [user, other]) expect((await refresh(each)).status).toBe(200);
      expect((await remove(user)).status).toBe(204);
      for (const each of [user, other]) {
        for (const again of [false, true]) {
          if (again) await refresh(each);
          expect((await each.browser.get('/auth/session')).json.user).toMatchObject({
            aal: 'aal1',
            mfa_verified_at: null,
          });
          expect((await restrictionOf(each))[0]).toBe(require_mfa ? 'mfa_enrollment' : undefined);
        }
      }
    },
  );

  it('in a session that began with a passkey: that session stays aal2, other sessions are restricted', async () => {
    const user = await withPasskey(app);
    const browser = createBrowser(app);
    const credential = user.device.get(await beginSigningIn(app, user.email));
    await browser.post('/auth/passkey/login/complete', { credential });
    await enrol(app, user);
    await givePolicy(app, user.organization_id, { require_mfa: true });
    expect((await disable({ ...user, browser })).status).toBe(204);
    await refresh({ browser });
    expect((await browser.get('/auth/session')).json.user).toMatchObject({ aal: 'aal2', extensions: {} });
    expect((await restrictionOf(user))[0]).toBe('mfa_enrollment');
  });
});

describe('DELETE /admin/orgs/:id/policy', () => {
  it('resets the policy; audited and mailed to the owners once, even if repeated', async () => {
    const owner = await registerUser(app);
    await givePolicy(app, owner.organization_id, { allowed_networks: [ELSEWHERE] });
    const admin = await insertAdministrator(app, 'admin', app.clock.now());
    await app.mailbox.take(owner.email);
    const path = `/admin/orgs/${owner.organization_id}/policy`;
    expect((await admin.get(path)).json.allowed_networks).toEqual([ELSEWHERE]);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await admin.delete(path)).status).toBe(204);
    expect((await policyOf(owner)).json).toEqual(DEFAULT_POLICY);
    expect(await app.mailbox.take(owner.email)).toMatchObject([{ subject: 'The sign-in rules of Example were reset' }]);
    expect(await auditOf(app, { action: 'policy.reset', resource_id: owner.organization_id })).toHaveLength(1);
  });
});

describe('PLATFORM_REQUIRE_MFA', () => {
  const strict = useTestApp({ environment: { PLATFORM_REQUIRE_MFA: 'on' } });

  it('platform endpoints are 401 mfa_required below aal2; the role is checked first, and own data is not affected', async () => {
    const { get, user_id } = await insertAdministrator(strict, 'viewer');
    const answer = await get('/admin/orgs');
    expect([answer.status, answer.json.error.code]).toEqual([401, 'mfa_required']);
    expect(answer.headers['x-service-step-up']).toBe('enroll');
    expect((await get(`/users/${user_id}`)).status).toBe(200);
    expect((await (await insertAdministrator(strict, null)).get('/admin/orgs')).status).toBe(403);
    const verified = await insertSession(strict, { platform_role: 'viewer', aal: 'aal2' });
    expect((await createBrowser(strict).get('/admin/orgs', bearer(verified.access_token))).status).toBe(200);
  });
});

describe('policy: invitations', () => {
  async function invite(policy: Parameters<typeof givePolicy>[2], email: string): Promise<[TestUser, string]> {
    const owner = await registerUser(app);
    await givePolicy(app, owner.organization_id, policy);
    await owner.browser.post(`/orgs/${owner.organization_id}/invitations`, { email, role: 'member' });
    return [owner, await app.mailbox.takeToken(email, 'accept-invitation')];
  }
  const pending = async (owner: TestUser) =>
    (await owner.browser.get(`/orgs/${owner.organization_id}/invitations`)).json.items[0].status;

  it('403 for a new account if passwords are not allowed: no account, the invitation stays pending', async () => {
    const email = `invited-${process.pid}@example.com`;
    const [owner, token] = await invite({ allowed_methods: ['passkey'] }, email);
    const answer = await createBrowser(app).post('/auth/invitations/accept', { token, password: 'a long password' });
    expect(answer.status).toBe(403);
    expect(await pending(owner)).toBe('pending');
    const rows = await app.deps.db.selectFrom('users').select('id').where('email', '=', email).execute();
    expect(rows).toEqual([]);
    await givePolicy(app, owner.organization_id, { require_mfa: true });
    const joined = await createBrowser(app).post('/auth/invitations/accept', { token, password: 'a long password' });
    expect(joined.json.user.extensions).toEqual({ restricted: 'mfa_enrollment' });
  });

  it('403 for a session that began by a method that is not allowed', async () => {
    const guest = await registerUser(app);
    await app.mailbox.take(guest.email);
    const [owner, token] = await invite({ allowed_methods: ['oauth'] }, guest.email);
    expect((await guest.browser.post('/auth/invitations/accept', { token })).status).toBe(403);
    expect(await pending(owner)).toBe('pending');
    await givePolicy(app, owner.organization_id, { allowed_methods: ['password'] });
    expect((await guest.browser.post('/auth/invitations/accept', { token })).status).toBe(200);
  });
});

describe('policy: races', () => {
  it('concurrent PUT of require_mfa and mfa/disable of one owner: the policy is 400 if MFA is disabled first, else the owner is restricted', async () => {
    const owner = await enrolNew(app);
    const [changed, disabled] = await Promise.all([
      putPolicy(owner, { require_mfa: true }),
      owner.browser.post('/auth/mfa/disable', { password: owner.password }),
    ]);
    expect(disabled.status).toBe(204);
    expect([200, 400]).toContain(changed.status);
    await refresh(owner);
    expect((await restrictionOf(owner))[0]).toBe(changed.status === 200 ? 'mfa_enrollment' : undefined);
  });

  it('concurrent changes, refreshes and switches leave one policy and no 500', async () => {
    const owner = await enrolNew(app);
    const member = await teammate(app, app, owner);
    const answers = await Promise.all([
      putPolicy(owner, { session_max_age_seconds: 3600 }),
      putPolicy(owner, { session_max_age_seconds: 7200 }),
      refresh(member),
      refresh(owner),
      member.browser.post('/auth/organization', { organization_id: owner.organization_id }),
    ]);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    expect([3600, 7200]).toContain((await policyOf(owner)).json.session_max_age_seconds);
  });
});
