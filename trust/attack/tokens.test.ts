import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf, countSessions, findUser } from '../../packages/server/test/records.ts';
import { isSignedIn, useReplicas } from '../../packages/server/test/replicas.ts';
import { createVerifier, type Verifier } from '../../packages/verify/src/verifier.ts';
import { isFull } from '../effort.ts';
import { cases } from '../ledger.ts';
import { outcome, type Raw, sendRaw } from './raw-request-fixture.ts';
import { type Forgery, minted, openWorkshop, type Workshop } from './tokens-fixture.ts';
import { type Forgeries, forgeAll, KINDS } from './tokens-table-fixture.ts';

const replicas = useReplicas();
let workshop: Workshop;
let forgeries: Forgeries;
let verifiers: readonly Verifier[];
beforeAll(async () => {
  workshop = await openWorkshop(replicas);
  forgeries = forgeAll(workshop);
  verifiers = replicas.urls.map((address) => createVerifier({ issuer: 'http://localhost:8080', address }));
  await Promise.all(verifiers.map((verifier) => verifier.ready()));
});
afterAll(async () => {
  for (const verifier of verifiers) verifier.close();
});

let next = 0;
const REFUSED = '401 authentication_required';

const ENDPOINTS = [
  ['GET', '/v1/auth/session'],
  ['PATCH', '/v1/users/me', '{"display_name":"forged"}'],
  ['GET', '/v1/admin/users'],
  ['DELETE', '/v1/auth/sessions?include_current=true'],
] as const;

/** The forms in which a token can be sent. Headers cannot contain line breaks, and a cookie ends at a semicolon. */
const carriers = (token: string): (readonly [string, string])[] => [
  ['authorization', `Bearer ${token}`],
  ...(/[;\s]/.test(token) ? [] : [['cookie', `service_at=${token}`] as const]),
];

/** Sends a token in every form. The short form uses one, another at every second index, because servers alternate. */
async function sendToken(url: string, token: string, index: number): Promise<string | undefined> {
  const all = carriers(token);
  const tried = isFull ? all : [all[(index >> 1) % all.length]!];
  for (const [method, path, body] of isFull ? ENDPOINTS : ENDPOINTS.slice(0, 1)) {
    for (const carrier of tried) {
      const headers = [carrier, ...(body ? [['content-type', 'application/json'] as const] : [])];
      const answer = await sendRaw(url, { method, path, headers, ...(body && { body }) });
      if (outcome(answer) !== REFUSED || answer.set_cookies.length > 0) {
        return `${method} ${path} by ${carrier[0]}: ${outcome(answer)} ${answer.set_cookies}`;
      }
    }
  }
  return undefined;
}

const verdict = (verifier: Verifier, token: string): Promise<string> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error) => error.code,
  );

/** Tries all servers and their verifiers; in the short form one of them, alternately. */
async function tryForgery({ token, onlyServers = false }: Forgery, index: number): Promise<string | undefined> {
  for (const [number, url] of replicas.urls.entries()) {
    if (!isFull && number !== index % replicas.urls.length) continue;
    const seen = await sendToken(url, token, index);
    if (seen !== undefined) return seen;
    const code = onlyServers ? 'token_invalid' : await verdict(verifiers[number]!, token);
    if (!/^token_(invalid|missing|expired)$/.test(code)) return `the verifier: ${code}`;
  }
  return undefined;
}

