import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Returns undefined unless the text is an IP address or a CIDR range. An IPv4 address in IPv6 form counts as IPv4. */
function parseNetwork(text: string): Range | undefined {
  const [address = '', length, more] = text.split('/');
  if (more !== undefined || isIP(address) === 0 || address.includes('%')) return undefined;
  const parsed = ipaddr.parse(address);
  const bits = parsed instanceof ipaddr.IPv6 ? 128 : 32;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  if (prefix > bits) return undefined;
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && prefix >= 96
    ? [parsed.toIPv4Address(), prefix - 96]
    : [parsed, prefix];
}

export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined;

/** Parsed once per list: requests check the list of a cached session. */
const parsed = new WeakMap<readonly string[], readonly Range[]>();

function rangesOf(networks: readonly string[]): readonly Range[] {
  let ranges = parsed.get(networks);
  if (!ranges) {
    ranges = networks.map(parseNetwork).filter((range) => range !== undefined);
    parsed.set(networks, ranges);
  }
  return ranges;
}

/** Whether the address lies in one of the networks. An unknown address lies in none. */
export function isWithin(networks: readonly string[], address: string | null): boolean {
  if (address === null || !ipaddr.isValid(address)) return false;
  const client = ipaddr.process(address);
  return rangesOf(networks).some((range) => range[0].kind() === client.kind() && client.match(range));
}
