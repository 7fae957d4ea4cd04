import { type LookupAddress, Resolver, lookup as systemLookup } from 'node:dns';

/** Finds all addresses of a name. `lookup` of `node:dns` is one. */
export type LookUpAll = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

interface NameLookup {
  readonly lookUp: LookUpAll;
  cancel(): void;
}

const TIMEOUT_MS = 5_000;

/**
 * Looks up names for one request. `lookup` of `node:dns` occupies one of the few threads of the process until the DNS
 * server responds, and cannot be cancelled: names whose servers never respond would block the look-ups of all other
 * requests. It is used only for names that DNS does not have: `localhost` and those without a dot.
 */
export function createNameLookup(servers?: readonly string[]): NameLookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  if (servers) resolver.setServers(servers);
  return {
    lookUp(hostname, options, callback) {
      if (!hostname.includes('.')) return systemLookup(hostname, options, callback);
      const found: LookupAddress[] = [];
      let failure: NodeJS.ErrnoException | null = null;
      let pending = 2;
      const add = (family: 4 | 6) => (error: NodeJS.ErrnoException | null, addresses: string[]) => {
        if (error) failure ??= error;
        else found.push(...addresses.map((address) => ({ address, family })));
        if (--pending === 0) callback(found.length > 0 ? null : failure, found);
      };
      resolver.resolve4(hostname, add(4));
      resolver.resolve6(hostname, add(6));
    },
    cancel: () => resolver.cancel(),
  };
}
