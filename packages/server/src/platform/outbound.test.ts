import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { OutboundError, outboundFetch, request } from './outbound.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const failure = (promise: Promise<unknown>): Promise<OutboundError> =>
  promise.then(
    () => expect.unreachable('the request should fail'),
    (error) => error as OutboundError,
  );

describe('outbound requests', () => {
  it('returns status, headers and body', async () => {
    const url = await serve((message, response) => {
      response.setHeader('x-seen', message.headers['x-given'] as string);
      response.writeHead(201);
      message.pipe(response);
    });
    const answer = await request(url, { method: 'POST', headers: { 'x-given': 'a' }, body: 'hello' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('x-seen')).toBe('a');
    expect(answer.body.toString()).toBe('hello');
  });

  it('never follows a redirect', async () => {
    const paths: string[] = [];
    const url = await serve((message, response) => {
      paths.push(message.url!);
      response.writeHead(302, { location: '/elsewhere' }).end('moved');
    });
    const answer = await request(url, { method: 'GET' });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('/elsewhere');
    expect(paths).toEqual(['/']);
  });

  it('limits the time until the first byte and the time of the body', async () => {
    const silent = await serve(() => {});
    const trickling = await serve((_message, response) => {
      response.write('a');
    });
    for (const url of [silent, trickling]) {
      expect((await failure(request(url, { method: 'GET', timeoutMs: 50 }))).reason).toBe('timeout');
    }
  });

  it('limits the size, counted after decompression', async () => {
    const plain = await serve((_message, response) => void response.end('x'.repeat(2000)));
    const packed = await serve((_message, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(200_000)));
    });
    for (const url of [plain, packed]) {
      expect((await failure(request(url, { method: 'GET', maxBytes: 1999 }))).reason).toBe('too_large');
    }
    expect((await request(plain, { method: 'GET', maxBytes: 2000 })).body.length).toBe(2000);
  });

  it('distinguishes an unreachable address, an invalid response and an abort by the caller', async () => {
    const broken = await serve((_message, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('a', () => response.destroy());
    });
    const dropped = await serve((message) => message.destroy());
    expect(await failure(request(await deadAddress(), { method: 'GET' }))).toMatchObject({
      reason: 'unreachable',
      code: 'ECONNREFUSED',
    });
    expect((await failure(request(broken, { method: 'GET' }))).reason).toBe('unreachable');
    expect((await failure(request(dropped, { method: 'GET' }))).reason).toBe('unreachable');
    const silent = await serve(() => {});
    const stopped = request(silent, { method: 'GET', signal: AbortSignal.abort() });
    expect((await failure(stopped)).reason).toBe('aborted');
  });

  it('keeps query, headers and body out of its errors', async () => {
    const dead = await deadAddress();
    const attempts = [
      request(`${dead}/?token=hush`, { method: 'POST', headers: { authorization: 'hush' }, body: 'hush' }),
      request(dead, { method: 'GET', headers: { authorization: 'hush\n' } }),
      request(dead, { method: 'GET', headers: { 'x-é hush': 'hush' } }),
      request('not a url ?token=hush', { method: 'GET' }),
      request('http://user:hush@127.0.0.1:1/', { method: 'GET' }),
      request('ftp://127.0.0.1/hush', { method: 'GET' }),
    ];
    for (const error of await Promise.all(attempts.map(failure))) {
      expect(error).toBeInstanceOf(OutboundError);
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain('hush');
    }
  });
});

describe('outboundFetch', () => {
  const get = { method: 'GET', headers: {} };

  it('sends method, headers and form, and returns the response', async () => {
    const seen: unknown[] = [];
    const url = await serve((message, response) => {
      seen.push(message.method, message.headers['x-given'], message.headers['content-type']);
      response.writeHead(401, { 'x-said': 'b' });
      message.pipe(response);
    });
    const headers = { 'x-given': 'a', 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ code: 'a b&c' });
    const answer = await outboundFetch(url, { method: 'POST', headers, body });
    expect(answer).toBeInstanceOf(Response);
    expect([answer.status, answer.headers.get('x-said'), await answer.text()]).toEqual([401, 'b', 'code=a+b%26c']);
    expect(seen).toEqual(['POST', 'a', 'application/x-www-form-urlencoded']);
  });

  it('decompresses the body, and has none if the response has none', async () => {
    const packed = await serve((_message, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'));
    });
    expect(await (await outboundFetch(packed, get)).json()).toEqual({ a: 1 });
    for (const status of [204, 205, 304]) {
      const url = await serve((_message, response) => void response.writeHead(status).end());
      const answer = await outboundFetch(url, { ...get, body: null });
      expect([answer.status, answer.body]).toEqual([status, null]);
    }
  });

  it('follows no redirect, reads at most a megabyte, and fails with OutboundError', async () => {
    const paths: string[] = [];
    const moved = await serve((message, response) => {
      paths.push(message.url!);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await outboundFetch(moved, get)).status).toBe(302);
    expect(paths).toEqual(['/']);
    const huge = await serve((_message, response) => void response.end('x'.repeat(1024 * 1024 + 1)));
    expect((await failure(outboundFetch(huge, get))).reason).toBe('too_large');
    expect((await failure(outboundFetch(await deadAddress(), get))).reason).toBe('unreachable');
  });
});
