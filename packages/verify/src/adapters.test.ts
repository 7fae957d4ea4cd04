import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { admit } from './admit.ts';
import { membersOf } from './document.ts';
import { protect as protectExpress, sessionOf as sessionInExpress } from './express.ts';
import { protect as protectFastify, sessionOf as sessionInFastify } from './fastify.ts';
import { createGuard } from './guard.ts';
import { protect as protectHono, sessionOf as sessionInHono } from './hono.ts';
import { createKey, createService, ISSUER, refresh, refused, signToken } from './service-fixture.ts';
import { createVerifier, type Verifier } from './verifier.ts';

const NEEDS = {
  '/me': {},
  '/strong': { aal: 'aal2' },
  '/recent': { signedInWithin: 900 },
  '/invite': { permission: 'members.invite' },
  '/invoices': { permission: 'invoices.read' },
  '/vault': { steppedUpWithin: 300 },
  '/verified': { verifiedEmail: true },
} as const;

interface Running {
  readonly url: string;
  close(): unknown;
}

const listening = async (server: Server): Promise<Running> => {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
};

async function startFastify(verifier: Verifier): Promise<Running> {
  const app = Fastify();
  for (const [path, needs] of Object.entries(NEEDS)) {
    app.get(path, { onRequest: protectFastify(verifier, needs) }, async (request) => sessionInFastify(request));
  }
  const narrowed = protectFastify(verifier.require({ verifiedEmail: true }));
  app.get('/narrowed', { onRequest: narrowed }, async (request) => sessionInFastify(request));
  const own = protectFastify(verifier, { organizationParam: 'org_id' });
  app.get('/orgs/:org_id', { onRequest: own }, async (request) => sessionInFastify(request));
  app.get('/open', async (request) => sessionInFastify(request));
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
}

function startExpress(verifier: Verifier): Promise<Running> {
  const app = express();
  app.set('env', 'test');
  for (const [path, needs] of Object.entries(NEEDS)) {
    app.get(path, protectExpress(verifier, needs), (request, response) => {
      response.json(sessionInExpress(request));
    });
  }
  app.get('/narrowed', protectExpress(verifier.require({ verifiedEmail: true })), (request, response) => {
    response.json(sessionInExpress(request));
  });
  const own = protectExpress(verifier, { organizationParam: 'org_id' });
  app.get('/orgs/:org_id', own, (request, response) => {
    response.json(sessionInExpress(request));
  });
  app.get('/open', (request, response) => {
    response.json(sessionInExpress(request));
  });
  return listening(createServer(app).listen(0, '127.0.0.1'));
}

function startHono(verifier: Verifier): Promise<Running> {
  const app = new Hono();
  for (const [path, needs] of Object.entries(NEEDS)) {
    app.use(path, protectHono(verifier, needs));
    app.get(path, (c) => c.json(sessionInHono(c)));
  }
  app.get('/narrowed', protectHono(verifier.require({ verifiedEmail: true })), (c) => c.json(sessionInHono(c)));
  app.get('/orgs/:org_id', protectHono(verifier, { organizationParam: 'org_id' }), (c) => c.json(sessionInHono(c)));
  app.get('/open', (c) => c.json(sessionInHono(c)));
  app.onError((_, c) => c.json({}, 500));
  return listening(serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server);
}

