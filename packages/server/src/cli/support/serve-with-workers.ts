import { isDeepStrictEqual } from 'node:util';
import { ensureAuditMonths } from '../../domain/audit/queries.ts';
import { ensureApplicationKey, ensureSigningKey } from '../../domain/endings/ensure-key.ts';
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
import type { ServeContext, Serving } from './serving.ts';

/** Settings that the primary itself uses: changing them requires a restart. */
const FIXED = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'DATABASE_POOLER',
  'DATABASE_POOL_SIZE',
  // Sessions would end if two processes of one service had different values.
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'CONFIG_ENCRYPTION_KEY',
  'CONFIG_ENCRYPTION_KEY_PREVIOUS',
  'PUBLIC_BASE_URL',
  'DATA_DIR',
  'WORKERS',
  // The primary waits for its workers for the time that was set at its start.
  'DRAIN_SECONDS',
] as const;

/** `WORKERS` above 1: this process owns the port and the database; the workers handle requests. */
export function serveWithWorkers(context: ServeContext): Serving {
  const { config, log, database } = context;
  const { address } = database;
  const workers = createWorkerPool({ size: config.WORKERS, log });
  let replacements: Promise<void> = Promise.resolve();
  let isQueued = false;

  const renew = async (): Promise<void> => {
    isQueued = false;
    try {
      const fresh = rereadConfig(context);
      log.level = fresh.LOG_LEVEL;
      log.info({}, 'replacing the workers, one after the other');
      await workers.renew({ config: fresh, address });
      log.info({}, 'all workers were replaced');
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'not all workers were replaced');
    }
  };

  return {
    async start() {
      await ensureFirstKeys(context);
      const started = workers.start({ config, address });
      replacements = started.then(
        () => {},
        () => {},
      );
      return started.catch((error) => {
        throw error instanceof StartFailure ? new CommandFailure(error.message) : error;
      });
    },
    stop: () => workers.stop(config.DRAIN_SECONDS * 1000),
    hangUp() {
      if (onTerminal) return false;
      // Replacements run one after the other. If one is queued already, it covers this request.
      if (!isQueued) replacements = replacements.then(renew);
      isQueued = true;
      return true;
    },
    moved: (host) => workers.moved(host),
  };
}

/** Creates the first signing keys before the workers start, so that they do not all generate them. */
async function ensureFirstKeys({ config, log, database, firstKeys }: ServeContext): Promise<void> {
  const { db, address } = database;
  const keyring = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  // The bus is not started, because it only publishes events here.
  const bus = createBus(openBusConnection(address, log), log);
  const keys = createSigningKeys(db, systemClock, keyring);
  const applicationKeys = createSigningKeys(db, systemClock, keyring, 'application_keys');
  const deps = { config, log, db, bus, keys, applicationKeys, keyring, clock: systemClock };
  await ensureAuditMonths(db, systemClock.now());
  await ensureSigningKey(deps, { prepared: firstKeys?.sessions });
  await ensureApplicationKey(deps, firstKeys?.applications);
}

function rereadConfig({ config, log }: ServeContext): Config {
  const fresh = readConfig();
  const changed = FIXED.filter((name) => !isDeepStrictEqual(fresh[name], config[name]));
  if (changed.length > 0)
    log.warn({ settings: changed }, 'changes of these settings require a restart of the whole service');
  return { ...fresh, ...Object.fromEntries(FIXED.map((name) => [name, config[name]])) };
}
