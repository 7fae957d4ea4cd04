import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createService,
  ISSUER,
  pass,
  refused,
  revocation,
  type Service,
  settle,
  signToken,
  stopTime,
  until,
} from './service-fixture.ts';
import { createVerifier, type Verifier } from './verifier.ts';

const account = { sub: randomUUID(), org: randomUUID(), sid: randomUUID() };
const answer = (permissions: string[] = [], mfa_verified_at: string | null = null) => ({
  user: { user_id: account.sub, organization_id: account.org, session_family_id: account.sid, mfa_verified_at },
  capabilities: { role: 'member', permissions, platform_role: null },
});

let service: Service;
let verifier: Verifier;
let token: string;
beforeEach(async () => {
  stopTime();
  service = createService();
  service.session = answer(['members.list']);
  verifier = createVerifier({ issuer: ISSUER, address: 'http://gatehouse:8080', fetch: service.fetch });
  token = signToken(account);
  // Signatures are verified outside the fake timers, so the result for this token is cached first.
  await verifier.verify(token);
});
afterEach(() => {
  verifier.close();
  vi.useRealTimers();
});

const alterSession = (make: (() => Response | Promise<Response>) | undefined): void => {
  service.alter = (path) => (path === 'session' ? make?.() : undefined);
};

describe('lookUp', () => {
  it('calls the service with the token, but only if the token is valid', async () => {
    expect(await verifier.lookUp(token)).toEqual(answer(['members.list']));
    const { url, init } = service.asked.find(({ path }) => path === 'session')!;
    expect(url).toBe('http://gatehouse:8080/v1/auth/session');
    expect(new Headers(init.headers).get('authorization')).toBe(`Bearer ${token}`);
    expect(init.redirect).toBe('error');
    await expect(verifier.lookUp('forged')).rejects.toMatchObject({ code: 'token_invalid' });
    expect(service.count('session')).toBe(1);
  });

  it('concurrent calls share one request, whose response is cached for ten seconds', async () => {
    await Promise.all(Array.from({ length: 50 }, () => verifier.lookUp(token)));
    await pass(9_750);
    await verifier.lookUp(token);
    expect(service.count('session')).toBe(1);
    await pass(250);
    await verifier.lookUp(token);
    expect(service.count('session')).toBe(2);
  });

  it('calls the service each time if lookUpSeconds is 0', async () => {
    const uncached = createVerifier({ issuer: ISSUER, fetch: service.fetch, lookUpSeconds: 0 });
    await uncached.lookUp(token);
    await uncached.lookUp(token);
    expect(service.count('session')).toBe(2);
    uncached.close();
  });

  it('rejects a revoked session despite a cached response', async () => {
    await verifier.lookUp(token);
    service.revocations = [revocation(account.sid)];
    await pass(2_000);
    await expect(verifier.lookUp(token)).rejects.toMatchObject({ code: 'session_revoked' });
    await expect(verifier.requirePermission(token, 'members.list')).rejects.toMatchObject({ code: 'session_revoked' });
  });

  it('rejects with session_revoked if the service responds 401 before the feed lists the session', async () => {
    alterSession(() => Response.json({ error: { code: 'authentication_required' } }, { status: 401 }));
    await expect(verifier.lookUp(token)).rejects.toMatchObject({ code: 'session_revoked', status: 401 });
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['an error response', () => new Response('', { status: 500 })],
    ['a rate limit', () => new Response('', { status: 429 })],
    ['a refused connection', refused],
    ['HTML', () => new Response('<html>')],
    ['another user', () => Response.json({ ...answer(), user: { ...answer().user, user_id: randomUUID() } })],
    ['no permissions', () => Response.json({ ...answer(), capabilities: {} })],
    ['an invalid time', () => Response.json(answer([], 'yesterday'))],
    ['null', () => Response.json(null)],
  ])('rejects with service_unreachable for %s, which is not cached', async (_, make) => {
    alterSession(make);
    const failed = verifier.lookUp(token);
    await expect(failed).rejects.toMatchObject({ code: 'service_unreachable', status: 503 });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining(token) });
    alterSession(undefined);
    await verifier.lookUp(token);
  });
});

describe('requirePermission', () => {
  it('accepts if a response of the last ten seconds has the permission', async () => {
    await verifier.requirePermission(token, 'members.list');
    service.session = answer();
    await pass(9_750);
    await verifier.requirePermission(token, 'members.list');
    expect(service.count('session')).toBe(1);
    await pass(250);
    await expect(verifier.requirePermission(token, 'members.list')).rejects.toMatchObject({
      code: 'forbidden',
      status: 403,
    });
  });

  it('asks the service again if a cached response that is older than a second lacks the permission', async () => {
    const expectForbidden = () =>
      expect(verifier.requirePermission(token, 'members.invite')).rejects.toMatchObject({ code: 'forbidden' });
    for (let times = 0; times < 50; times++) await expectForbidden();
    expect(service.count('session')).toBe(1);
    service.session = answer(['members.invite']);
    await pass(1_000);
    await expectForbidden();
    await pass(250);
    await verifier.requirePermission(token, 'members.invite');
    expect(service.count('session')).toBe(2);
  });

  it('sends a new request instead of waiting for one that was sent more than a second ago', async () => {
    let release = (_: Response): void => {};
    alterSession(() => new Promise((resolve) => (release = resolve)));
    const early = verifier.lookUp(token);
    await until(() => service.count('session') === 1);
    await pass(1_250);
    const late = [1, 2, 3].map(() => verifier.requirePermission(token, 'members.invite'));
    await settle();
    alterSession(undefined);
    service.session = answer(['members.invite']);
    release(Response.json(answer()));
    expect((await early).capabilities.permissions).toEqual([]);
    await Promise.all(late);
    expect(service.count('session')).toBe(2);
  });
});

describe('a response', () => {
  it('is frozen, because all callers share it', async () => {
    const { capabilities } = await verifier.lookUp(token);
    expect(() => (capabilities.permissions as string[]).push('members.invite')).toThrow(TypeError);
    await expect(verifier.requirePermission(token, 'members.invite')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('about another session of the same user is rejected', async () => {
    const { user, capabilities } = answer([], new Date().toISOString());
    service.session = { user: { ...user, session_family_id: randomUUID() }, capabilities };
    await expect(verifier.requireStepUp(token, 300)).rejects.toMatchObject({ code: 'service_unreachable' });
  });
});

describe('requireStepUp', () => {
  const verifiedAgo = (seconds: number) => answer([], new Date(Date.now() - seconds * 1000).toISOString());

  it('rejects if the last verified second factor is older than the given seconds', async () => {
    service.session = verifiedAgo(295);
    await verifier.requireStepUp(token, 300);
    await pass(5_000);
    await verifier.requireStepUp(token, 300);
    await pass(50);
    await expect(verifier.requireStepUp(token, 300)).rejects.toMatchObject({ code: 'step_up_required', status: 401 });
  });

  it('accepts a step-up of a moment ago', async () => {
    await expect(verifier.requireStepUp(token, 300)).rejects.toMatchObject({ code: 'step_up_required' });
    await pass(1_250);
    service.session = verifiedAgo(0);
    await verifier.requireStepUp(token, 300);
  });
});
