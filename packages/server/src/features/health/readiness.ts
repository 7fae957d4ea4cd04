import { setTimeout as sleep } from 'node:timers/promises';
import type { Readiness } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { errorBody } from '../../http/errors.ts';
import { type Db, waitFor } from '../../platform/db/connect.ts';
import { migrationStatus } from '../../platform/db/migrate.ts';
import { VERSION } from '../../version.ts';

/** §7: the body of every response that is not 2xx. */
const NOT_READY = errorBody(new ServiceError('internal_error', 'the service is not ready; `checks` says why')).error;

const DATABASE_TIMEOUT_MS = 2_000;

type Status = Awaited<ReturnType<typeof migrationStatus>> | undefined;
const pendingStatus = new WeakMap<Db, Promise<Status>>();

/** Concurrent probes share one query: they must not block the revocation feed, which uses the same connection. */
function findStatus(db: Db): Promise<Status> {
  const known = pendingStatus.get(db);
  if (known) return known;
  const status = migrationStatus(db)
    .catch(() => undefined)
    .finally(() => pendingStatus.delete(db));
  pendingStatus.set(db, status);
  return status;
}

/**
 * §4.1 /readyz: does not wait for a pooled connection. An overloaded replica stays ready: otherwise a load balancer
 * would move its load to the others.
 */
export async function checkReadiness(deps: Deps): Promise<Readiness> {
  const migrations = await Promise.race([
    findStatus(deps.reservedDb),
    sleep(waitFor(deps.database.address, DATABASE_TIMEOUT_MS), undefined, { ref: false }),
  ]);
  const resultOf = (good: boolean) => (good ? ('ok' as const) : ('failed' as const));
  const checks = {
    database: resultOf(migrations !== undefined),
    migrations: resultOf(migrations?.pending.length === 0),
    signing_key: deps.keys.current()?.replacesSealed
      ? ('other_secret' as const)
      : resultOf(deps.keys.current() !== undefined),
    mail: resultOf(deps.mail.transport() !== undefined),
  };
  const ready =
    !deps.lifecycle.stopping &&
    checks.database === 'ok' &&
    checks.migrations === 'ok' &&
    checks.signing_key !== 'failed';
  const states = deps.providers.degraded();
  const provider_config = {
    degraded: states.length > 0,
    providers: states.map(({ provider }) => provider),
    ...(states.length > 0 && {
      reasons: Object.fromEntries(states.map(({ provider, degraded }) => [provider, degraded!])),
    }),
  };
  return {
    status: ready ? 'ready' : 'not_ready',
    version: VERSION,
    ...(!ready && { error: NOT_READY }),
    checks,
    provider_config,
  };
}
