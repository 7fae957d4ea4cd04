import { createHash, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPrefix } from './api-key.ts';
import { requireRecentSignIn } from './require.ts';
import {
  createKey,
  createService,
  hanging,
  ISSUER,
  pass,
  refresh,
  refused,
  revocation,
  type Service,
  stopTime,
} from './service-fixture.ts';
import { digest, sha256 } from './sha256.ts';
import { createVerifier, type Verifier } from './verifier.ts';

const machine = () => ({
  sub: randomUUID(),
  org: randomUUID(),
  sid: randomUUID(),
  scope: 'invoices.read members.list',
  perms: ['invoices.read'],
  perms_at: Date.now(),
});

let service: Service;
let verifier: Verifier;
let key: string;
beforeEach(() => {
  stopTime();
  service = createService();
  service.machine = machine();
  verifier = createVerifier({ issuer: ISSUER, address: 'http://gatehouse:8080', fetch: service.fetch });
  key = createKey();
});
afterEach(() => {
  verifier.close();
  vi.useRealTimers();
});

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error) => error.code,
  );
const alterExchange = (make: () => Response | Promise<Response> | undefined): void => {
  service.alter = (path) => (path === 'exchange' ? make() : undefined);
};

describe('the form of an API key', () => {
  it('the public part of a key with a right checksum is read', () => {
    expect(readPrefix('gth_3fN9xQ2LmZ0a_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg4Tibpz')).toBe('gth_3fN9xQ2LmZ0a');
    for (let round = 0; round < 100; round++) expect(readPrefix(createKey())).toHaveLength(16);
  });

  it.each([
    [
      'a character replaced',
      (given: string) => `${given.slice(0, 30)}${given[30] === 'a' ? 'b' : 'a'}${given.slice(31)}`,
    ],
    [
      'two characters swapped',
      (given: string) =>
        given.replace(/^(.{5})(.)(.)/, (_, start, one, two) => `${start}${two}${one === two ? '-' : one}`),
    ],
    ['the last character missing', (given: string) => given.slice(0, -1)],
    ['one character more', (given: string) => `${given}0`],
    ['only the public part', (given: string) => given.slice(0, 16)],
    ['the mark alone', () => 'gth_'],
  ])('a key with %s is rejected without a request', async (_, alter) => {
    await expect(verifier.verify(alter(key))).rejects.toMatchObject({ code: 'token_invalid', status: 401 });
    expect(service.asked).toEqual([]);
  });
});

it('both implementations of SHA-256 return the same', async () => {
  expect(await sha256(key)).toBe(createHash('sha256').update(key).digest('base64url'));
  expect(await digest(key)).toBe(await sha256(key));
});

