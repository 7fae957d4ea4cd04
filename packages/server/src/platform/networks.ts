import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** Unmaps IPv4 from IPv6. Accepts IPv4 only as four decimal numbers: programs differ in shorter and octal forms. */
export function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.process(text);
  const last = text.slice(text.lastIndexOf(':') + 1);
  const isPlain = !last.includes('.') || ipaddr.IPv4.isValidFourPartDecimal(last);
  return isPlain && ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined;
}

const MAPPED_BITS = 96;

export function parseNetwork(text: string): Network | undefined {
  const [, host = '', length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (!address) return undefined;
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  if (length === undefined) return [address, bits];
  const isMapped = bits === 32 && host.includes(':');
  const prefix = Number(length) - (isMapped ? MAPPED_BITS : 0);
  return prefix >= 0 && prefix <= bits ? [address, prefix] : undefined;
}

export const isInNetwork = (address: Address, [network, prefix]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, prefix);

/** The network in a form that PostgreSQL accepts; it rejects some that are valid here, such as `2001:db8::/032`. */
export function canonicalNetwork(text: string): string | undefined {
  const [address, prefix] = parseNetwork(text) ?? [];
  return address && `${address}/${prefix}`;
}

export const isNetwork = (text: string): boolean => parseNetwork(text) !== undefined;

/** Caches parsed lists: every request checks the list of its cached session. */
const parsedLists = new WeakMap<readonly string[], readonly Network[]>();

function networksOf(list: readonly string[]): readonly Network[] {
  let networks = parsedLists.get(list);
  if (!networks) {
    networks = list.map(parseNetwork).filter((network) => network !== undefined);
    parsedLists.set(list, networks);
  }
  return networks;
}

/** Whether the address lies in one of the networks. An unknown address lies in none. */
export function isWithin(list: readonly string[], address: string | null): boolean {
  const client = address === null ? undefined : parseAddress(address);
  return client !== undefined && networksOf(list).some((network) => isInNetwork(client, network));
}
