import { isDeepStrictEqual } from 'node:util';
import { ensureAuditMonths } from '../../domain/audit/queries.ts';
import { ensureSigningKey } from '../../domain/signing-keys/ensure-key.ts';
import { createSigningKeys } from '../../domain/signing-keys/keys.ts';
import { createBus } from '../../platform/bus/bus.ts';
import { openBusConnection } from '../../platform/bus/connection.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { createWorkerPool } from '../../platform/workers/worker-pool.ts';
import { StartFailure } from '../../platform/workers/worker-process.ts';
import { onTerminal, readConfig } from './environment.ts';
import { CommandFailure } from './failure.ts';
import type { Ground, Serving } from './serving.ts';

/** What the primary itself stands on: only a whole restart changes it. */
const FIXED = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'DATABASE_POOLER',
  'DATABASE_POOL_SIZE',
  // Two of each at the same time, in one service, would end sessions.
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'CONFIG_ENCRYPTION_KEY',
  'CONFIG_ENCRYPTION_KEY_PREVIOUS',
  'PUBLIC_BASE_URL',
  'DATA_DIR',
  'WORKERS',
  // The primary waits for its workers as long as it was told at its start.
  'DRAIN_SECONDS',
] as const;

/** `WORKERS` above 1: this process holds port and database, and the workers answer. */
export function serveWithWorkers(ground: Ground): Serving {
  const { config, log, database } = ground;
  const { address } = database;
  const crew = createWorkerPool({ size: config.WORKERS, log });
  let rounds: Promise<void> = Promise.resolve();
  let waiting = false;

  const renew = async (): Promise<void> => {
    waiting = false;
    try {
      const fresh = readAnew(ground);
      log.level = fresh.LOG_LEVEL;
      log.info({}, 'replacing the workers, one after the other');
      await crew.renew({ config: fresh, address });
      log.info({}, 'all workers were replaced');
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'not all workers were replaced');
    }
  };

  return {
    async start() {
      await makeFirstKey(ground);
      const started = crew.start({ config, address });
      rounds = started.then(
        () => {},
        () => {},
      );
      return started.catch((error) => {
        throw error instanceof StartFailure ? new CommandFailure(error.message) : error;
      });
    },
    stop: () => crew.stop(config.DRAIN_SECONDS * 1000),
    hangUp() {
      if (onTerminal) return false;
      // One round follows the other; what a third would do, the second has yet to do.
      if (!waiting) rounds = rounds.then(renew);
      waiting = true;
      return true;
    },
    moved: (host) => crew.moved(host),
  };
}

/** Before there are workers, so that they do not all make one. */
async function makeFirstKey({ config, log, database, firstKey }: Ground): Promise<void> {
  const { db, address } = database;
  const keyring = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  // A bus that nobody here listens to: it only writes.
  const bus = createBus(openBusConnection(address, log), log);
  const keys = createSigningKeys(db, systemClock, keyring);
  await ensureAuditMonths(db, systemClock.now());
  await ensureSigningKey({ config, log, db, bus, keys, keyring, clock: systemClock }, firstKey);
}

/** The settings as they are now, but for those that only a whole restart can change. */
function readAnew({ config, log }: Ground): Config {
  const fresh = readConfig();
  const changed = FIXED.filter((name) => !isDeepStrictEqual(fresh[name], config[name]));
  if (changed.length > 0)
    log.warn({ settings: changed }, 'changes of these settings require a restart of the whole service');
  return { ...fresh, ...Object.fromEntries(FIXED.map((name) => [name, config[name]])) };
}
