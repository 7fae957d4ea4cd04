import { setTimeout as sleep } from 'node:timers/promises';
import type { Readiness } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { type Db, waitFor } from '../../platform/db/connect.ts';
import { migrationStatus } from '../../platform/db/migrate.ts';

const DATABASE_TIMEOUT = 2_000;

type Status = Awaited<ReturnType<typeof migrationStatus>> | undefined;
const underWay = new WeakMap<Db, Promise<Status>>();

/** One query at a time, shared by all who ask: many of them must not keep the revocation feed from the same connection. */
function findStatus(db: Db): Promise<Status> {
  const known = underWay.get(db);
  if (known) return known;
  const status = migrationStatus(db)
    .catch(() => undefined)
    .finally(() => underWay.delete(db));
  underWay.set(db, status);
  return status;
}

/**
 * §4.1 /readyz. One query checks the database and the migrations. It does not wait for a pooled connection: a balancer
 * that takes an overloaded replica out moves its load to the others.
 */
export async function checkReadiness(deps: Deps): Promise<Readiness> {
  const migrations = await Promise.race([
    findStatus(deps.reservedDb),
    sleep(waitFor(deps.database.address, DATABASE_TIMEOUT), undefined, { ref: false }),
  ]);
  const say = (good: boolean) => (good ? ('ok' as const) : ('failed' as const));
  const checks = {
    database: say(migrations !== undefined),
    migrations: say(migrations?.pending.length === 0),
    signing_key: say(deps.keys.current() !== undefined),
    mail: say(deps.mail.transport() !== undefined),
  };
  const ready =
    !deps.lifecycle.stopping && checks.database === 'ok' && checks.migrations === 'ok' && checks.signing_key === 'ok';
  const states = deps.providers.degraded();
  const provider_config = {
    degraded: states.length > 0,
    providers: states.map(({ provider }) => provider),
    ...(states.length > 0 && {
      reasons: Object.fromEntries(states.map(({ provider, degraded }) => [provider, degraded!])),
    }),
  };
  return { status: ready ? 'ready' : 'not_ready', checks, provider_config };
}
