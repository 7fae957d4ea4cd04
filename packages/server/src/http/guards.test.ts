import { Nullable, Uuid } from '@gatehouse/contract';
import ipaddr from 'ipaddr.js';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { insertSession, useTestApp } from '../../test/harness.ts';
import { endMemberships, setSession, setUser, suspendOrganization } from '../../test/records.ts';
import { userSession } from '../domain/kernel/principal.ts';
import { trustedProxies } from './client-address.ts';
import { createCsrfToken } from './csrf.ts';
import { entitled, limited, permitted, platform, steppedUp } from './guards.ts';
import { type Feature, type Guard, route } from './route.ts';

const guarded = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  access: Guard[] = [],
  limit?: Guard,
) =>
  route({
    method,
    path,
    ...(limit && { limit }),
    admits: path.startsWith('/orgs/') ? ['session', 'sso'] : ['session'],
    access,
    summary: 'guarded',
    responses: { 200: Type.Object({ user_id: Uuid, ip: Nullable(Type.String()) }) },
    handler: ({ caller }) => ({ user_id: userSession(caller.principal)?.user_id, ip: caller.ip_address }),
  });

const probe: Feature = {
  name: 'Probe',
  routes: [
    ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => guarded(method, '/me')),
    guarded('GET', '/viewer', [platform('viewer')]),
    guarded('GET', '/admin', [platform('admin')]),
    guarded('GET', '/export', [entitled('AuditExport'), platform('admin')]),
    guarded('GET', '/step-up', [steppedUp]),
    guarded('GET', '/orgs/:org_id/members', [permitted('members.list')]),
    guarded('GET', '/orgs/:org_id/invite', [permitted('members.invite')]),
    guarded(
      'GET',
      '/limited',
      [],
      limited('probe', (config) => config.LIMIT_INTEGRATIONS),
    ),
  ],
};

const app = useTestApp({
  features: [probe],
  environment: { LIMIT_INTEGRATIONS: '3/1m', TRUST_PROXY: '127.0.0.1' },
});

