import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { clientAddress, trustedProxies } from './client-address.ts';

const isProxy = trustedProxies(['10.0.0.0/8']);
const addressOf = (socket: string, forwarded: string) =>
  clientAddress(
    { socket: { remoteAddress: socket }, headers: { 'x-forwarded-for': forwarded } } as unknown as FastifyRequest,
    isProxy,
  );

describe('the address of a client', () => {
  it('is what a proxy of ours says, over several of them', () => {
    expect(addressOf('10.0.0.1', '203.0.113.1')).toBe('203.0.113.1');
    expect(addressOf('::ffff:10.0.0.1', '203.0.113.1, 10.2.0.9')).toBe('203.0.113.1');
  });

  it('is that of the socket, whatever a stranger says of theirs', () => {
    expect(addressOf('198.51.100.7', '203.0.113.1')).toBe('198.51.100.7');
    expect(addressOf('198.51.100.7', '10.0.0.1')).toBe('198.51.100.7');
    // Put in front by the client, behind by the proxy that saw it.
    expect(addressOf('10.0.0.1', '203.0.113.1, 198.51.100.7')).toBe('198.51.100.7');
  });
});
