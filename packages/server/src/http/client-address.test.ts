import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { clientAddress, isLocalAddress, limitSubject, trustedProxies, widerSubject } from './client-address.ts';

const isProxy = trustedProxies(['10.0.0.0/8']);
const addressOf = (socket: string, forwarded: string) =>
  clientAddress(
    { socket: { remoteAddress: socket }, headers: { 'x-forwarded-for': forwarded } } as unknown as FastifyRequest,
    isProxy,
  );

describe('the address of a client', () => {
  it('the address is taken from X-Forwarded-For behind one or several trusted proxies', () => {
    expect(addressOf('10.0.0.1', '203.0.113.1')).toBe('203.0.113.1');
    expect(addressOf('::ffff:10.0.0.1', '203.0.113.1, 10.2.0.9')).toBe('203.0.113.1');
  });

  it('the address is that of the socket if X-Forwarded-For comes from an untrusted client', () => {
    expect(addressOf('198.51.100.7', '203.0.113.1')).toBe('198.51.100.7');
    expect(addressOf('198.51.100.7', '10.0.0.1')).toBe('198.51.100.7');
    // The client sends the first entry, the proxy appends the address it saw.
    expect(addressOf('10.0.0.1', '203.0.113.1, 198.51.100.7')).toBe('198.51.100.7');
  });

  it('the address is read quickly from a header of any length', () => {
    for (const hop of [`${'.'.repeat(16_000)}:`, `[${'['.repeat(16_000)}`, '1.'.repeat(8_000), ':'.repeat(16_000)]) {
      expect(addressOf('10.0.0.1', hop)).toBe('10.0.0.1');
    }
  });

  it('the address is searched only among the last 32 entries of the header', () => {
    const hops = Array.from({ length: 2_000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    expect(addressOf('10.0.0.1', hops.join())).toBe(hops.at(-32));
    expect(addressOf('10.0.0.1', [...hops, '203.0.113.1', '10.2.0.9'].join())).toBe('203.0.113.1');
  });

  it('an entry of X-Forwarded-For may include the port of the client', () => {
    expect(addressOf('10.0.0.1', '203.0.113.1:49152')).toBe('203.0.113.1');
    expect(addressOf('10.0.0.1', '[2001:db8::1]:49152, 10.2.0.9:80')).toBe('2001:db8::1');
    expect(addressOf('10.0.0.1', '[2001:db8::1]')).toBe('2001:db8::1');
  });

  it.each([
    '203.0.113.1:',
    '203.0.113.1:port',
    '[203.0.113.1',
    '010.1.1.1',
    '0x7f.1',
    '203.113',
    '::ffff:010.1.1.1',
    '::ffff:0x7f.0.0.1',
  ])('the address is that of the proxy if the header has an invalid address: %s', (hop) =>
    expect(addressOf('10.0.0.1', hop)).toBe('10.0.0.1'),
  );
});

describe('the subject of limits', () => {
  it.each([
    ['203.0.113.1', '203.0.113.1', null],
    ['::ffff:203.0.113.1', '203.0.113.1', null],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
    [null, 'unknown', null],
  ])('limits count the client address %s as %s, and in the wider network as %s', (address, network, wider) => {
    expect([limitSubject(address), widerSubject(address)]).toEqual([network, wider]);
  });

  it.each(['127.0.0.1', '::1', '10.0.0.1', '172.16.0.1', '192.168.1.1', 'fd12::1', 'fe80::1', '::ffff:127.0.0.1'])(
    '%s is local',
    (address) => expect(isLocalAddress(address)).toBe(true),
  );

  it.each(['203.0.113.1', '2001:db8::1', '172.32.0.1', null])('%s is not local', (address) =>
    expect(isLocalAddress(address)).toBe(false),
  );
});
