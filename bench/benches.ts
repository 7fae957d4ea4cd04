import type { Bench } from './bench.ts';
import { applications } from './benches/applications.ts';
import { codes } from './benches/codes.ts';
import { discovery } from './benches/discovery.ts';
import { feedGrowth } from './benches/feed-growth.ts';
import { flood } from './benches/flood.ts';
import { keyRevocations } from './benches/key-revocations.ts';
import { limits } from './benches/limits.ts';
import { lists } from './benches/lists.ts';
import { login } from './benches/login.ts';
import { machines } from './benches/machines.ts';
import { pages } from './benches/pages.ts';
import { refresh } from './benches/refresh.ts';
import { register } from './benches/register.ts';
import { roleChanges } from './benches/role-changes.ts';
import { scale } from './benches/scale.ts';
import { session } from './benches/session.ts';
import { start } from './benches/start.ts';
import { verify } from './benches/verify.ts';
import { webhooks } from './benches/webhooks.ts';
import { workers } from './benches/workers.ts';

/** In the order of execution. */
export const BENCHES: readonly Bench[] = [
  limits,
  session,
  login,
  register,
  refresh,
  applications,
  codes,
  discovery,
  feedGrowth,
  roleChanges,
  machines,
  keyRevocations,
  workers,
  flood,
  start,
  pages,
  verify,
  lists,
  scale,
  webhooks,
];
