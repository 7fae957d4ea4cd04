import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guardedRequest } from './guarded-request.ts';
import { createNameLookup, type LookUpAll } from './name-lookup.ts';
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

  const resolving =
    (...answers: string[][]): LookUpAll =>
    (_host, _options, callback) => {
      const found = answers.length > 1 ? answers.shift()! : answers[0]!;
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };

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
      const lookUp = resolving(addresses);
      const before = requests;
      const answer = guardedRequest(`http://receiver.example:${port}/`, { ...options, lookUp });
      await expect(answer).rejects.toMatchObject(refused);
      expect(requests).toBe(before);
    },
  );

  it('resolves a name once per request, so that a second answer cannot replace the checked one', async () => {
    const lookUp = resolving(['10.0.0.1'], ['127.0.0.1']);
    const send = () => guardedRequest(`http://receiver.example:${port}/`, { ...options, lookUp });
    await expect(send()).rejects.toMatchObject(refused);
    await expect(send()).rejects.toMatchObject(refused);
  });

  it('looks names up by DNS, and connects to a private address only if these are allowed', async () => {
    const dns = await startDnsServer(Buffer.of(127, 0, 0, 1));
    const send = (allowPrivate: boolean) =>
      guardedRequest(`http://receiver.example:${port}/`, { ...options, allowPrivate, dnsServers: [dns.address] });
    await expect(send(false)).rejects.toMatchObject(refused);
    expect(await send(true)).toMatchObject({ status: 302 });
    await dns.close();
  });

  it('a look-up without a response ends with its request and does not wait for the DNS server', async () => {
    const dns = await startDnsServer(undefined);
    const dnsServers = [dns.address];
    const url = `http://receiver.example:${port}/`;
    const answer = guardedRequest(url, { ...options, timeoutMs: 50, dnsServers });
    await expect(answer).rejects.toMatchObject({ reason: 'timeout' });
    const names = createNameLookup(dnsServers);
    const code = new Promise((resolve) =>
      names.lookUp('receiver.example', { all: true }, (error) => resolve(error?.code)),
    );
    names.cancel();
    expect(await code).toBe('ECANCELLED');
    await dns.close();
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

/** A DNS server that responds to questions of type A with this address; undefined: it never responds. */
async function startDnsServer(ipv4: Buffer | undefined) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    if (!ipv4) return;
    const end = query.indexOf(0, 12) + 5;
    const isTypeA = query.readUInt16BE(end - 4) === 1;
    // The response repeats id and question. The name of the answer is a pointer to the question.
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isTypeA ? 1 : 0, 0, 0, 0, 0]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...ipv4]);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...(isTypeA ? [record] : [])]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
