import type { lookup as systemLookup } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guardedRequest } from './guarded-request.ts';
import { isPublicAddress } from './public-address.ts';

describe('isPublicAddress', () => {
  it.each([
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '1.1.1.1',
    '172.32.0.1',
    '192.0.1.1',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('guardedRequest', () => {
  let server: Server;
  let port: number;
  let requests = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      requests++;
      if (request.url === '/endless') {
        response.writeHead(200);
        const pour = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
          response.once('drain', pour);
        };
        pour();
      } else if (request.url === '/hang') return;
      else if (request.url === '/headers') response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end();
      else response.writeHead(302, { location: '/' }).end('moved');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** A resolver that returns these addresses, one list after the other. */
  const resolving = (...answers: string[][]) =>
    ((_host: string, _options: object, callback: (error: null, found: object[]) => void) => {
      const found = answers.length > 1 ? answers.shift()! : answers[0]!;
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    }) as unknown as typeof systemLookup;

  const options = { method: 'POST', body: '{}', timeoutMs: 60_000, maxBytes: 100, allowPrivate: false } as const;
  const refused = { reason: 'unreachable', code: 'ENOTPUBLIC' };

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '2130706433', '0x7f.1', '0177.0.0.1', '0'])(
    'connects to no private address in the URL: %s',
    async (host) => {
      const before = requests;
      await expect(guardedRequest(`http://${host}:${port}/`, options)).rejects.toMatchObject(refused);
      expect(requests).toBe(before);
    },
  );

  it.each([[['127.0.0.1']], [['::1']], [['10.0.0.1', '::ffff:127.0.0.1']], [[]]])(
    'connects to no private address behind a name: %j',
    async (addresses) => {
      const lookup = resolving(addresses);
      const before = requests;
      const answer = guardedRequest(`http://receiver.example:${port}/`, { ...options, lookup });
      await expect(answer).rejects.toMatchObject(refused);
      expect(requests).toBe(before);
    },
  );

  it('resolves a name once per request, so that a second answer cannot replace the checked one', async () => {
    const lookup = resolving(['10.0.0.1'], ['127.0.0.1']);
    const send = () => guardedRequest(`http://receiver.example:${port}/`, { ...options, lookup });
    await expect(send()).rejects.toMatchObject(refused);
    await expect(send()).rejects.toMatchObject(refused);
  });

  it('returns a redirect instead of following it', async () => {
    const before = requests;
    const answer = await guardedRequest(`http://127.0.0.1:${port}/`, { ...options, allowPrivate: true });
    expect(answer).toMatchObject({ status: 302, body: Buffer.from('moved'), complete: true });
    expect(requests).toBe(before + 1);
  });

  it('reads no more of an endless body than asked for', async () => {
    const url = `http://127.0.0.1:${port}/endless`;
    const answer = await guardedRequest(url, { ...options, allowPrivate: true });
    expect(answer).toMatchObject({ status: 200, complete: false, body: Buffer.from('x'.repeat(100)) });
  });

  it.each([
    ['/hang', { timeoutMs: 50 }, { reason: 'timeout' }],
    ['/headers', {}, { reason: 'unreachable', code: 'HPE_HEADER_OVERFLOW' }],
  ])('fails for %s', async (path, changes, error) => {
    const url = `http://127.0.0.1:${port}${path}`;
    await expect(guardedRequest(url, { ...options, allowPrivate: true, ...changes })).rejects.toMatchObject(error);
  });

  it.each(['ftp://example.com/', 'http://user:secret@example.com/', 'nothing'])('rejects the URL %s', async (url) => {
    await expect(guardedRequest(url, options)).rejects.toMatchObject({ reason: 'invalid_request' });
  });
});
