import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, registerUser, signInAgain } from '../../packages/server/test/browser.ts';
import { liveSessions, setUser } from '../../packages/server/test/records.ts';
import { useReplicas } from '../../packages/server/test/replicas.ts';
import { isFull } from '../effort.ts';
import { cases } from '../ledger.ts';
import { disguises, formsOf } from './cookies-disguises-fixture.ts';
import { asWrite, type Cast, CONTENT_TYPES, cookieHeaders, csrfAttempts, nameOf, WRITES } from './cookies-fixture.ts';
import { FOREIGN_ORIGINS } from './cookies-origins-fixture.ts';
import { outcome, type Raw, type RawAnswer, sendRaw } from './raw-request-fixture.ts';
import { changedTables, fingerprint } from './unchanged-fixture.ts';

const replicas = useReplicas(2, { CORS_ORIGINS: 'https://app.example.com', LIMIT_INTEGRATIONS: '100000/1m' });
let cast: Cast;
beforeAll(async () => {
  const url = replicas.urls[0]!;
  const [victim, forger] = await Promise.all([registerUser(url), registerUser(url)]);
  await setUser(replicas.database, victim.user_id, { platform_role: 'owner' });
  cast = { victim, forger, another: (await signInAgain(url, victim)).jar };
});

let next = 0;
/** Returns all servers in the full form; in the short form one of them, alternately. */
const targets = (): readonly string[] => (isFull ? replicas.urls : [replicas.either(next++)]);
const access = (): string => `service_at=${cast.victim.browser.jar.get('service_at')}`;
const csrf = (): string => cast.victim.browser.jar.get('service_csrf')!;
const FORBIDDEN = '403 csrf_failed';
const JSON_TYPE = ['content-type', 'application/json'] as const;

const fault = (answer: RawAnswer, expected: string): string | undefined =>
  outcome(answer) === expected ? undefined : `${outcome(answer)} ${answer.text.slice(0, 100)}`;

describe('a forged write', () => {
  cases('a forged write is refused for every wrong CSRF value', async (ledger) => {
    const body = '{"display_name":"forged"}';
    for (const [name, { cookie, headers = [], query = '' }] of Object.entries(csrfAttempts(cast))) {
      for (const url of targets()) {
        await ledger.attempt(name, async () => {
          const cookies = ['cookie', [access(), ...(cookie ? [cookie] : [])].join('; ')] as const;
          const path = `/v1/users/me${query}`;
          return fault(
            await sendRaw(url, { method: 'PATCH', path, headers: [cookies, JSON_TYPE, ...headers], body }),
            FORBIDDEN,
          );
        });
      }
    }
    for (const url of replicas.urls) {
      await ledger.attempt('the display name is unchanged', async () => {
        const name = await nameOf(url, cast.victim);
        return name === null ? undefined : `it is ${name}`;
      });
    }
  });

  cases('a forged write is refused at every endpoint, with any content type, and changes nothing', async (ledger) => {
    const before = await fingerprint(replicas.database);
    const foreign = cast.forger.browser.jar.get('service_csrf')!;
    const variants: Record<string, readonly (readonly [string, string])[]> = {
      'no CSRF': [['cookie', `${access()}; service_csrf=${csrf()}`]],
      'a foreign CSRF': [
        ['cookie', `${access()}; service_csrf=${foreign}`],
        ['x-service-csrf', foreign],
      ],
      'no CSRF cookie': [
        ['cookie', access()],
        ['x-service-csrf', csrf()],
      ],
    };
    for (const [index, row] of WRITES.entries()) {
      const { name, method, path, body } = asWrite(row, cast);
      const types = isFull ? CONTENT_TYPES : [CONTENT_TYPES[index % CONTENT_TYPES.length]];
      const ways = Object.entries(variants).filter((_, number) => isFull || number === index % 3);
      for (const [manner, headers] of ways) {
        for (const type of types) {
          const declared = type === undefined ? [] : [['content-type', type] as const];
          for (const url of targets()) {
            await ledger.attempt(`${name} with ${manner} as ${type}`, async () =>
              fault(await sendRaw(url, { method, path, headers: [...headers, ...declared], body }), FORBIDDEN),
            );
          }
        }
      }
    }
    await ledger.attempt('nothing has changed', async () => {
      const changed = changedTables(before, await fingerprint(replicas.database));
      return changed.length === 0 ? undefined : `changed: ${changed}`;
    });
  });

  it('a write succeeds with the right CSRF value', async () => {
    for (const url of replicas.urls) {
      const headers = [
        ['cookie', `${access()}; service_csrf=${csrf()}`],
        ['x-service-csrf', csrf()],
        JSON_TYPE,
      ] as const;
      const answer = await sendRaw(url, { method: 'PATCH', path: '/v1/users/me', headers, body: '{"locale":"de"}' });
      expect(outcome(answer)).toBe('200');
    }
    expect(WRITES.length).toBeGreaterThan(45);
  });
});