const ask = (
  url: string,
  headers: Record<string, string>,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' = 'GET',
) => app.server.inject({ method, url: `/v1${url}`, headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const codeOf = (response: { json(): { error: { code: string } } }) => response.json().error.code;

describe('§5 signed in', () => {
  it('a session is accepted by Bearer token or by cookie', async () => {
    const { access_token, user_id } = await insertSession(app);
    expect((await ask('/me', bearer(access_token))).json().user_id).toBe(user_id);
    const cookie = `a=b; service_at=${access_token}`;
    expect((await ask('/me', { cookie })).json().user_id).toBe(user_id);
    expect((await ask('/me', { cookie, authorization: 'Basic cHJveHk6eA==' })).json().user_id).toBe(user_id);
  });

  it('returns 401 without a credential, for garbage, and for an invalid Bearer token next to a valid cookie', async () => {
    const { access_token } = await insertSession(app);
    const cookie = `service_at=${access_token}`;
    for (const headers of [
      {},
      bearer('x'),
      { authorization: `Basic ${access_token}` },
      { authorization: 'Bearer' },
      { cookie: 'service_at=' },
      { cookie: `service_rt=${access_token}` },
      { cookie: `${cookie}; ${cookie}` },
      { cookie, ...bearer('x') },
      { cookie, authorization: 'bearer' },
    ] as Record<string, string>[]) {
      const response = await ask('/me', headers);
      expect(response.statusCode, JSON.stringify(headers)).toBe(401);
      expect(codeOf(response)).toBe('authentication_required');
    }
  });

  it('returns 401 after the session, user, organization or membership has ended', async () => {
    const { bus } = app.deps;
    const ends: ((session: Awaited<ReturnType<typeof insertSession>>) => Promise<unknown>)[] = [
      async ({ session_id }) => {
        await setSession(app, session_id, { revoked_at: app.clock.now() });
        await bus.deliver([{ topic: 'session', key: session_id }]);
      },
      async ({ user_id }) => {
        await setUser(app, user_id, { status: 'disabled' });
        await bus.deliver([{ topic: 'user', key: user_id }]);
      },
      async ({ organization_id }) => {
        await suspendOrganization(app, organization_id);
        await bus.deliver([{ topic: 'organization', key: organization_id }]);
      },
      async ({ user_id }) => {
        await endMemberships(app, user_id);
        await bus.deliver([{ topic: 'user', key: user_id }]);
      },
    ];
    for (const end of ends) {
      const session = await insertSession(app);
      expect((await ask('/me', bearer(session.access_token))).statusCode).toBe(200);
      await end(session);
      expect((await ask('/me', bearer(session.access_token))).statusCode).toBe(401);
    }
  });

  it('the cached session state is used, without a query, until something changes', async () => {
    const { access_token, session_id } = await insertSession(app);
    await ask('/me', bearer(access_token));
    await setSession(app, session_id, { revoked_at: app.clock.now() });
    expect((await ask('/me', bearer(access_token))).statusCode).toBe(200);
    await app.deps.bus.deliver([{ topic: 'session', key: session_id }]);
    expect((await ask('/me', bearer(access_token))).statusCode).toBe(401);
  });

  it('a session state is not cached if a change event arrives while it is read', async () => {
    const { session_id } = await insertSession(app);
    const { sessions, bus } = app.deps;
    for (const event of ['session', 'user', 'organization'] as const) {
      const reading = sessions.find(session_id);
      expect(reading).toBeInstanceOf(Promise);
      await bus.deliver([{ topic: event, key: session_id }]);
      await reading;
      expect(sessions.find(session_id), event).toBeInstanceOf(Promise);
      await bus.deliver([{ topic: 'session', key: session_id }]);
    }
    await sessions.find(session_id);
    expect(sessions.find(session_id)).not.toBeInstanceOf(Promise);
    await setSession(app, session_id, { revoked_at: app.clock.now() });
    await bus.deliver([{ topic: 'session', key: session_id }]);
    expect(await sessions.find(session_id)).toBeUndefined();
  });

  it('rejects a token whose organization is not its session’s', async () => {
    const mine = await insertSession(app);
    const other = await insertSession(app);
    const { access_token } = await app.deps.accessTokens.issue(
      {
        sub: mine.user_id,
        org: other.organization_id,
        sid: mine.session_id,
        jti: mine.session_id,
        aal: 'aal1',
        auth_time: 0,
        auth_method: 'password',
      },
      { now: app.clock.now(), session_ends: new Date('2040-01-01T00:00:00Z') },
    );
    expect((await ask('/me', bearer(access_token))).statusCode).toBe(401);
  });
});

describe('§5.3 CSRF', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    '%s requires the CSRF header with a cookie, but not with a Bearer token',
    async (method) => {
      const { access_token, session_id } = await insertSession(app);
      const other = await insertSession(app);
      const csrf = createCsrfToken(app.deps.keyring, session_id);
      const foreign = createCsrfToken(app.deps.keyring, other.session_id);
      const cookies = (value: string) => ({ cookie: `service_at=${access_token}; service_csrf=${value}` });
      expect((await ask('/me', bearer(access_token), method)).statusCode).toBe(200);
      expect((await ask('/me', { ...cookies(csrf), 'x-service-csrf': csrf }, method)).statusCode).toBe(200);
      for (const headers of [
        cookies(csrf),
        { ...cookies(csrf), 'x-service-csrf': '' },
        { ...cookies(csrf), 'x-service-csrf': `${csrf}x` },
        { ...cookies(foreign), 'x-service-csrf': foreign },
        { ...cookies('a.b'), 'x-service-csrf': 'a.b' },
        { ...cookies('x'), 'x-service-csrf': 'x' },
        { cookie: `service_at=${access_token}`, 'x-service-csrf': csrf },
        { cookie: `service_at=${access_token}; service_csrf=${csrf}; service_csrf=${csrf}`, 'x-service-csrf': csrf },
      ] as Record<string, string>[]) {
        const response = await ask('/me', headers, method);
        expect(response.statusCode).toBe(403);
        expect(response.json().error).toMatchObject({ code: 'csrf_failed', type: 'authorization_error' });
      }
    },
  );
});

