import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { createKeySets } from './key-sets.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A provider that publishes these key sets, one per request; the last one is repeated. */
async function publish(...answers: (RequestListener | string[])[]) {
  let requests = 0;
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests++, answers.length - 1)]!;
    if (typeof answer === 'function') answer(request, response);
    else response.end(JSON.stringify({ keys: answer.map((kid) => ({ kid, kty: 'RSA' })) }));
  });
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return { url, requestCount: () => requests };
}

const saying =
  (body: string, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body);

describe('the keys of a provider', () => {
  it('are downloaded once and cached for ten minutes', async () => {
    const clock = createTestClock();
    const keySets = createKeySets(clock);
    const { url, requestCount } = await publish(['a', 'b']);
    expect(await keySets.find(url, 'a')).toEqual({ kid: 'a', kty: 'RSA' });
    clock.advance(599);
    expect(await keySets.find(url, 'b')).toEqual({ kid: 'b', kty: 'RSA' });
    expect(requestCount()).toBe(1);
    clock.advance(1);
    expect(await keySets.find(url, 'a')).toBeDefined();
    expect(requestCount()).toBe(2);
  });

  it('are downloaded again, once, for an unknown key id', async () => {
    const keySets = createKeySets(createTestClock());
    const { url, requestCount } = await publish(['a'], ['a', 'b']);
    await keySets.find(url, 'a');
    expect(await keySets.find(url, 'b')).toMatchObject({ kid: 'b' });
    expect(requestCount()).toBe(2);
    expect(await keySets.find(url, 'c')).toBeUndefined();
    expect(requestCount()).toBe(3);
    expect(await keySets.find(url, 'a')).toBeDefined();
    expect(requestCount()).toBe(3);
  });

  it('are not downloaded twice for an unknown key id at the first use', async () => {
    const { url, requestCount } = await publish(['a']);
    expect(await createKeySets(createTestClock()).find(url, 'b')).toBeUndefined();
    expect(requestCount()).toBe(1);
  });

  it('a withdrawn key is not accepted after the cache expires', async () => {
    const clock = createTestClock();
    const keySets = createKeySets(clock);
    const { url } = await publish(['a'], ['b']);
    await keySets.find(url, 'a');
    clock.advance(600);
    expect(await keySets.find(url, 'a')).toBeUndefined();
  });

  it('cached keys are not accepted for more than ten minutes, even if the provider cannot be reached', async () => {
    const clock = createTestClock();
    const keySets = createKeySets(clock);
    const { url } = await publish(['a'], saying('', 500), ['a']);
    await keySets.find(url, 'a');
    clock.advance(600);
    await expect(keySets.find(url, 'a')).rejects.toThrow('500');
    expect(await keySets.find(url, 'a')).toBeDefined();
  });

  it('keys stay cached when a download for an unknown key id fails', async () => {
    const keySets = createKeySets(createTestClock());
    const { url, requestCount } = await publish(['a'], saying('', 500));
    await keySets.find(url, 'a');
    await expect(keySets.find(url, 'b')).rejects.toThrow('500');
    expect(await keySets.find(url, 'a')).toBeDefined();
    expect(requestCount()).toBe(2);
  });

  it('are downloaded once for concurrent callers, who share a failure too', async () => {
    const pendingResponses: ServerResponse[] = [];
    const { url, requestCount } = await publish((_, response) => void pendingResponses.push(response), ['a']);
    const keySets = createKeySets(createTestClock());
    const finding = Array.from({ length: 20 }, () => keySets.find(url, 'a').catch((error: Error) => error.message));
    await expect.poll(() => pendingResponses.length).toBe(1);
    pendingResponses[0]!.writeHead(503).end();
    expect(new Set(await Promise.all(finding))).toEqual(new Set(['the keys were answered with 503']));
    expect(requestCount()).toBe(1);
    expect(await keySets.find(url, 'a')).toMatchObject({ kid: 'a' });
  });

  it('keys are cached per URL', async () => {
    const keySets = createKeySets(createTestClock());
    const [one, two] = [await publish(['a']), await publish(['b'])];
    await keySets.find(one.url, 'a');
    expect(await keySets.find(two.url, 'a')).toBeUndefined();
    expect(await keySets.find(one.url, 'b')).toBeUndefined();
  });

  it.each([
    ['invalid JSON', saying('{')],
    ['null', saying('null')],
    ['a list', saying('[]')],
    ['no keys', saying('{}')],
    ['keys that are an object', saying('{"keys":{"kid":"a"}}')],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/keys' }).end('{"keys":[{"kid":"a"}]}')],
    ['keys with another status', saying('{"keys":[{"kid":"a"}]}', 404)],
  ] satisfies [string, RequestListener][])('a key set is rejected if the response is %s', async (_what, answer) => {
    const { url, requestCount } = await publish(answer);
    await expect(createKeySets(createTestClock()).find(url, 'a')).rejects.toThrow();
    expect(requestCount()).toBe(1);
  });

  it('entries of a key set that are not keys are ignored', async () => {
    const { url } = await publish(saying('{"keys":[null,7,"a",["a"],{"kid":7},{},{"kid":"a","kty":"RSA"}]}'));
    expect(await createKeySets(createTestClock()).find(url, 'a')).toEqual({ kid: 'a', kty: 'RSA' });
  });

  it('a key set of more than a megabyte is rejected', async () => {
    const { url } = await publish(saying(`{"keys":[{"kid":"a","x":"${'x'.repeat(1024 * 1024)}"}]}`));
    await expect(createKeySets(createTestClock()).find(url, 'a')).rejects.toBeInstanceOf(OutboundError);
  });
});
