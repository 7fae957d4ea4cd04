import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, useTestApp } from '../../test/harness.ts';
import { ServiceError } from '../domain/kernel/service-error.ts';
import { discovery } from '../features/discovery/routes.ts';
import { health } from '../features/health/routes.ts';
import { PoolBusy } from '../platform/db/errors.ts';
import { type Feature, route } from './route.ts';

const Body = Type.Object({
  email: Type.String({ format: 'text', minLength: 3, maxLength: 254 }),
  password: Type.String({ format: 'password', minLength: 12, maxLength: 256 }),
  role: Type.Optional(Type.Enum(['owner', 'admin'])),
  id: Type.Optional(Type.String({ format: 'uuid' })),
});

const probe: Feature = {
  name: 'Probe',
  routes: [
    route({
      method: 'POST',
      path: '/probe',
      admits: ['anyone'],
      summary: 'echoes',
      body: Body,
      responses: { 200: Type.Object({ email: Type.String() }) },
      handler: ({ body }) => ({ email: body.email, secret: 'not in the schema' }),
    }),
    route({
      method: 'POST',
      path: '/list',
      admits: ['anyone'],
      summary: 'takes a list',
      body: Type.Object({ items: Type.Array(Type.Enum(['a', 'b'])) }),
      responses: { 204: null },
      handler: ({ reply }) => reply.code(204).send(),
    }),
    route({
      method: 'POST',
      path: '/optional',
      admits: ['anyone'],
      summary: 'takes a body with nothing in it',
      body: Type.Object({ name: Type.Optional(Type.String()) }),
      responses: { 200: Type.Object({ name: Type.String() }) },
      handler: ({ body }) => ({ name: body.name ?? 'none' }),
    }),
    route({
      method: 'POST',
      path: '/anything',
      admits: ['anyone'],
      summary: 'takes any body',
      body: Body,
      bodyKind: 'any',
      responses: { 204: null },
      handler: ({ reply }) => reply.code(204).send(),
    }),
    route({
      method: 'POST',
      path: '/form',
      admits: ['anyone'],
      summary: 'takes the fields of a form',
      body: Type.Object({ a: Type.Optional(Type.String()) }),
      bodyKind: 'form',
      responses: { 200: Type.Array(Type.Array(Type.String())) },
      handler: ({ body }) => [...((body ?? []) as unknown as Map<string, string>)],
    }),
    route({
      method: 'POST',
      path: '/nothing',
      admits: ['anyone'],
      summary: 'takes no body',
      responses: { 204: null },
      handler: ({ reply }) => reply.code(204).send(),
    }),
    route({
      method: 'GET',
      path: '/crash/:kind',
      admits: ['anyone'],
      summary: 'fails',
      responses: { 200: null },
      handler: ({ params }) => {
        const { kind } = params as unknown as { kind: string };
        if (kind === 'limited') throw new ServiceError('rate_limited', 'slow down', { retryAfter: 7 });
        if (kind === 'busy') throw new PoolBusy('of the driver');
        throw new Error('with a secret: hunter2');
      },
    }),
  ],
};

const app = useTestApp({ features: [probe] });
beforeAll(async () => {
  await app.server.listen({ port: 0, host: '127.0.0.1' });
});

const post = (url: string, payload: string | Buffer, type: string | undefined = 'application/json') =>
  app.server.inject({ method: 'POST', url, payload, headers: type ? { 'content-type': type } : {} });

const expectInvalid = async (payload: string | Buffer, message: string | RegExp, type?: string) => {
  const response = await post('/v1/probe', payload, type ?? 'application/json');
  expect(response.statusCode).toBe(400);
  expect(response.json().error).toMatchObject({ code: 'invalid_input', type: 'validation_error' });
  expect(response.json().error.message).toMatch(message);
};

const GOOD = { email: 'a@b.de', password: 'twelve chars!' };
const with_ = (more: object) => JSON.stringify({ ...GOOD, ...more });

