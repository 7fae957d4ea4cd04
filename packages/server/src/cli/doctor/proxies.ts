import ipaddr from 'ipaddr.js';
import { trustedProxies } from '../../http/client-address.ts';
import { mayHideClients } from '../../platform/config/load.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { Origins } from './queries.ts';

const CHECK = 'TRUST_PROXY';
const FAILURES = 'FAILURES_PER_ADDRESS';
/** If `MIN_EVENTS` of the last `EVENTS` events, of `MIN_USERS` users, have one private address, it is a proxy's. */
export const EVENTS = 200;
const MIN_EVENTS = 20;
const MIN_USERS = 3;

/**
 * Whether the service sees the addresses of clients or only that of the proxy. The service itself speaks only http, so
 * with an https address there is a proxy. `seen`: the client addresses of recent events; undefined if the database
 * could not be queried.
 */
export function examineProxies({ TRUST_PROXY: given, PUBLIC_BASE_URL }: Config, seen?: Origins): Finding[] {
  const TRUST_PROXY = given ?? [];
  const wide = TRUST_PROXY.filter((network) => /\/0$/.test(network));
  if (wide.length > 0) {
    const fix = 'List only the addresses of your proxies, for example TRUST_PROXY=10.0.0.5.';
    return [
      warning(CHECK, `${wide.join(', ')} is every address: any client can choose the address it is limited by`, fix),
    ];
  }
  const proxy = seen && proxyIn(seen);
  const shared = 'all clients share one address, and its limits';
  if (given === undefined) {
    if (!PUBLIC_BASE_URL.startsWith('https:')) return [];
    const from = proxy ? ` (the last ${seen!.events} events all came from ${proxy})` : '';
    const fix = `Set it to the address of the proxy${proxy ? `: TRUST_PROXY=${proxy}` : ', for example TRUST_PROXY=10.0.0.5'}`;
    return [warning(CHECK, `is not set, and https needs a proxy in front: ${shared}${from}`, fix)];
  }
  if (!proxy) return [ok(CHECK, TRUST_PROXY.join(', ') || 'none: clients connect without a proxy')];
  if (trustedProxies(TRUST_PROXY)(ipaddr.process(proxy))) {
    const fix = 'Make it send X-Forwarded-For; nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;';
    return [warning(CHECK, `the proxy at ${proxy} does not send X-Forwarded-For: ${shared}`, fix)];
  }
  const fix = `If ${proxy} is your proxy: TRUST_PROXY=${[...TRUST_PROXY, proxy].join(',')}`;
  return [
    warning(CHECK, `the last ${seen!.events} events all came from ${proxy}, which it does not list: ${shared}`, fix),
  ];
}

/** Whether guessing across many accounts is limited. */
export function examineFailures(config: Config): Finding[] {
  const { FAILURES_PER_ADDRESS: limit, NODE_ENV } = config;
  if (NODE_ENV !== 'production') return [];
  if (limit > 0) return [ok(FAILURES, `${limit} failed attempts per client address in 10 minutes`)];
  const risk = 'one client may try any number of passwords, codes and links across all accounts';
  if (mayHideClients(config)) {
    const fix = 'Set TRUST_PROXY to the address of the proxy, or TRUST_PROXY=none if there is no proxy.';
    return [warning(FAILURES, `is 0 while TRUST_PROXY is not set: ${risk}`, fix)];
  }
  return [
    warning(FAILURES, `is 0: ${risk}`, 'Unset it for the default of 600, or set a number that suits your users.'),
  ];
}

function proxyIn({ events, users, address }: Origins): string | undefined {
  if (events < MIN_EVENTS || users < MIN_USERS || address === null || !ipaddr.isValid(address)) return undefined;
  return ipaddr.process(address).range() === 'unicast' ? undefined : address;
}
