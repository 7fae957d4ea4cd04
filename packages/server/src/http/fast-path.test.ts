import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerUser } from '../../test/browser.ts';
import { insertSession, type TestApp } from '../../test/harness.ts';
import { endMemberships, setSession, setUser, suspendOrganization } from '../../test/records.ts';
import { founder } from '../../test/team.ts';
import { discovery } from '../features/discovery/routes.ts';
import { signInByCode } from '../features/email-verification/reclaim/squat-fixture.ts';
import { exchange, machine } from '../features/machines/machines-fixture.ts';
import { sessions } from '../features/sessions/routes.ts';
import {
  type Asked,
  type Heard,
  headerOf,
  send,
  sendFast,
  sendRaw,
  useListening,
  usePair,
} from './fast-path-fixture.ts';

const SESSION = '/v1/auth/session';
const JWKS = '/.well-known/jwks.json';
const FEED = '/.well-known/service-revocations.json';
const HOT = ['/healthz', JWKS, FEED, SESSION];
const LISTED = 'https://app.example.com';

const bearer = (token: string): [string, string] => ['authorization', `Bearer ${token}`];

/** Masks what differs between two responses to the same request: time, generated ids, and when the feed was read. */
function comparable({ status, headers, body }: Heard, { method, path, headers: given = [] }: Asked): Heard {
  const isGiven = given.some(([name, value]) => name === 'x-request-id' && /^[0-9a-f-]{36}$/i.test(value));
  const masked = headers.map(([name, value]): [string, string] => {
    if (name === 'Date' || (name === 'x-request-id' && !isGiven)) return [name, 'masked'];
    // Two cursors of the feed may differ in length.
    if (name === 'content-length' && method === 'HEAD' && path.startsWith(FEED)) return [name, 'masked'];
    return [name, name === 'content-length' && body !== '' ? String(Number(value) - body.length) : value];
  });
  const read = body.replace(/"(generated_at|cursor)":"[^"]*"/g, '"$1":"masked"');
  return { status, headers: masked, body: read };
}

async function countsOf({ deps }: TestApp): Promise<string[]> {
  const lines = (await deps.metrics.text()).split('\n');
  return lines.filter((line) => line.startsWith('gatehouse_http_request_duration_seconds_count')).sort();
}

const loggedBy = ({ logs }: TestApp): object[] =>
  logs
    .filter(({ msg }) => msg === 'request')
    .map(({ time: _time, pid: _pid, ms: _ms, request_id: _id, ...line }) => line);

/** Tokens of all kinds, by the status that `GET /auth/session` has for them. */
async function tokensFor(app: TestApp): Promise<string[]> {
  const session = await insertSession(app, { email_verified: true });
  const named = await insertSession(app);
  await setUser(app, named.user_id, { display_name: 'Zoë 漢字' });
  const ended = await insertSession(app);
  await setSession(app, ended.session_id, { revoked_at: app.clock.now() });
  const { email } = await registerUser(app);
  const { browser } = await signInByCode(app, email);
  const { key } = await machine(await founder(app));
  const now = app.clock.now();
  const claims = { sub: session.user_id, sid: session.session_id, email: session.email, email_verified: true } as const;
  const elsewhere = await app.deps.accessTokens.issue(
    { ...claims, org: uuid(), jti: uuid(), aal: 'aal1', auth_method: 'password', auth_time: 0 },
    { now, session_ends: new Date(now.getTime() + 3600_000) },
  );
  return [
    session.access_token,
    named.access_token,
    ended.access_token,
    elsewhere.access_token,
    browser.jar.get('service_at')!,
    key,
    (await exchange(app, key)).json.access_token,
    // Changes one character of the signature.
    session.access_token.replace(/.(?=.{39}$)/, (char) => (char === 'A' ? 'B' : 'A')),
    'x',
  ];
}

const pair = usePair();
const corsPair = usePair({ CORS_ORIGINS: LISTED, PUBLIC_BASE_URL: 'https://id.example.com' });