describe('a genuine token', () => {
  const session = '/v1/auth/session';
  const elsewhere = (token: string): Record<string, Omit<Raw, 'method'>> => ({
    'in the query': { path: `${session}?access_token=${token}` },
    'in the query, as token': { path: `${session}?token=${token}` },
    'in the query, as Authorization': { path: `${session}?Authorization=Bearer%20${token}` },
    'in a body': {
      path: session,
      headers: [['content-type', 'application/x-www-form-urlencoded']],
      body: `access_token=${token}`,
    },
    ...Object.fromEntries(
      [
        ['authorization', token],
        ['authorization', `Basic ${token}`],
        ['authorization', `Token ${token}`],
        ['authorization', `JWT ${token}`],
        ['authorization', `DPoP ${token}`],
        ['authorization', `Bearer${token}`],
        ['authorization', `Bearer:${token}`],
        ['authorization', `Bearer=${token}`],
        ['authorization', `Bearer\t${token}`],
        ['authorization', `Bearer Bearer ${token}`],
        ['authorization', `Bearer token=${token}`],
        ['x-authorization', `Bearer ${token}`],
        ['proxy-authorization', `Bearer ${token}`],
        ['x-access-token', token],
        ['x-auth-token', token],
        ['x-forwarded-access-token', token],
        ['cookie', `access_token=${token}`],
        ['cookie', `authorization=Bearer ${token}`],
        ['cookie', `Service_At=${token}`],
        ['cookie', `__Host-service_at=${token}`],
        ['cookie', `service_at ${token}`],
        ['cookie', `service_at="${token}"`],
        ['cookie', `service_rt=${token}`],
        ['cookie', `service_at=${token}; service_at=${token}`],
        ['cookie2', `service_at=${token}`],
      ].map(([name, value]) => [
        `${name}: ${value!.replaceAll(token, '…')}`,
        { path: session, headers: [[name!, value!]] as const },
      ]),
    ),
  });

  cases('a genuine token is refused in any place but the Authorization header and its cookie', async (ledger) => {
    for (const [name, raw] of Object.entries(elsewhere(workshop.genuine))) {
      for (const url of isFull ? replicas.urls : [replicas.either(next++)]) {
        await ledger.attempt(name, async () => {
          const answer = await sendRaw(url, raw);
          return outcome(answer) === REFUSED ? undefined : outcome(answer);
        });
      }
    }
  });

  cases('a genuine token is refused after an invalid Bearer in the same request', async (ledger) => {
    const good = ['authorization', `Bearer ${workshop.genuine}`] as const;
    const cookie = ['cookie', `service_at=${workshop.genuine}`] as const;
    for (const bad of ['Bearer', 'Bearer ', 'Bearer x', `Bearer ${workshop.genuine}x`, 'bearer null', 'BEARER a.b.c']) {
      for (const other of [good, cookie]) {
        await ledger.attempt(`${bad.slice(0, 12)} and a good ${other[0]}`, async () => {
          const answer = await sendRaw(replicas.either(next++), {
            path: session,
            headers: [['authorization', bad], other],
          });
          return outcome(answer) === REFUSED ? undefined : outcome(answer);
        });
      }
    }
  });
});

describe('claims of a validly signed token', () => {
  cases('claims of a validly signed token grant nothing that the session does not have', async (ledger) => {
    const now = Math.floor(Date.now() / 1000);
    const wishes = {
      'the second level': { aal: 'aal2', auth_method: 'password_with_mfa' },
      'a sign-in of just now': { auth_time: now, mfa_verified_at: new Date().toISOString(), aal: 'aal2' },
      'roles and permissions': { role: 'admin', platform_role: null, permissions: ['*'], amr: ['mfa'], acr: 'aal2' },
      'another email': { email: 'somebody-else@example.com' },
    };
    for (const [name, wish] of Object.entries(wishes)) {
      const headers = [['authorization', `Bearer ${minted(workshop, wish)}`]] as const;
      for (const url of replicas.urls) {
        await ledger.attempt(name, async () => {
          const { text } = await sendRaw(url, { path: '/v1/auth/session', headers });
          const { user, capabilities } = JSON.parse(text);
          const seen = [user.aal, user.mfa_verified_at, user.auth_method, user.email, capabilities.platform_role];
          const real = ['aal1', null, 'password', workshop.victim.email, 'owner'];
          if (seen.join() !== real.join()) return seen.join();
          const test = await sendRaw(url, { method: 'POST', path: '/v1/admin/integrations/oauth_a/test', headers });
          return outcome(test) === '401 mfa_required' ? undefined : outcome(test);
        });
      }
    }
  });
});

describe('forged access tokens', () => {
  for (const kind of KINDS) {
    cases(`forged access tokens are refused: ${kind}`, async (ledger) => {
      for (const [index, forgery] of forgeries[kind]!.entries()) {
        await ledger.attempt(forgery.name, () => tryForgery(forgery, index));
      }
    });
  }

  it('the forged access tokens are more than 200, and all different', () => {
    const all = Object.values(forgeries).flat();
    expect(all.length).toBeGreaterThan(200);
    expect(new Set(all.map(({ token }) => token)).size).toBe(all.length);
  });

  it('the forged access tokens changed nothing, while the genuine token and one signed in the same way are accepted', async () => {
    const { victim, genuine } = workshop;
    for (const url of replicas.urls) {
      expect(await isSignedIn(url, genuine)).toBe(true);
      expect(await isSignedIn(url, minted(workshop, {}))).toBe(true);
    }
    for (const verifier of verifiers) {
      expect(await verdict(verifier, genuine)).toBe('accepted');
      expect(await verdict(verifier, minted(workshop, {}))).toBe('accepted');
    }
    expect(await findUser(replicas.database, victim.user_id)).toMatchObject({ display_name: null, status: 'active' });
    expect(await countSessions(replicas.database, victim.user_id)).toBe(1);
    const events = await auditOf(replicas.database, { actor_id: victim.user_id });
    expect(events.map(({ action }) => action)).toEqual(['auth.register', 'org.created']);
  });
});
