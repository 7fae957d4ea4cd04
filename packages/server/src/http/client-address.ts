import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { type Address, parseAddress as parse } from '../platform/networks.ts';

/** docs/reference/http.md#client-address: whether an address is one of the trusted proxies in front of the service. */
export type Proxies = (address: Address) => boolean;

export function trustedProxies(networks: readonly string[]): Proxies {
  const ranges = networks.map((network) => {
    if (network.includes('/')) return ipaddr.parseCIDR(network);
    const address = ipaddr.process(network);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as [Address, number];
  });
  return (address) => ranges.some((range) => address.kind() === range[0].kind() && address.match(range));
}

/** Longer than any address with port and zone. */
const MAX_LENGTH = 80;
/** More than any real chain of proxies. */
const MAX_HOPS = 32;

/** Some proxies append the port of the client: `192.0.2.1:49152`, `[2001:db8::1]:49152`. */
const withoutPort = (hop: string): string =>
  /^(\d+(?:\.\d+){3}):\d{1,5}$/.exec(hop)?.[1] ?? /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? hop;

/**
 * The socket's address, unless it is a trusted proxy: then X-Forwarded-For is read from the right, past further trusted
 * proxies, up to the first untrusted address. If an entry is not an address, the whole header is ignored.
 */
export function clientAddress(request: FastifyRequest, isProxy: Proxies): string | null {
  const socket = parse(request.socket.remoteAddress ?? '');
  if (!socket) return null;
  if (!isProxy(socket)) return socket.toString();
  const header = [request.headers['x-forwarded-for'] ?? ''].flat().join(',');
  const hops = header
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
  let client = socket;
  for (const hop of hops.slice(-MAX_HOPS).reverse()) {
    const address = hop.length > MAX_LENGTH ? undefined : parse(withoutPort(hop));
    if (!address) return socket.toString();
    client = address;
    if (!isProxy(address)) break;
  }
  return client.toString();
}

/** The subject of limits: an IPv4 address, or the /64 of an IPv6 subscriber. */
export function limitSubject(address: string | null): string {
  const parsed = address === null ? undefined : parse(address);
  if (!parsed) return 'unknown';
  return parsed instanceof ipaddr.IPv6 ? prefixOf(parsed, 64) : parsed.toString();
}

/** The /48 of an IPv6 address, because some subscribers have a whole /48 instead of a /64; null for IPv4. */
export function widerSubject(address: string | null): string | null {
  const parsed = address === null ? undefined : parse(address);
  return parsed instanceof ipaddr.IPv6 ? prefixOf(parsed, 48) : null;
}

const prefixOf = ({ parts }: ipaddr.IPv6, bits: 48 | 64): string =>
  `${parts
    .slice(0, bits / 16)
    .map((part) => part.toString(16))
    .join(':')}::/${bits}`;

const LOCAL: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'linkLocal'];

export function isLocalAddress(address: string | null): boolean {
  const parsed = address === null ? undefined : parse(address);
  return parsed !== undefined && LOCAL.includes(parsed.range());
}