describe.each([
  ['without CORS_ORIGINS', pair],
  ['with CORS_ORIGINS', corsPair],
])('fast path, %s', (_name, { fast, plain }) => {
  let tokens: string[];
  beforeAll(async () => {
    tokens = await tokensFor(fast);
  });

  const requests = (): fc.Arbitrary<Asked> => {
    const token = fc.constantFrom(...tokens);
    const header = (name: string, ...values: string[]) =>
      fc.constantFrom(...values.map((value) => [name, value] as const));
    const credentials = fc.oneof(
      { weight: 4, arbitrary: token.map((value) => [bearer(value)]) },
      { weight: 4, arbitrary: token.map((value) => [['cookie', `a=b; service_at=${value}`] as const]) },
      token.map((value) => [['authorization', `bearer ${value}`] as const]),
      token.map((value) => [['authorization', `Bearer  ${value} `] as const]),
      token.map((value) => [['authorization', `Digest ${value}`] as const]),
      token.map((value) => [['authorization', 'Basic eDp5'] as const, ['cookie', `service_at=${value}`] as const]),
      token.map((value) => [['cookie', `service_at=${value}; service_at=${value}`] as const]),
      fc.tuple(token, token).map(([one, other]) => [bearer(one), ['cookie', `service_at=${other}`] as const]),
      fc.tuple(token, token).map(([one, other]) => [bearer(one), bearer(other)]),
      fc.constant([]),
    );
    const others = fc.subarray(
      [
        header('x-request-id', uuid(), uuid().toUpperCase(), 'not a UUID'),
        header('origin', LISTED, 'https://other.example.com', 'null'),
        header('if-none-match', '*', '"x", W/"y"', ''),
        header('accept', 'text/html', 'application/json'),
        header('connection', 'close', 'keep-alive'),
        header('x-forwarded-for', '203.0.113.7'),
        header('x-service-csrf', 'x'),
        header('x-service-user', uuid()),
        header('content-type', 'application/json', 'text/plain', ';'),
        header('range', 'bytes=0-1'),
        header('accept-version', '1.x'),
      ],
      { maxLength: 3 },
    );
    const path = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...HOT) },
      fc
        .tuple(fc.constantFrom(...HOT), fc.constantFrom('?', '?after=x', '/', '#x', ';x', '%20', '/x'))
        .map((parts) => parts.join('')),
      fc.constantFrom('/auth/session', '/%68ealthz', '//healthz', '/HEALTHZ', '/v1/healthz'),
    );
    return fc.record({
      method: fc.oneof({ weight: 8, arbitrary: fc.constant('GET') }, fc.constantFrom('HEAD', 'POST', 'OPTIONS', 'PUT')),
      path,
      headers: fc
        .tuple(
          credentials,
          others.chain((chosen) => fc.tuple(...chosen)),
        )
        .map(([one, other]) => [...one, ...other]),
      body: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.constantFrom('', '{}')),
    });
  };

  it('arbitrary requests get the same status, headers, bytes, log line and metrics as without the fast path', async () => {
    for (const app of [fast, plain]) app.logs.length = 0;
    const before = [await countsOf(fast), await countsOf(plain)];
    let sent = 0;
    const ask = async (asked: Asked) => {
      sent++;
      const [one, other] = [await send(fast, asked), await send(plain, asked)];
      expect(comparable(one, asked)).toEqual(comparable(other, asked));
    };
    const routed = fast.routed();
    await fc.assert(fc.asyncProperty(requests(), ask), { numRuns: 50 });
    expect(sent - (fast.routed() - routed)).toBeGreaterThan(5);
    await expect.poll(() => loggedBy(fast).length).toBe(sent);
    await expect.poll(() => loggedBy(plain).length).toBe(sent);
    expect(loggedBy(fast)).toEqual(loggedBy(plain));
    const increase = async (app: TestApp, earlier: readonly string[]) => {
      const counts = new Map(earlier.map((line) => line.split('} ') as [string, string]));
      const pairs = (await countsOf(app)).map((line) => line.split('} ') as [string, string]);
      return pairs.map(([series, count]) => [series, Number(count) - Number(counts.get(series) ?? 0)] as const);
    };
    const more = (rows: readonly (readonly [string, number])[]) => rows.filter(([, count]) => count > 0);
    expect(more(await increase(fast, before[0]!))).toEqual(more(await increase(plain, before[1]!)));
  });

  it('each frequent request is answered without the framework, and a conditional one by its route', async () => {
    for (const path of HOT) {
      const asked = { path, headers: [bearer(tokens[0]!)] };
      const heard = await sendFast(fast, asked);
      expect([path, heard.status]).toEqual([path, 200]);
      const etag = headerOf(heard, 'etag');
      if (etag === undefined) continue;
      const again = await send(fast, { path, headers: [['if-none-match', etag]] });
      expect([path, again.status, again.body]).toEqual([path, 304, '']);
    }
  });

  it('a token of a known session is rejected if its signature, organization or scheme is wrong', async () => {
    const [session, , , elsewhere, , , , forged] = tokens;
    // The routes have accepted the token, so that it is in memory.
    for (const path of [SESSION, SESSION]) await send(fast, { path, headers: [bearer(session!)] });
    for (const headers of [
      [bearer(forged!)],
      [bearer(elsewhere!)],
      [['authorization', `Digest ${session}`] as const],
    ]) {
      const asked = { path: SESSION, headers };
      for (const app of [fast, fast, plain]) expect((await send(app, asked)).status).toBe(401);
    }
  });

  it.each([
    ['a body', { path: '/healthz', body: 'x' }],
    ['a chunked body', { path: '/healthz', headers: [['transfer-encoding', 'chunked']] }],
    ['a query', { path: '/healthz?x' }],
    ['HEAD', { path: '/healthz', method: 'HEAD' }],
  ] as const)('a request with %s reaches the framework', async (_what, asked) => {
    const routed = fast.routed();
    expect((await send(fast, asked)).status).toBe(200);
    expect(fast.routed()).toBe(routed + 1);
  });
});

