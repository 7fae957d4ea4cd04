import type { Quota } from '../../platform/config/kinds.ts';
import type { Limiter } from '../../platform/limiter/limiter.ts';
import type { Counter } from '../../platform/limiter/queries.ts';
import type { Caller } from '../kernel/caller.ts';

/** All 65,536 /64 networks of an IPv6 /48, which one client may use, share the budget of this many networks. */
const WIDER_BUDGET = 16;

type Address = Pick<Caller, 'network' | 'wider_network'>;

/** The counters of a limit per client address: that of its network and, for IPv6, that of the /48 around it. */
export const addressCounters = (
  limiter: Limiter,
  { network, wider_network }: Address,
  kind: string,
  quota: Quota,
): Counter[] => [
  limiter.counter(kind, network, quota),
  ...(wider_network === null
    ? []
    : [limiter.counter(kind, wider_network, { ...quota, count: quota.count * WIDER_BUDGET })]),
];