describe.each([
  ['Fastify', startFastify],
  ['Express', startExpress],
  ['Hono', startHono],
])('%s', (_, start) => {
  const service = createService();
  const verifier = createVerifier({ issuer: ISSUER, fetch: service.fetch, lookUpSeconds: 0 });
  let running: Running;
  beforeAll(async () => {
    running = await start(verifier);
  });
  afterAll(async () => {
    verifier.close();
    await running.close();
  });
  afterEach(() => {
    service.alter = () => undefined;
  });

  const get = async (path: string, authorization?: string) => {
    const answer = await fetch(running.url + path, authorization === undefined ? {} : { headers: { authorization } });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as { error: { code: string } },
    };
  };
  const account = { sub: randomUUID(), org: randomUUID(), sid: randomUUID() };
  const bearer = (claims: Record<string, unknown> = {}) => `Bearer ${signToken({ ...account, ...claims })}`;
  const describeSession = (permissions: string[], mfa_verified_at: string | null) => {
    const user = {
      user_id: account.sub,
      organization_id: account.org,
      session_family_id: account.sid,
      mfa_verified_at,
    };
    service.session = { user, capabilities: { role: 'member', permissions, platform_role: null } };
  };

  it.each(['/verified', '/narrowed'])(
    '%s returns 403 for a token whose email_verified is false or missing',
    async (path) => {
      expect((await get(path, bearer())).status).toBe(200);
      for (const email_verified of [false, undefined]) {
        const { status, headers, body } = await get(path, bearer({ email_verified }));
        expect([status, body.error.code]).toEqual([403, 'forbidden']);
        expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
      }
      expect((await get(path)).status).toBe(401);
    },
  );

  it('a route passes the session to the handler', async () => {
    const { status, body } = await get('/me', bearer());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user_id: account.sub,
      organization_id: account.org,
      email: 'ada@example.com',
      aal: 'aal1',
    });
    expect((await get('/me', bearer().replace('Bearer', 'bearer'))).status).toBe(200);
  });

  it.each([undefined, '', 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a b'])(
    'returns 401 and asks for a token if the Authorization header is %j',
    async (given) => {
      const { status, headers, body } = await get('/me', given);
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(body).toEqual({
        error: { code: 'authentication_required', message: expect.any(String), type: 'authentication_error' },
      });
    },
  );

  it('returns 401 and the error body of the service for an invalid token', async () => {
    const { status, headers, body } = await get('/me', bearer({ typ: 'refresh' }));
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(body).toMatchObject({ error: { code: 'authentication_required' } });
  });

  it('a route accepts an API key, and requires its permission', async () => {
    const key = `Bearer ${createKey()}`;
    service.machine = { ...account, sid: randomUUID(), scope: 'invoices.read', perms: ['invoices.read'] };
    expect(await get('/invoices', key)).toMatchObject({ status: 200, body: { user_id: account.sub } });
    expect((await get('/invite', key)).status).toBe(403);
    service.machine = undefined;
    const refused = await get('/invoices', `Bearer ${createKey()}`);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
  });

  it('a route can require aal2', async () => {
    const { status, headers, body } = await get('/strong', bearer());
    expect([status, body.error.code]).toEqual([401, 'mfa_required']);
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_user_authentication"');
    expect((await get('/strong', bearer({ aal: 'aal2' }))).status).toBe(200);
  });

  it('a route can require a recent sign-in', async () => {
    const second = Math.floor(Date.now() / 1000);
    expect((await get('/recent', bearer({ auth_time: second - 1_000 }))).body).toMatchObject({
      error: { code: 'mfa_required' },
    });
    expect((await get('/recent', bearer({ auth_time: second - 600 }))).status).toBe(200);
  });

  it('a route accepts only the organization of the session, in upper or lower case', async () => {
    const other = await get(`/orgs/${randomUUID()}`, bearer());
    expect([other.status, other.body.error.code]).toEqual([403, 'forbidden']);
    expect(other.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
    expect((await get(`/orgs/${account.org.toUpperCase()}`, bearer())).status).toBe(200);
  });

  it('a route can require a permission', async () => {
    describeSession(['members.list'], null);
    expect((await get('/invite', bearer())).status).toBe(403);
    describeSession(['members.invite'], null);
    expect((await get('/invite', bearer())).status).toBe(200);
  });

  it('a route can require a permission of the product, which the token contains', async () => {
    const granted = { perms: ['invoices.read'], perms_at: Date.now() };
    expect((await get('/invoices', bearer(granted))).body).toMatchObject({ permissions: ['invoices.read'] });
    const { status, headers } = await get('/invoices', bearer({ ...granted, perms: [] }));
    expect([status, headers.get('www-authenticate')]).toEqual([403, 'Bearer error="insufficient_scope"']);
  });

  it('returns 401 and error_description stale for a token from before a role change', async () => {
    const changed = { org: randomUUID(), perms: ['invoices.read'], perms_at: Date.now() };
    const authorization = bearer(changed);
    expect((await get('/invoices', authorization)).status).toBe(200);
    service.refreshes = [refresh(changed.org, { before: Date.now() + 1 })];
    await expect.poll(async () => (await get('/invoices', authorization)).status).toBe(401);
    const { headers, body } = await get('/me', authorization);
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token", error_description="stale"');
    expect(body).toMatchObject({ error: { code: 'authentication_required' } });
  });

  it('a route can require a recent step-up', async () => {
    describeSession([], null);
    expect((await get('/vault', bearer())).body).toMatchObject({
      error: { code: 'mfa_required', type: 'mfa_required' },
    });
    describeSession([], new Date().toISOString());
    expect((await get('/vault', bearer())).status).toBe(200);
  });

  it('returns 503 if the service cannot be asked for the permissions', async () => {
    service.alter = (path) => (path === 'session' ? refused() : undefined);
    const { status, headers, body } = await get('/invite', bearer());
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('2');
    expect(body).toMatchObject({ error: { code: 'service_unreachable' } });
  });

  it('throws at the start for a misspelled need, and rejects every request for a need that is undefined', async () => {
    expect(() => protectFastify(verifier, { permision: 'members.invite' } as object)).toThrow(/permision/);
    for (const need of ['organization', 'permission', 'signedInWithin', 'steppedUpWithin', 'aal']) {
      describeSession(['members.invite'], new Date().toISOString());
      await expect(admit(verifier, bearer(), { [need]: undefined }), need).rejects.toMatchObject({
        name: 'VerifyError',
      });
    }
  });

  it('returns 403 if the path does not contain the organization id', async () => {
    for (const organizationParam of ['other_id', undefined, 'constructor']) {
      const guard = createGuard(verifier, { organizationParam } as object);
      const refusal = await guard(
        {},
        { authorization: bearer(), param: (name) => membersOf({ org_id: account.org })[name] },
      );
      expect(refusal).toMatchObject({ status: 403 });
    }
  });

  it('throws in sessionOf on a route without protect', async () => {
    expect((await fetch(`${running.url}/open`, { headers: { authorization: bearer() } })).status).toBe(500);
  });
});