describe('fast path and CORS', () => {
  it('a request with Origin reaches the framework if CORS_ORIGINS is set', async () => {
    const routed = corsPair.fast.routed();
    const answer = await send(corsPair.fast, { path: '/healthz', headers: [['origin', LISTED]] });
    expect(headerOf(answer, 'access-control-allow-origin')).toBe(LISTED);
    expect(corsPair.fast.routed()).toBe(routed + 1);
  });
});

describe('fast path and changes', () => {
  const { fast, plain } = pair;

  /** The session of a token, from memory. */
  async function openSession() {
    const session = await insertSession(fast);
    const asked = { path: SESSION, headers: [bearer(session.access_token)] };
    expect((await sendFast(fast, asked)).status).toBe(200);
    return { ...session, asked };
  }
  type Session = Awaited<ReturnType<typeof openSession>>;

  it.each<[string, (session: Session) => Promise<unknown>, number]>([
    [
      'signs out',
      ({ access_token }) =>
        fast.server.inject({
          method: 'POST',
          url: '/v1/auth/logout',
          headers: Object.fromEntries([bearer(access_token)]),
        }),
      401,
    ],
    [
      'is disabled',
      async ({ user_id }) => {
        await setUser(fast, user_id, { status: 'disabled' });
        await fast.deps.bus.deliver([{ topic: 'user', key: user_id }]);
      },
      401,
    ],
    [
      'is no longer a member',
      async ({ user_id }) => {
        await endMemberships(fast, user_id);
        await fast.deps.bus.deliver([{ topic: 'user', key: user_id }]);
      },
      401,
    ],
    [
      'is in an organization that is suspended',
      async ({ organization_id }) => {
        await suspendOrganization(fast, organization_id);
        await fast.deps.bus.deliver([{ topic: 'organization', key: organization_id }]);
      },
      401,
    ],
    [
      'changes their name',
      ({ access_token }) =>
        fast.server.inject({
          method: 'PATCH',
          url: '/v1/users/me',
          headers: Object.fromEntries([bearer(access_token)]),
          payload: { display_name: 'New' },
        }),
      200,
    ],
  ])('the next response shows the change after the user %s', async (_what, change, status) => {
    const session = await openSession();
    await change(session);
    const heard = await send(fast, session.asked);
    expect(heard.status).toBe(status);
    expect(comparable(heard, session.asked)).toEqual(comparable(await send(plain, session.asked), session.asked));
  });

  it('an expired token is rejected', async () => {
    const { asked } = await openSession();
    fast.clock.advance(fast.deps.config.ACCESS_TOKEN_TTL);
    expect((await send(fast, asked)).status).toBe(401);
  });

  it('a session that may have unproven credentials is shown them, and their removal at once', async () => {
    const { email } = await registerUser(fast);
    const { browser } = await signInByCode(fast, email);
    const asked = { path: SESSION, headers: [bearer(browser.jar.get('service_at')!)] };
    const shown = async () => JSON.parse((await send(fast, asked)).body).user.extensions.unproven_credentials;
    expect([await shown(), await shown()]).toEqual([['password'], ['password']]);
    await browser.post('/auth/reclaim');
    expect(await shown()).toBeUndefined();
  });

  it('a feed of many parts has the same bytes as on the ordinary route', async () => {
    await sql`insert into revocations (sid, revoked_at, expires_at)
      select gen_random_uuid(), ${fast.clock.now()}, ${new Date('2031-01-01')} from generate_series(1, 9000)`.execute(
      fast.deps.db,
    );
    const asked = { path: FEED };
    await expect.poll(async () => (await send(fast, asked)).body.length).toBeGreaterThan(1_000_000);
    const heard = await sendFast(fast, asked);
    await expect.poll(async () => (await send(plain, asked)).body.length).toBe(heard.body.length);
    expect(comparable(heard, asked)).toEqual(comparable(await send(plain, asked), asked));
  });

  it('closes connections while the process shuts down', async () => {
    fast.deps.lifecycle.leaving = true;
    const heard = await send(fast, { path: '/healthz' });
    fast.deps.lifecycle.leaving = false;
    expect(headerOf(heard, 'connection')).toBe('close');
  });

  it('pipelined requests are answered in order, also if a route answers the first and the fast path could the second', async () => {
    const heard = await sendRaw(
      fast,
      'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\nGET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    );
    expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(heard.indexOf('"openapi"')).toBeLessThan(heard.indexOf('{"status":"ok"}'));
  });
});

describe('fast path under overload', () => {
  const app = useListening({ features: [discovery, sessions], environment: { OVERLOAD_DELAY_MS: '100' } });

  it('requests for the session get 429, and the key set is still sent', async () => {
    const { access_token } = await insertSession(app);
    const asked = { path: SESSION, headers: [bearer(access_token)] };
    // The machine that runs the test may be overloaded too.
    for (let times = 0; times < 2; times++) await expect.poll(async () => (await send(app, asked)).status).toBe(200);
    for (let stops = 0; stops < 5; stops++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      await nextTurn();
    }
    expect((await send(app, asked)).status).toBe(429);
    expect((await send(app, { path: JWKS })).status).toBe(200);
  });
});