describe('verify with an API key', () => {
  it('a key is exchanged once for all requests, and its token is verified locally', async () => {
    const { sub, org, sid } = service.machine as ReturnType<typeof machine>;
    const sessions = await Promise.all(Array.from({ length: 50 }, () => verifier.verify(key)));
    await pass(20_000);
    expect(await verifier.verify(key)).toEqual(sessions[0]);
    expect(sessions[0]).toMatchObject({
      user_id: sub,
      organization_id: org,
      session_id: sid,
      auth_method: 'api_key',
      role: 'machine',
      email: undefined,
      email_verified: false,
      permissions: ['invoices.read'],
      scopes: ['invoices.read', 'members.list'],
    });
    expect(service.count('exchange')).toBe(1);
    const { url, init } = service.asked.find(({ path }) => path === 'exchange')!;
    expect(url).toBe('http://gatehouse:8080/oauth/token');
    expect(init).toMatchObject({ method: 'POST', body: 'grant_type=client_credentials', redirect: 'error' });
    const credentials = Buffer.from(`${key.slice(0, 16)}:${key}`).toString('base64');
    expect(new Headers(init.headers).get('authorization')).toBe(`Basic ${credentials}`);
  });

  it('different keys are exchanged separately', async () => {
    await verifier.verify(key);
    service.machine = machine();
    expect((await verifier.verify(createKey())).user_id).toBe(service.machine.sub);
    expect((await verifier.verify(key)).user_id).not.toBe(service.machine.sub);
  });

  it('twenty keys that are exchanged concurrently cause no warning, and closing the verifier ends all requests', async () => {
    const warned = vi.fn();
    process.on('warning', warned);
    alterExchange(hanging);
    const outcomes = Array.from({ length: 20 }, () => codeOf(verifier.verify(createKey())));
    await vi.waitFor(() => expect(service.count('exchange')).toBe(20));
    verifier.close();
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['service_unreachable']));
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  });

  it('the token is renewed in the background before it expires, while requests use the previous token', async () => {
    service.tokenSeconds = 60;
    const before = await verifier.verify(key);
    await pass(31_000);
    alterExchange(hanging);
    expect((await verifier.verify(key)).token_id).toBe(before.token_id);
    expect(service.count('exchange')).toBe(2);
    // The hanging request is abandoned after five seconds.
    alterExchange(() => undefined);
    await pass(7_000);
    await verifier.verify(key);
    await vi.waitFor(async () => expect((await verifier.verify(key)).token_id).not.toBe(before.token_id));
    expect(service.count('exchange')).toBe(3);
  });

  it('a key that ends while its token is renewed is rejected at once', async () => {
    service.tokenSeconds = 60;
    await verifier.verify(key);
    await pass(31_000);
    service.machine = undefined;
    await verifier.verify(key);
    await vi.waitFor(async () => expect(await codeOf(verifier.verify(key))).toBe('token_invalid'));
  });

  it('a revoked key is exchanged again, and the rejection is cached for 5 seconds', async () => {
    await verifier.verify(key);
    service.revocations = [revocation(service.machine!.sid)];
    service.machine = undefined;
    await pass(2_250);
    expect(await codeOf(verifier.verify(key))).toBe('token_invalid');
    for (let request = 0; request < 50; request++) expect(await codeOf(verifier.verify(key))).toBe('token_invalid');
    expect(service.count('exchange')).toBe(2);
    // The account is enabled again: its keys get tokens with another `sid`.
    service.machine = machine();
    await pass(4_500);
    expect(await codeOf(verifier.verify(key))).toBe('token_invalid');
    await pass(750);
    expect(await codeOf(verifier.verify(key))).toBe('accepted');
    expect(service.count('exchange')).toBe(3);
  });

  it('after a change of roles the key is exchanged once more, and no request is rejected', async () => {
    service.refreshes = [];
    await verifier.verify(key);
    const { sub, org } = service.machine as ReturnType<typeof machine>;
    service.refreshes = [refresh(`${org}/${sub}`, { before: Date.now() + 1 })];
    await pass(2_250);
    service.machine = { ...service.machine, perms: [], scope: 'members.list', perms_at: Date.now() };
    const all = await Promise.all(Array.from({ length: 20 }, () => verifier.verify(key)));
    expect(all.map(({ permissions }) => permissions)).toEqual(all.map(() => []));
    expect(service.count('exchange')).toBe(2);
  });

  it('if the new token is rejected, the key is not exchanged again for 5 seconds', async () => {
    service.revocations = [revocation(service.machine!.sid)];
    for (let request = 0; request < 20; request++) expect(await codeOf(verifier.verify(key))).toBe('session_revoked');
    expect(service.count('exchange')).toBe(1);
    await pass(5_250);
    await codeOf(verifier.verify(key));
    expect(service.count('exchange')).toBe(2);
  });

  it.each([
    ['does not answer', refused],
    ['answers 500', () => new Response('', { status: 500 })],
    ['limits the requests', () => Response.json({ error: 'temporarily_unavailable' }, { status: 429 })],
    ['sends no token', () => Response.json({ expires_in: 300 })],
    ['sends no lifetime', () => Response.json({ access_token: 'x.y.z' })],
    ['sends no JSON', () => new Response('<html>')],
  ])('503 if the service %s; the key is sent again after a second', async (_, answer) => {
    alterExchange(answer);
    for (let request = 0; request < 20; request++)
      expect(await codeOf(verifier.verify(key))).toBe('service_unreachable');
    expect(service.count('exchange')).toBe(1);
    alterExchange(() => undefined);
    await pass(1_250);
    expect(await codeOf(verifier.verify(key))).toBe('accepted');
  });

  it.each([400, 401, 403, 404])('401 if the service answers %s', async (status) => {
    alterExchange(() => Response.json({ error: 'invalid_client' }, { status }));
    await expect(verifier.verify(key)).rejects.toMatchObject({ code: 'token_invalid', status: 401 });
  });

  it('neither an error nor the verifier contains the key, even if fetch reports its whole request', async () => {
    service.alter = (path) => {
      if (path === 'exchange') throw Object.assign(new Error(`POST with ${key} failed`), { request: { key } });
      return undefined;
    };
    const error = await verifier.verify(key).catch((reason) => reason);
    expect(inspect(error, { depth: 20, showHidden: true })).toContain('could not be exchanged');
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(key.slice(17));
  });

  it('unknown keys do not evict cached tokens', async () => {
    const small = createVerifier({ issuer: ISSUER, fetch: service.fetch, maxCachedTokens: 2 });
    await small.verify(key);
    const { machine: living } = service;
    service.machine = undefined;
    for (let count = 0; count < 20; count++) expect(await codeOf(small.verify(createKey()))).toBe('token_invalid');
    service.machine = living;
    const before = service.count('exchange');
    await small.verify(key);
    expect(service.count('exchange')).toBe(before);
    small.close();
  });

  it('a closed verifier rejects keys', async () => {
    await verifier.verify(key);
    verifier.close();
    expect(await codeOf(verifier.verify(key))).toBe('service_unreachable');
    const before = service.count('exchange');
    expect(await codeOf(verifier.verify(createKey()))).toBe('service_unreachable');
    expect(service.count('exchange')).toBe(before);
  });
});

