import { User } from '@gatehouse/contract';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi } from '../src/http/openapi.ts';
import { type Feature, route } from '../src/http/route.ts';
import { startTestApp } from './harness.ts';
import { type Answer, checkError, createResponseCheck } from './openapi-check.ts';
import { checkServed, learnDocument } from './openapi-watch.ts';

/** The handlers of `/things/:way`. All except `honest` violate the declared response. */
const WAYS: Record<string, (reply: FastifyReply) => unknown> = {
  honest: (reply) => reply.send({ id: 1 }),
  'wrong-body': (reply) => reply.type('application/json').send('{"id":"one"}'),
  'more-than-said': (reply) => reply.type('application/json').send('{"id":1,"secret":2}'),
  status: (reply) => reply.code(202).send(),
  type: (reply) => reply.type('text/plain').send('1'),
  header: (reply) => reply.header('x-unheard-of', '1').send({ id: 1 }),
};

const lying: Feature = {
  name: 'Lies',
  routes: [
    route({
      method: 'GET',
      path: '/things/:way',
      admits: ['anyone'],
      summary: 'a thing',
      params: Type.Object({ way: Type.Enum(Object.keys(WAYS)) }),
      responses: { 200: Type.Object({ id: Type.Integer() }) },
      handler: ({ params, reply }) => WAYS[params.way]!(reply),
    }),
    route({
      method: 'GET',
      path: '/me',
      admits: ['session'],
      summary: 'a record',
      responses: { 200: User, 204: null, 304: null },
      handler: () => undefined,
    }),
  ],
};

const document = buildOpenApi([lying], { prefix: '/v1', baseUrl: 'http://localhost', version: '1' });
const check = createResponseCheck(document);

const THING: Answer = {
  method: 'GET',
  path: '/v1/things/{way}',
  status: 200,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': '01890000-0000-7000-8000-000000000000',
  },
  body: '{"id":1}',
};
const thing = (change: Partial<Answer>): Answer => ({ ...THING, ...change });
const failure = (code: string, message: unknown = 'x') => JSON.stringify({ error: { code, message, type: 'x' } });

describe('a response', () => {
  it('that matches the document passes, also for HEAD, for errors, and with a charset', () => {
    expect(check(THING)).toEqual([]);
    expect(check(thing({ method: 'HEAD', body: '' }))).toEqual([]);
    expect(check(thing({ status: 500, body: failure('internal_error') }))).toEqual([]);
  });

  it.each<[string, Partial<Answer>, string]>([
    ['of an unknown path', { path: '/v1/nothing' }, 'the document has no such operation'],
    ['of an undeclared method', { method: 'DELETE' }, 'the document has no such operation'],
    ['with a status that is not listed', { status: 202 }, 'the status is not listed: 200, 404, 429, 500'],
    ['of a wrong type', { headers: { ...THING.headers, 'content-type': 'text/html' } }, 'the content type text/html'],
    ['without a type', { headers: { 'x-request-id': 'x' } }, 'the content type none is not listed: application/json'],
    ['that is not JSON', { body: '{"id":' }, 'the body is not JSON'],
    ['with a wrong value', { body: '{"id":"1"}' }, 'the body/id must be integer'],
    ['without a field', { body: '{}' }, "the body must have required property 'id'"],
    ['with an extra field', { body: '{"id":1,"a":2}' }, 'the body must NOT have additional properties a'],
    ['without a header', { headers: { 'content-type': 'application/json' } }, 'the header x-request-id is missing'],
    ['with an extra header', { headers: { ...THING.headers, 'set-cookie': ['a=b'] } }, 'the header set-cookie is not'],
    ['without Retry-After', { status: 429, body: failure('rate_limited') }, 'the header retry-after is missing'],
    ['with an error of another operation', { status: 404, body: failure('conflict') }, 'the error conflict is not'],
    ['with an error of an invalid shape', { status: 404, body: failure('not_found', 1) }, 'message must be string'],
  ])('%s is reported', (_, change, fault) => {
    const faults = check(thing(change));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });

  it('is validated at every depth, through references', () => {
    const membership = { organization_id: 'x', organization_name: 'E', organization_slug: 'e', role: 'owner' };
    const headers = { ...THING.headers, etag: '"1"' };
    const faults = check(thing({ path: '/v1/me', headers, body: JSON.stringify({ memberships: [membership] }) }));
    expect(faults).toContain('the body/memberships/0/organization_id must match format "uuid"');
    expect(faults).toContain("the body/memberships/0 must have required property 'joined_at'");
  });

  it('with a body is reported where none is declared', () => {
    expect(check(thing({ path: '/v1/me', status: 204 }))).toEqual(['there is a body, and none is listed']);
  });

  it('outside of the document must be the error body, with the status of its code', () => {
    const { headers } = THING;
    expect(checkError({ status: 404, headers, body: failure('not_found') })).toEqual([]);
    expect(checkError({ status: 405, headers, body: failure('not_found') })).toHaveLength(1);
    expect(checkError({ status: 404, headers, body: '{"id":1}' })).not.toEqual([]);
    expect(checkError({ status: 404, headers: { 'content-type': 'text/html' }, body: '<p>' })).toHaveLength(1);
  });
});

describe('a service in this process', () => {
  const ask = async (way: string) => {
    const app = await startTestApp({ features: [lying] });
    const { statusCode } = await app.server.inject(`/v1/things/${way}`);
    await app.close();
    return statusCode;
  };

  it('a service that conforms to its document passes', async () => {
    expect(await ask('honest')).toBe(200);
  });

  // Nothing in these tests throws. The check makes them fail after they have run, which `fails` expects.
  it.fails.each(Object.keys(WAYS).filter((way) => way !== 'honest'))(
    'a service that does not conform to its document makes the test fail: %s',
    async (way) => {
      expect(await ask(way)).toBeLessThan(300);
    },
  );

  let outside: Error;
  beforeAll(async () => {
    const app = await startTestApp({ features: [lying] });
    await app.server.inject('/v1/things/status');
    outside = await app.close().then(
      () => new Error('closed'),
      (error) => error,
    );
  });

  it('a service throws the fault when it closes, if no test was running', () => {
    expect(outside.message).toBe(
      'not as /openapi.json says: GET /v1/things/{way} → 202: the status is not listed: 200, 404, 429, 500',
    );
  });
});

describe('a service at an address', () => {
  it('is checked against the document it serves, until it stops', async () => {
    const app = await startTestApp();
    const url = await app.server.listen({ host: '127.0.0.1', port: 0 });
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    await learnDocument(url, ended);
    const { method, headers, body } = THING;
    const answer =
      (path: string, status: number, text = body) =>
      () =>
        checkServed(url, { method, path, status, headers, body: text });
    expect(answer('/healthz', 200, '{"status":"ok"}')).not.toThrow();
    expect(answer('/healthz', 200)).toThrow('not as /openapi.json says: GET /healthz → 200: the body must');
    expect(answer('/v1/users/me?a=b', 418)).toThrow('GET /v1/users/me → 418: the status is not listed');
    expect(answer('/v1/users/01890000-0000-7000-8000-000000000000', 418)).toThrow('GET /v1/users/{id} → 418');
    expect(answer('/v1/nothing', 404, failure('not_found'))).not.toThrow();
    expect(answer('/v1/auth/oauth-interactions/resume', 302, '')).not.toThrow();
    expect(answer('/v1/nothing', 200)).toThrow('GET no route → 200');
    end();
    await ended;
    expect(answer('/healthz', 200)).not.toThrow();
    await app.close();
  });
});
