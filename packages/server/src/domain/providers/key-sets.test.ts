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

/** A provider whose keys are these, in the order in which it is asked; the last ones stay. */
async function publish(...answers: (RequestListener | string[])[]) {
  let asked = 0;
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked++, answers.length - 1)]!;
    if (typeof answer === 'function') answer(request, response);
    else response.end(JSON.stringify({ keys: answer.map((kid) => ({ kid, kty: 'RSA' })) }));
  });
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  return { url, asked: () => asked };
}

const saying =
  (body: string, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body);

describe('the keys of a provider', () => {
  it('are asked for once and kept for ten minutes', async () => {
    const clock = createTestClock();
    const keySets = createKeySets(clock);
    const { url, asked } = await publish(['a', 'b']);
    expect(await keySets.find(url, 'a')).toEqual({ kid: 'a', kty: 'RSA' });
    clock.advance(599);
    expect(await keySets.find(url, 'b')).toEqual({ kid: 'b', kty: 'RSA' });
    expect(asked()).toBe(1);
    clock.advance(1);
    expect(await keySets.find(url, 'a')).toBeDefined();
    expect(asked()).toBe(2);
  });

  it('one that is not known is asked for anew, once', async () => {
    const keySets = createKeySets(createTestClock());
    const { url, asked } = await publish(['a'], ['a', 'b']);
    await keySets.find(url, 'a');
    expect(await keySets.find(url, 'b')).toMatchObject({ kid: 'b' });
    expect(asked()).toBe(2);
    expect(await keySets.find(url, 'c')).toBeUndefined();
    expect(asked()).toBe(3);
    expect(await keySets.find(url, 'a')).toBeDefined();
    expect(asked()).toBe(3);
  });

  it('the very first time there is nothing newer to ask for', async () => {
    const { url, asked } = await publish(['a']);
    expect(await createKeySets(createTestClock()).find(url, 'b')).toBeUndefined();
    expect(asked()).toBe(1);
  });

  it('one that was withdrawn is not believed after that', async () => {
    const clock = createTestClock();
    const keySets = createKeySets(clock);
    const { url } = await publish(['a'], ['b']);
    await keySets.find(url, 'a');
    clock.advance(600);
    expect(await keySets.find(url, 'a')).toBeUndefined();
  });

  it('are not believed for longer because the provider cannot be asked', async () => {
    const clock = createTestClock();
    const keySets = createKeySets(clock);
    const { url } = await publish(['a'], saying('', 500), ['a']);
    await keySets.find(url, 'a');
    clock.advance(600);
    await expect(keySets.find(url, 'a')).rejects.toThrow('500');
    expect(await keySets.find(url, 'a')).toBeDefined();
  });

  it('a question that fails leaves those that are known', async () => {
    const keySets = createKeySets(createTestClock());
    const { url, asked } = await publish(['a'], saying('', 500));
    await keySets.find(url, 'a');
    await expect(keySets.find(url, 'b')).rejects.toThrow('500');
    expect(await keySets.find(url, 'a')).toBeDefined();
    expect(asked()).toBe(2);
  });

  it('many who need them at once share one question, and its failure', async () => {
    const held: ServerResponse[] = [];
    const { url, asked } = await publish((_, response) => void held.push(response), ['a']);
    const keySets = createKeySets(createTestClock());
    const finding = Array.from({ length: 20 }, () => keySets.find(url, 'a').catch((error: Error) => error.message));
    await expect.poll(() => held.length).toBe(1);
    held[0]!.writeHead(503).end();
    expect(new Set(await Promise.all(finding))).toEqual(new Set(['the keys were answered with 503']));
    expect(asked()).toBe(1);
    expect(await keySets.find(url, 'a')).toMatchObject({ kid: 'a' });
  });

  it('of each address by itself', async () => {
    const keySets = createKeySets(createTestClock());
    const [one, two] = [await publish(['a']), await publish(['b'])];
    await keySets.find(one.url, 'a');
    expect(await keySets.find(two.url, 'a')).toBeUndefined();
    expect(await keySets.find(one.url, 'b')).toBeUndefined();
  });

  it.each([
    ['no JSON', saying('{')],
    ['null', saying('null')],
    ['a list', saying('[]')],
    ['no keys', saying('{}')],
    ['keys that are an object', saying('{"keys":{"kid":"a"}}')],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/keys' }).end('{"keys":[{"kid":"a"}]}')],
    ['keys with another status', saying('{"keys":[{"kid":"a"}]}', 404)],
  ] satisfies [string, RequestListener][])('%s: rejected', async (_what, answer) => {
    const { url, asked } = await publish(answer);
    await expect(createKeySets(createTestClock()).find(url, 'a')).rejects.toThrow();
    expect(asked()).toBe(1);
  });

  it('what is no key among them is passed over', async () => {
    const { url } = await publish(saying('{"keys":[null,7,"a",["a"],{"kid":7},{},{"kid":"a","kty":"RSA"}]}'));
    expect(await createKeySets(createTestClock()).find(url, 'a')).toEqual({ kid: 'a', kty: 'RSA' });
  });

  it('more than a megabyte of them is too much', async () => {
    const { url } = await publish(saying(`{"keys":[{"kid":"a","x":"${'x'.repeat(1024 * 1024)}"}]}`));
    await expect(createKeySets(createTestClock()).find(url, 'a')).rejects.toBeInstanceOf(OutboundError);
  });
});