describe('needs of an API key', () => {
  it.each([
    [{ permission: 'invoices.read' }, 'accepted'],
    [{ permission: 'members.list' }, 'accepted'],
    [{ permission: 'invoices.write' }, 'forbidden'],
    [{ permission: 'members.invite' }, 'forbidden'],
    [{ verifiedEmail: true }, 'forbidden'],
    [{ aal: 'aal2' }, 'forbidden'],
    [{ signedInWithin: 900 }, 'forbidden'],
    [{ steppedUpWithin: 900 }, 'forbidden'],
  ] as const)('the need %j is %s, without a request for the session', async (needs, expected) => {
    expect(await codeOf(verifier.require(needs).verify(key))).toBe(expected);
    expect(service.count('session')).toBe(0);
  });

  it('a permission outside the scope is forbidden, even if perms lists it', async () => {
    service.machine = { ...service.machine, scope: 'members.list' };
    expect(await codeOf(verifier.require({ permission: 'invoices.read' }).verify(key))).toBe('forbidden');
  });

  it('requireRecentSignIn rejects the session of an API key', async () => {
    const session = await verifier.verify(key);
    expect(() => requireRecentSignIn(session, 900)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  it('lookUp sends the token that the key was exchanged for, not the key', async () => {
    const { sub, org, sid } = service.machine as ReturnType<typeof machine>;
    service.session = {
      user: { user_id: sub, organization_id: org, session_family_id: sid, mfa_verified_at: null },
      capabilities: { role: 'machine', permissions: ['members.list'], platform_role: null },
    };
    expect((await verifier.lookUp(key)).capabilities.role).toBe('machine');
    const { init } = service.asked.find(({ path }) => path === 'session')!;
    expect(new Headers(init.headers).get('authorization')).toMatch(/^Bearer eyJ/);
  });
});