describe('request log', () => {
  const lineOf = async (answer: Promise<{ headers: Record<string, unknown> }>) => {
    const { headers } = await answer;
    return app.logs.find(({ msg, request_id }) => msg === 'request' && request_id === headers['x-request-id']);
  };

  it('logs user and client address of a rejected request, also without CSRF', async () => {
    const { access_token, user_id } = await insertSession(app);
    const refused = { error: 'csrf_failed', status: 403, user_id, ip_address: '127.0.0.1' };
    expect(await lineOf(ask('/me', { cookie: `service_at=${access_token}` }, 'POST'))).toMatchObject(refused);
    const outsider = await lineOf(ask('/me', {}));
    expect(outsider).toMatchObject({ error: 'authentication_required', ip_address: '127.0.0.1' });
    expect(outsider).not.toHaveProperty('user_id');
  });

  it('logs neither user nor client address of a successful request', async () => {
    const { access_token } = await insertSession(app);
    const line = await lineOf(ask('/me', bearer(access_token)));
    expect(line).toMatchObject({ status: 200 });
    for (const name of ['user_id', 'ip_address', 'error']) expect(line).not.toHaveProperty(name);
  });
});

describe('roles, entitlement, step-up', () => {
  it('returns 403 csrf_failed for a write from a page that shows another user, but not for reads and Bearer tokens', async () => {
    const { access_token, session_id, user_id } = await insertSession(app);
    const { user_id: other } = await insertSession(app);
    const csrf = createCsrfToken(app.deps.keyring, session_id);
    const cookies = { cookie: `service_at=${access_token}; service_csrf=${csrf}`, 'x-service-csrf': csrf };
    const refused = await ask('/me', { ...cookies, 'x-service-user': other }, 'POST');
    expect([refused.statusCode, codeOf(refused)]).toEqual([403, 'csrf_failed']);
    for (const headers of [
      { ...cookies, 'x-service-user': user_id },
      { ...bearer(access_token), 'x-service-user': other },
    ]) {
      expect((await ask('/me', headers, 'POST')).statusCode).toBe(200);
    }
    expect((await ask('/me', { ...cookies, 'x-service-user': other })).statusCode).toBe(200);
  });

  it('a platform role includes the permissions of lower roles', async () => {
    for (const [held, viewer, admin] of [
      [null, 403, 403],
      ['viewer', 200, 403],
      ['admin', 200, 200],
      ['owner', 200, 200],
    ] as const) {
      const { access_token } = await insertSession(app, { platform_role: held });
      expect((await ask('/viewer', bearer(access_token))).statusCode).toBe(viewer);
      expect((await ask('/admin', bearer(access_token))).statusCode).toBe(admin);
    }
  });

  it('checks 401 before 402, and 402 before 403', async () => {
    const { access_token } = await insertSession(app);
    const response = await ask('/export', bearer(access_token));
    expect(response.statusCode).toBe(402);
    expect(response.json().error).toMatchObject({ code: 'payment_required', type: 'payment_required' });
    expect((await ask('/export', {})).statusCode).toBe(401);
  });

  it('§5.7 step-up is valid for five minutes', async () => {
    const fresh = await insertSession(app, { mfa_verified_at: app.clock.now() });
    expect((await ask('/step-up', bearer(fresh.access_token))).statusCode).toBe(200);
    app.clock.advance(300);
    expect((await ask('/step-up', bearer(fresh.access_token))).statusCode).toBe(200);
    app.clock.advance(1);
    const late = await ask('/step-up', bearer(fresh.access_token));
    expect(late.statusCode).toBe(401);
    expect(codeOf(late)).toBe('mfa_required');
    const never = await insertSession(app, { aal: 'aal2' });
    expect(codeOf(await ask('/step-up', bearer(never.access_token)))).toBe('mfa_required');
  });

  it('§5.7 a second factor verified on another replica takes effect immediately', async () => {
    const { access_token, session_id } = await insertSession(app);
    expect(codeOf(await ask('/step-up', bearer(access_token)))).toBe('mfa_required');
    await setSession(app, session_id, { mfa_verified_at: app.clock.now() });
    expect((await ask('/step-up', bearer(access_token))).statusCode).toBe(200);
  });

  it('§5.8 a platform role granted on another replica takes effect immediately', async () => {
    const { access_token, user_id } = await insertSession(app);
    expect((await ask('/admin', bearer(access_token))).statusCode).toBe(403);
    await setUser(app, user_id, { platform_role: 'admin' });
    expect((await ask('/admin', bearer(access_token))).statusCode).toBe(200);
  });

  it('a permission applies only in the organization of the session', async () => {
    const member = await insertSession(app, { role: 'member' });
    const other = await insertSession(app);
    const path = (org: string, what: string) => `/orgs/${org}/${what}`;
    expect((await ask(path(member.organization_id, 'members'), bearer(member.access_token))).statusCode).toBe(200);
    expect((await ask(path(member.organization_id, 'invite'), bearer(member.access_token))).statusCode).toBe(403);
    expect((await ask(path(other.organization_id, 'invite'), bearer(other.access_token))).statusCode).toBe(200);
    const foreign = await ask(path(other.organization_id, 'members'), bearer(member.access_token));
    const random = await ask(path('x', 'members'), bearer(member.access_token));
    expect(foreign.statusCode).toBe(403);
    expect(foreign.json()).toEqual(random.json());
  });
});