describe('§7 validation of bodies, and the error body', () => {
  it('a body that arrives in single bytes is read like one that arrives at once', async () => {
    const name = 'ö'.repeat(3_000);
    const bytes = Buffer.from(JSON.stringify({ name }));
    const payload = Readable.from(Array.from(bytes, (byte) => Buffer.of(byte)));
    const headers = { 'content-type': 'application/json' };
    const answer = await app.server.inject({ method: 'POST', url: '/v1/optional', payload, headers });
    expect(answer.json()).toEqual({ name });
  });

  it('accepts a valid body, ignores unknown fields, and returns only fields of the schema', async () => {
    const response = await post('/v1/probe', with_({ more: 1, ['__proto__']: { polluted: true } }));
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ email: 'a@b.de' });
  });

  it('names the invalid field and its rule', async () => {
    await expectInvalid(with_({ password: 'short' }), /^password: must be 12 to 256 characters$/);
    await expectInvalid(with_({ password: '🔑'.repeat(11) }), /^password: must be 12 to 256 characters$/);
    await expectInvalid(with_({ role: 'king' }), /^role: must be one of owner, admin$/);
    await expectInvalid(with_({ id: 'x' }), /^id: must be a UUID$/);
    await expectInvalid(with_({ email: 5 }), /^email: must be a string$/);
    await expectInvalid('{}', /^email: is required; password: is required$/);
    await expectInvalid(with_({ password: 'short', id: 'x' }), /^password: .*; id: must be a UUID$/);
  });

  it('rejects control characters, NUL and lone surrogates', async () => {
    for (const bad of ['a\u0000b', 'a\nb', 'a\u007fb', 'a\ud800b'])
      await expectInvalid(with_({ email: bad }), /^email: /);
    await expectInvalid(
      '{"email":"abc","password":"twelve chars\\ud800"}',
      /^password: must not contain invalid Unicode$/,
    );
    expect((await post('/v1/probe', with_({ password: 'twelve\u0000chars' }))).statusCode).toBe(200);
  });

  it.each([
    ['invalid JSON', '{"email":', undefined],
    ['an array', '[1]', undefined],
    ['a string', '"text"', undefined],
    ['null', 'null', undefined],
    ['an empty body', '', undefined],
    ['a form', 'email=a', 'application/x-www-form-urlencoded'],
    ['text/plain', JSON.stringify(GOOD), 'text/plain'],
    ['a type similar to JSON', JSON.stringify(GOOD), 'application/jsonx'],
    ['a malformed content type', JSON.stringify(GOOD), ';;;'],
    ['UTF-16', Buffer.from(JSON.stringify(GOOD), 'utf16le'), undefined],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), undefined],
    ['deep nesting', '['.repeat(200_000), undefined],
  ])('returns 400 for %s', async (_name, payload, type) => {
    await expectInvalid(payload as string, /^body: must /, type as string | undefined);
  });

  it('returns 400 for a body over 1 MiB, declared or streamed', async () => {
    await expectInvalid(with_({ more: 'x'.repeat(1024 * 1024) }), /^body: must be at most 1048576 bytes$/);
    const { port } = app.server.server.address() as { port: number };
    const stream = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 20; index++) controller.enqueue(new TextEncoder().encode(' '.repeat(64 * 1024)));
        controller.close();
      },
    });
    const response = await fetch(`http://127.0.0.1:${port}/v1/probe`, {
      method: 'POST',
      body: stream,
      headers: { 'content-type': 'application/json' },
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(400);
  });

  it('limits the message for a body with many faults', async () => {
    const response = await post('/v1/list', JSON.stringify({ items: Array(20_000).fill(7) }));
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message.split('; ')).toHaveLength(20);
  });

  it('does not log an error for an incomplete body', async () => {
    const socket = connect((app.server.server.address() as { port: number }).port, '127.0.0.1');
    socket.write(
      'POST /v1/probe HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = app.logs.filter((line) => line.level === 50).length;
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(app.logs.filter((line) => line.level === 50)).toHaveLength(before);
  });

  it('rejects a body with too many brackets or fields without parsing it', async () => {
    const nested = (depth: number) => `{"email":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const wide = `{"email":[${'[],'.repeat(300_000)}0]}`;
    const fields = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join()}}`;
    for (const tangled of [nested(20_000), nested(500_000), wide, fields(20_000), fields(90_000)]) {
      const answer = await post('/v1/probe', tangled, 'application/json');
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.message).toBe('body: must contain at most 20000 arrays, objects and fields');
    }
    const answer = await post('/v1/probe', nested(19_000), 'application/json');
    expect(answer.json().error.message).toMatch(/email: must be a string/);
    expect((await post('/v1/probe', fields(19_000))).json().error.message).toMatch(/email: is required/);
  });

  it('accepts JSON with a charset', async () => {
    expect((await post('/v1/probe', JSON.stringify(GOOD), 'Application/JSON; charset=UTF-8')).statusCode).toBe(200);
  });

  it('a body whose fields are all optional may be omitted, and is validated if present', async () => {
    const none = await app.server.inject({ method: 'POST', url: '/v1/optional' });
    expect([none.statusCode, none.json()]).toEqual([200, { name: 'none' }]);
    expect((await post('/v1/optional', '{"name":"x"}', 'application/json')).json()).toEqual({ name: 'x' });
    for (const [payload, type] of [
      ['null', 'application/json'],
      ['[]', 'application/json'],
      ['{', 'application/json'],
      ['{"name":"x"}', 'text/plain'],
    ] as const) {
      expect((await post('/v1/optional', payload, type)).statusCode).toBe(400);
    }
  });

  it('accepts a form, and nothing else, on a form route', async () => {
    const FORM = 'application/x-www-form-urlencoded';
    const fieldsOf = async (payload: string | Buffer, type: string) => (await post('/v1/form', payload, type)).json();
    expect(await fieldsOf('a=1+2&b=%26%c3%a9&c', `${FORM}; charset=UTF-8`)).toEqual([
      ['a', '1 2'],
      ['b', '&é'],
      ['c', ''],
    ]);
    expect(await fieldsOf('a=1&b=2&a=1&__proto__=x', FORM.toUpperCase())).toEqual([
      ['b', '2'],
      ['__proto__', 'x'],
    ]);
    expect(await fieldsOf(Buffer.from([0x61, 0x3d, 0xff, 0x00]), FORM)).toEqual([['a', '\ufffd\u0000']]);
    expect(await fieldsOf('', FORM)).toEqual([]);
    expect((await app.server.inject({ method: 'POST', url: '/v1/form' })).json()).toEqual([]);
    for (const type of ['application/json', 'text/plain', `${FORM}x`, 'multipart/form-data', ';;;']) {
      const answer = await post('/v1/form', 'a=1', type);
      expect([answer.statusCode, answer.json().error.message], type).toEqual([
        400,
        'body: must have the content type application/x-www-form-urlencoded',
      ]);
    }
    expect((await post('/v1/form', `a=${'x'.repeat(64 * 1024 - 2)}`, FORM)).statusCode).toBe(200);
    expect((await post('/v1/form', `a=${'x'.repeat(64 * 1024 - 1)}`, FORM)).statusCode).toBe(400);
    expect((await post('/v1/form', 'a&'.repeat(32 * 1024), FORM)).json()).toEqual([]);
  });

  it('accepts every body on a route that takes any body or none', async () => {
    for (const url of ['/v1/anything', '/v1/nothing']) {
      for (const [payload, type] of [
        ['{', 'application/json'],
        ['x', 'text/plain'],
        ['', undefined],
        ['x'.repeat(1024 * 1024 + 1), 'application/json'],
        ['x', 'a'],
        ['x', ';;;'],
        ['{}', 'application/json;;;'],
        ['x', 'multipart/form-data'],
      ] as const) {
        expect((await post(url, payload, type)).statusCode).toBe(204);
      }
    }
  });

  it.each([
    ['GET', '/v1/unknown'],
    ['PUT', '/v1/probe'],
    ['OPTIONS', '/v1/probe'],
    ['GET', '/v1/%'],
    ['GET', '/v1/crash/%ff'],
    ['GET', `/v1/crash/${'x'.repeat(500)}`],
    ['GET', '/v1/probe/'],
  ])('returns 404 in JSON for %s %s', async (method, url) => {
    const response = await app.server.inject({ method: method as 'GET', url, headers: { accept: 'text/html' } });
    expect(response.statusCode).toBe(404);
    expect(response.json().error).toMatchObject({ code: 'not_found', type: 'not_found' });
  });

  it('returns no details of an exception and logs it with the request id', async () => {
    const response = await app.server.inject('/v1/crash/now');
    expect(response.statusCode).toBe(500);
    expect(response.body).not.toContain('hunter2');
    expect(response.json().error.code).toBe('internal_error');
    const line = app.logs.find((entry) => entry.request_id === response.headers['x-request-id'] && entry.level === 50);
    expect(line).toMatchObject({ route: '/v1/crash/:kind' });
    const summary = app.logs.find(({ msg, status }) => msg === 'request' && status === 500);
    expect(summary).toMatchObject({ level: 50, error: 'internal_error' });
  });

  it('sends Retry-After with 429', async () => {
    const response = await app.server.inject('/v1/crash/limited');
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('7');
  });

  it('returns 429, without an error in the log, if no pooled connection becomes free in time', async () => {
    const response = await app.server.inject('/v1/crash/busy');
    expect(response.statusCode).toBe(429);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.json().error.code).toBe('rate_limited');
    const lines = app.logs.filter(({ request_id }) => request_id === response.headers['x-request-id']);
    expect(lines.filter(({ level }) => level === 50)).toEqual([]);
    expect(await app.deps.metrics.text()).toContain('gatehouse_http_shed_total 1');
  });
});