describe('a form on another site', () => {
  cases('a form on another site opens no session, even with valid credentials', async (ledger) => {
    const before = await fingerprint(replicas.database);
    for (const { name, ...form } of formsOf(cast)) {
      for (const url of targets()) {
        await ledger.attempt(name, async () => {
          const answer = await sendRaw(url, form);
          return answer.set_cookies.length > 0 ? `${answer.set_cookies}` : fault(answer, '400 invalid_input');
        });
      }
    }
    await ledger.attempt('nothing has changed', async () => {
      const changed = changedTables(before, await fingerprint(replicas.database));
      return changed.length === 0 ? undefined : `changed: ${changed}`;
    });
  });
});

describe('an overridden method', () => {
  cases('a method override, or a method that the path does not have, changes nothing', async (ledger) => {
    for (const [name, raw, expected] of disguises(`${access()}; service_csrf=${csrf()}`)) {
      for (const url of targets()) {
        await ledger.attempt(name, async () => {
          const answer = await sendRaw(url, raw);
          return expected.test(outcome(answer)) ? undefined : outcome(answer);
        });
      }
    }
    await ledger.attempt('all sessions are active', async () => {
      const { length } = await liveSessions(replicas.database, cast.victim.user_id);
      return length === 2 ? undefined : `${length} are left`;
    });
  });
});

describe('a cookie header', () => {
  cases('a cookie header that is malformed or has two access tokens does not authenticate', async (ledger) => {
    for (const [name, [header, good]] of Object.entries(cookieHeaders(cast))) {
      for (const url of targets()) {
        await ledger.attempt(name, async () => {
          const sent = [header].flat().map((value) => ['cookie', value] as const);
          const answer = await sendRaw(url, { path: '/v1/auth/session', headers: sent });
          if (!good) return fault(answer, '401 authentication_required');
          return answer.text.includes(cast.victim.user_id) ? undefined : `${outcome(answer)} ${answer.text}`;
        });
      }
    }
  });

  cases('a cookie header with two refresh tokens opens no session', async (ledger) => {
    const [own, other] = [cast.victim, cast.forger].map(({ browser }) => browser.jar.get('service_rt')!);
    for (const cookie of [`service_rt=${own}; service_rt=${other}`, `service_rt=${other}; service_rt=${own}`]) {
      for (const url of replicas.urls) {
        await ledger.attempt('two refresh tokens', async () => {
          const answer = await sendRaw(url, {
            method: 'POST',
            path: '/v1/auth/refresh',
            headers: [['cookie', cookie]],
          });
          return answer.set_cookies.length > 0 ? `${answer.set_cookies}` : fault(answer, '401 authentication_required');
        });
      }
    }
  });
});

describe('a page on another origin', () => {
  const ALLOWED = 'https://app.example.com';
  const hasCorsHeaders = ({ headers }: RawAnswer): boolean =>
    Object.keys(headers).some((name) => name.startsWith('access-control-'));

  const asks = (origin: string): Record<string, Raw> => {
    const cookie = [
      'cookie',
      `${access()}; service_csrf=${csrf()}; service_rt=${cast.victim.browser.jar.get('service_rt')}`,
    ] as const;
    const from = ['origin', origin] as const;
    const preflight = (method: string, path: string): Raw => ({
      method: 'OPTIONS',
      path,
      headers: [from, ['access-control-request-method', method], ['access-control-request-headers', 'x-service-csrf']],
    });
    return {
      'a preflight': preflight('PATCH', '/v1/users/me'),
      'a preflight of nothing that is there': preflight('POST', '/v1/nothing'),
      reading: { path: '/v1/auth/session', headers: [cookie, from] },
      'reading what is open': { path: '/.well-known/jwks.json', headers: [from] },
      'a failure': { path: '/v1/nothing', headers: [from] },
      refreshing: {
        method: 'POST',
        path: '/v1/auth/refresh',
        headers: [cookie, from, ['sec-fetch-site', 'cross-site']],
      },
    };
  };

  cases('a page on another origin can neither send nor read, however similar its name is', async (ledger) => {
    for (const origin of FOREIGN_ORIGINS) {
      for (const [what, raw] of Object.entries(asks(origin))) {
        for (const url of targets()) {
          await ledger.attempt(`${origin}: ${what}`, async () => {
            const answer = await sendRaw(url, raw);
            if (hasCorsHeaders(answer) || answer.set_cookies.length > 0) return JSON.stringify(answer.headers);
            if (what === 'refreshing') return fault(answer, FORBIDDEN);
            return raw.method === 'OPTIONS' && answer.status < 300 ? `${answer.status}` : undefined;
          });
        }
      }
    }
  });

  it('a page on a listed origin is allowed, and the response names only this origin', async () => {
    for (const url of replicas.urls) {
      for (const [what, raw] of Object.entries(asks(ALLOWED))) {
        if (what === 'refreshing') continue;
        const { headers } = await sendRaw(url, raw);
        expect([headers['access-control-allow-origin'], headers['access-control-allow-credentials']]).toEqual([
          ALLOWED,
          'true',
        ]);
        expect(headers.vary).toMatch(/origin/i);
      }
    }
    expect(
      await createBrowser(replicas.urls[0]!, new Map(cast.victim.browser.jar)).post('/auth/refresh'),
    ).toMatchObject({ status: 200 });
  });
});
