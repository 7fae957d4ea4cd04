import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { LookUpAll } from './name-lookup.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv4 addresses inside IPv6 addresses, which a gateway would translate. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];
/** All of IPv6 that is assigned as global unicast. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

const isPublicV4 = (address: ipaddr.IPv4): boolean =>
  address.range() === 'unicast' && !RESERVED_V4.some((range) => address.match(range));

/** Special-purpose ranges that not every version of the library knows. */
const RESERVED_V4 = ['0.0.0.0/8', '192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4'].map(
  (range) => ipaddr.parseCIDR(range) as [ipaddr.IPv4, number],
);
/** Documentation (RFC 9637), which not every version of the library knows. */
const RESERVED_V6 = ['3fff::/20'].map((range) => ipaddr.parseCIDR(range) as [ipaddr.IPv6, number]);

/** Returns whether an address is global unicast. IPv6 addresses that contain an IPv4 address count as that one. */
export function isPublicAddress(text: string): boolean {
  // The scope of a link-local address is not part of the address.
  const bare = text.split('%')[0]!;
  if (isIP(bare) === 0) return false;
  const address: Address = ipaddr.parse(bare);
  if (address.kind() === 'ipv4') return isPublicV4(address as ipaddr.IPv4);
  const v6 = address as ipaddr.IPv6;
  if (v6.isIPv4MappedAddress()) return isPublicV4(v6.toIPv4Address());
  if (v6.match(NAT64)) return isPublicV4(new ipaddr.IPv4(v6.toByteArray().slice(12)));
  return v6.range() === 'unicast' && v6.match(GLOBAL_V6) && !RESERVED_V6.some((range) => v6.match(range));
}

/** The code of the error for a name or address that is not public. */
export const NOT_PUBLIC = 'ENOTPUBLIC';

const notPublic = () => Object.assign(new Error('the address is not public'), { code: NOT_PUBLIC });

/**
 * Resolves names for a connection and, unless `allowPrivate`, returns only public addresses. The connection is made to
 * exactly these, so there is no time between check and use in which a name could change. Not called for a host that is
 * an address itself.
 */
export const guardedLookup =
  (lookUp: LookUpAll, { allowPrivate }: { allowPrivate: boolean }): LookupFunction =>
  (hostname, options, callback) => {
    lookUp(hostname, { all: true }, (error, found) => {
      if (error) return callback(error, []);
      const [first, ...rest] = found.filter(({ address }) => allowPrivate || isPublicAddress(address));
      if (!first) return callback(notPublic(), []);
      if (options.all) callback(null, [first, ...rest]);
      else callback(null, first.address, first.family);
    });
  };