describe('limits per client address', () => {
  it('count requests before authentication, and per /64 for IPv6', async () => {
    const from = (address: string) => ask('/limited', { 'x-forwarded-for': address });
    for (let index = 0; index < 3; index++) expect((await from('203.0.113.9')).statusCode).toBe(401);
    const over = await from('203.0.113.9');
    expect(over.statusCode).toBe(429);
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from('203.0.113.10')).statusCode).toBe(401);
    for (let index = 0; index < 3; index++) await from(`2001:db8:1:2::${index}`);
    expect((await from('2001:db8:1:2:ffff::1')).statusCode).toBe(429);
    expect((await from('2001:db8:1:3::1')).statusCode).toBe(401);
    app.clock.advance(61);
    expect((await from('203.0.113.9')).statusCode).toBe(401);
  });

  it('a trusted proxy may be listed as IPv4-mapped IPv6', () => {
    const isProxy = trustedProxies(['::ffff:10.0.0.1', '10.1.0.0/16']);
    expect(['10.0.0.1', '10.1.2.3', '10.2.0.1'].map((ip) => isProxy(ipaddr.parse(ip)))).toEqual([true, true, false]);
  });

  it('a malformed X-Forwarded-For causes no error', async () => {
    const { access_token } = await insertSession(app);
    for (const [header, ip] of [
      ['203.0.113.1, 198.51.100.7', '198.51.100.7'],
      ['203.0.113.1, 127.0.0.1', '203.0.113.1'],
      ['::ffff:203.0.113.1', '203.0.113.1'],
      ['unknown', '127.0.0.1'],
      ["'; drop table users", '127.0.0.1'],
      [', ,', '127.0.0.1'],
      ['203.0.113.1:80', '203.0.113.1'],
    ] as const) {
      const response = await ask('/me', { ...bearer(access_token), 'x-forwarded-for': header });
      expect(response.json().ip, header).toBe(ip);
    }
  });
});
