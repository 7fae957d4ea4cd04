import ipaddr from 'ipaddr.js';
import { trustedProxies } from '../../http/client-address.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { Origins } from './queries.ts';

const CHECK = 'TRUST_PROXY';
/** So many events, of so many people, from one address of a private network: that is no person's address. */
export const EVENTS = 200;
const ENOUGH_EVENTS = 20;
const ENOUGH_PEOPLE = 3;

/**
 * Whether the service sees people's addresses, or the proxy's alone. The service speaks http, so an https address has a proxy before it.
 * `seen`: where people have come from lately; undefined: the database could not be asked.
 */
export function examineProxies({ TRUST_PROXY, PUBLIC_BASE_URL }: Config, seen?: Origins): Finding[] {
  const wide = TRUST_PROXY.filter((network) => /\/0$/.test(network));
  if (wide.length > 0) {
    const fix = 'Name the addresses of your proxies alone, for example TRUST_PROXY=10.0.0.5.';
    return [warning(CHECK, `${wide.join(', ')} is everybody: anybody chooses the address they are limited by`, fix)];
  }
  const proxy = seen && proxyIn(seen);
  const shared = 'everybody shares one address, and its limits';
  if (TRUST_PROXY.length === 0) {
    if (!PUBLIC_BASE_URL.startsWith('https:')) return [];
    const from = proxy ? ` (the last ${seen!.events} events all came from ${proxy})` : '';
    const fix = `Set it to the address that the proxy comes from${proxy ? `: TRUST_PROXY=${proxy}` : ', for example TRUST_PROXY=10.0.0.5'}`;
    return [warning(CHECK, `is not set, and https needs a proxy in front: ${shared}${from}`, fix)];
  }
  if (!proxy) return [ok(CHECK, TRUST_PROXY.join(', '))];
  if (trustedProxies(TRUST_PROXY)(ipaddr.process(proxy))) {
    const fix = 'Let it send X-Forwarded-For; nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;';
    return [warning(CHECK, `the proxy at ${proxy} does not say for whom it asks: ${shared}`, fix)];
  }
  const fix = `If ${proxy} is a proxy of yours: TRUST_PROXY=${[...TRUST_PROXY, proxy].join(',')}`;
  return [warning(CHECK, `the last ${seen!.events} events all came from ${proxy}, which is not in it: ${shared}`, fix)];
}

function proxyIn({ events, people, address }: Origins): string | undefined {
  if (events < ENOUGH_EVENTS || people < ENOUGH_PEOPLE || address === null || !ipaddr.isValid(address))
    return undefined;
  return ipaddr.process(address).range() === 'unicast' ? undefined : address;
}