describe('malformed HTTP gets 404 or 400 with the error body', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect((app.server.server.address() as { port: number }).port, '127.0.0.1', () =>
        socket.write(text),
      );
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
    });

  it.each([
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['garbage', 'hello\r\n\r\n', 404],
    ['two lengths', 'POST /v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    ['a header too long', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
    ['a path too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 400],
    ['no Host', 'GET /v1/unknown HTTP/1.1\r\nConnection: close\r\n\r\n', 404],
    ['an unknown Expect header', 'GET /v1/unknown HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['QUERY', 'QUERY /v1/probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx', 404],
    ['a URL that cannot be decoded', 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
  ])('malformed HTTP gets 404 or 400 with the error body: %s', async (_name, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}/i);
    expect(answer).toMatch(/x-content-type-options: nosniff/i);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!).error.code).toBe(status === 404 ? 'not_found' : 'invalid_input');
  });
});

describe('CONNECT', () => {
  it('does not end the process if the client resets the connection', async () => {
    const { port } = app.server.server.address() as { port: number };
    const knock = () =>
      new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
          socket.resetAndDestroy();
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve());
      });
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 10 }, knock));
    expect((await fetch(`http://127.0.0.1:${port}/v1/unknown`)).status).toBe(404);
  });
});

describe('request ids and headers', () => {
  it('uses a UUID from the request as request id, or generates one, and returns it', async () => {
    const given = '0190f3a0-1111-7222-8333-444455556666';
    const taken = await app.server.inject({ url: '/v1/nope', headers: { 'x-request-id': given.toUpperCase() } });
    expect(taken.headers['x-request-id']).toBe(given);
    const made = await app.server.inject({ url: '/v1/nope', headers: { 'x-request-id': 'evil\tvalue' } });
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('every response has the security headers and is not cached', async () => {
    const { headers } = await app.server.inject('/v1/nope');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it('sends HSTS only with an https PUBLIC_BASE_URL', async () => {
    expect((await app.server.inject('/v1/nope')).headers['strict-transport-security']).toBeUndefined();
    const secure = await startTestApp({
      features: [probe],
      environment: { PUBLIC_BASE_URL: 'https://id.example.com' },
    });
    const { headers } = await secure.server.inject('/v1/nope');
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
    await secure.close();
  });

  it('sends no CORS header by default', async () => {
    const response = await app.server.inject({ url: '/v1/nope', headers: { origin: 'https://evil.example' } });
    expect(response.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('logs the route template, never the path or query', async () => {
    await app.server.inject('/v1/crash/hidden-value?token=hidden-token');
    expect(JSON.stringify(app.logs)).not.toMatch(/hidden-/);
  });
});

describe('CORS_ORIGINS', () => {
  it('allows exactly the listed origins, with credentials', async () => {
    const listed = await startTestApp({ features: [probe], environment: { CORS_ORIGINS: 'https://app.example' } });
    const ask = (origin: string) =>
      listed.server.inject({
        method: 'OPTIONS',
        url: '/v1/probe',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    try {
      const good = await ask('https://app.example');
      expect(good.statusCode).toBe(204);
      expect(good.headers).toMatchObject({
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-credentials': 'true',
        vary: 'origin',
      });
      for (const origin of ['https://app.example.evil', 'http://app.example', 'null', 'https://evil.example']) {
        const bad = await ask(origin);
        expect(bad.statusCode).toBe(404);
        expect(bad.headers['access-control-allow-origin']).toBeUndefined();
      }
    } finally {
      await listed.close();
    }
  });
});

const NEVER_SHED = [
  '/healthz',
  '/readyz?from=balancer',
  '/.well-known/jwks.json',
  '/.well-known/openid-configuration',
  '/.well-known/service-revocations.json',
  '/.well-known/service-revocations.json?after=nothing',
];

describe('load shedding', () => {
  it('returns 429 with Retry-After under overload, except for probes and endpoints that verifiers poll', async () => {
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold = route({
      method: 'GET',
      path: '/hold',
      admits: ['anyone'],
      summary: 'waits',
      responses: { 204: null },
      handler: async ({ reply }) => {
        await blocked;
        return reply.code(204).send();
      },
    });
    const busy = await startTestApp({ features: [health, discovery, { name: 'Hold', routes: [hold] }] });
    await busy.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = busy.server.server.address() as { port: number };
    const ask = 'GET /v1/hold HTTP/1.1\r\nHost: x\r\n\r\n';
    let answered = 0;
    const sockets = Array.from({ length: 2_000 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write(ask));
      return socket.on('data', (chunk) => {
        answered += chunk.toString().split('HTTP/1.1 204').length - 1;
      });
    });
    const fetched = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await expect.poll(async () => (await fetched('/metrics')).status).toBe(429);
    const answer = await fetched('/metrics');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ error: { code: 'rate_limited' } });
    for (const path of NEVER_SHED) expect((await fetched(path)).status, path).toBe(200);
    expect((await fetched('/.well-known/none')).status).toBe(404);
    release();
    await expect.poll(() => answered).toBe(2_000);
    expect((await fetched('/metrics')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await busy.close();
  });

  it.each([
    ['100', 429],
    ['60000', 200],
  ])(
    'at a constant event-loop delay of 300 ms and OVERLOAD_DELAY_MS=%s, the status is %i',
    async (OVERLOAD_DELAY_MS, status) => {
      const late = await startTestApp({ features: [health], environment: { OVERLOAD_DELAY_MS } });
      for (let stops = 0; stops < 5; stops++) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        await nextTurn();
      }
      expect((await late.server.inject('/metrics')).statusCode).toBe(status);
      expect((await late.server.inject('/readyz')).statusCode).toBe(200);
      await late.close();
    },
  );
});

describe('disconnected clients', () => {
  it('are no longer counted: after 2,100 resets no request is shed', async () => {
    const blocked = new Promise<void>(() => {});
    const hold = route({
      method: 'GET',
      path: '/hold',
      admits: ['anyone'],
      summary: 'never answers',
      responses: { 204: null },
      handler: () => blocked,
    });
    const left = await startTestApp({ features: [health, { name: 'Hold', routes: [hold] }] });
    await left.server.listen({ port: 0, host: '127.0.0.1' });
    const { server } = left.server;
    const { port } = server.address() as { port: number };
    let connected = 0;
    server.on('connection', (connection) => {
      connected++;
      connection.on('close', () => connected--);
    });
    let received = 0;
    server.on('request', () => received++);
    /** Resets connections when the server has all their requests: at most 2,000, which is the limit of the service. */
    const resetAll = async (connections: number, times: number, last = '') => {
      received = 0;
      const sockets = Array.from({ length: connections }, () => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        socket.write('GET /v1/hold HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(times) + last);
        return socket;
      });
      await expect.poll(() => received).toBe(connections * times);
      for (const socket of sockets) socket.resetAndDestroy();
      await expect.poll(() => connected).toBe(0);
    };
    for (let round = 0; round < 7; round++) await resetAll(300, 1);
    // Pipelined responses after the first are never notified that their client has disconnected: they are not counted.
    for (let round = 0; round < 2; round++) {
      for (const times of [16, 17]) await resetAll(75, times);
      await resetAll(75, 16, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    }
    expect((await left.server.inject('/readyz')).statusCode).toBe(200);
    expect((await left.server.inject('/metrics')).body).toContain('gatehouse_http_shed_total 0');
    await left.close();
  });
});

describe('clients that do not read', () => {
  it('a response are disconnected', async () => {
    const much = route({
      method: 'GET',
      path: '/much',
      admits: ['anyone'],
      summary: 'answers more than the buffers on the way can hold',
      responses: { 200: null },
      produces: 'image/webp',
      handler: ({ reply }) => reply.type('image/webp').send(Buffer.alloc(32 * 1024 * 1024)),
    });
    const kept = await startTestApp({ features: [{ name: 'Much', routes: [much] }] });
    await kept.server.listen({ port: 0, host: '127.0.0.1' });
    const { server } = kept.server;
    expect(server.timeout).toBe(60_000);
    server.timeout = 100;
    const hungUp = once(server, 'connection').then(([socket]) => once(socket, 'close'));
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1', () =>
      socket.pause().write('GET /v1/much HTTP/1.1\r\nHost: x\r\n\r\n'),
    );
    socket.on('error', () => {});
    await hungUp;
    socket.destroy();
    await kept.close();
  });
});

describe('whom a route admits', () => {
  it('a route that does not say whom it admits stops the start of the server', async () => {
    const careless: Feature = { name: 'Careless', routes: [{ ...probe.routes[0]!, admits: [] }] };
    await expect(startTestApp({ features: [careless] })).rejects.toThrow('POST /v1/probe does not say whom it admits');
    const forgetful = { ...probe.routes[0]!, admits: undefined } as unknown as (typeof probe.routes)[0];
    await expect(startTestApp({ features: [{ name: 'x', routes: [forgetful!] }] })).rejects.toThrow('does not say');
  });
});
