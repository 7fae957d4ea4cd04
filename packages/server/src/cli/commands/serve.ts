import type { Command } from 'commander';
import pc from 'picocolors';
import { createApp } from '../../app.ts';
import { generateFirstKeys, OtherSecretError } from '../../domain/endings/ensure-key.ts';
import { countPlatformOwners } from '../../domain/users/queries.ts';
import { systemClock } from '../../platform/clock.ts';
import type { FirstEnvironment } from '../../platform/config/env-file.ts';
import type { Config } from '../../platform/config/settings.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { VERSION } from '../../version.ts';
import { describeStart, type Started, warningsOf } from '../support/banner.ts';
import { quoted } from '../support/cli-command.ts';
import { databaseFailure, isNew, openDatabase, placeOf } from '../support/database.ts';
import { isAboutDatabase } from '../support/database-faults.ts';
import {
  environmentFile,
  oddLines,
  onTerminal,
  processEnvironment,
  readConfig,
  startedByNpm,
} from '../support/environment.ts';
import { CommandFailure } from '../support/failure.ts';
import { firstEnvironment, keepEnvironment } from '../support/first-environment.ts';
import { serveWithWorkers } from '../support/serve-with-workers.ts';
import { openLog, openPort, type ServeContext, type Serving } from '../support/serving.ts';
import { exit, stopSignal, whenAborted } from '../support/stop-signal.ts';
import { whileNotImporting } from '../support/unfinished-import.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the service')
    .addHelpText('after', '\nSettings come from the environment and from .env; docs/configuration.md lists them.')
    .action(serve);
}

type Say = (text: string) => void;
const say: Say = (text) => console.error(text);

async function serve(): Promise<void> {
  const started = performance.now();
  let serving: Serving | undefined;
  let drain = 0;
  let workers = 1;
  let isUp = false;
  let renewal = false;
  // Handles SIGHUP. During the start there are no workers yet, so they are replaced when it has finished.
  const hangUp = (): boolean => {
    if (isUp) return serving!.hangUp();
    renewal = workers > 1 && !onTerminal;
    return renewal;
  };
  const stop = stopSignal(startedByNpm, hangUp, () => drain);
  const terminalClosed = () => onTerminal && stop.reason === 'SIGHUP';
  const first = firstEnvironment();
  // Suspicious lines of `.env` are reported first, because they may be the cause of an invalid setting.
  for (const { detail, remedy } of oddLines()) say(`${pc.yellow('!')} .env: ${detail}. ${remedy}`);
  const config = readConfig(first);
  drain = config.DRAIN_SECONDS * 1000;
  workers = config.WORKERS;
  const log = await openLog(config);
  // Generating the keys takes as long as creating a database, so the first start does both concurrently.
  const firstKeys = (await isNew(config)) ? generateFirstKeys() : undefined;
  const progress = (text: string) => say(`${pc.dim('·')} ${text}`);
  const onMove = (host: string) => serving?.moved(host);
  const database = await openDatabase({ config, log, role: 'server', progress, signal: stop, onMove }).catch(
    (error) => {
      if (stop.aborted) process.exit(0);
      throw error;
    },
  );
  try {
    const context: ServeContext = { config, log, database, firstKeys };
    serving = config.WORKERS === 1 ? serveAlone(context) : serveWithWorkers(context);
    const port = await start(context, serving, { progress, first }).catch((error) => {
      // After Ctrl-C a failed start is not an error: the signal also ends workers that do not handle signals yet.
      if (!stop.aborted) throw error;
    });
    if (port !== undefined) {
      const milliseconds = performance.now() - started;
      const { HOST: host, PUBLIC_BASE_URL: url } = config;
      log.info({ version: VERSION, url, host, port, ms: Math.round(milliseconds) }, 'ready');
      // The start message is for a terminal only. Programs that read the output get the log line `ready` instead.
      if (process.stderr.isTTY) say(describeStart({ config, port, milliseconds, ...(await startDetails(context)) }));
      else for (const warning of warningsOf(config, port)) log.warn({}, warning);
      isUp = true;
      if (renewal) serving.hangUp();
      await whenAborted(stop);
      // Disables the log, because writing to a closed terminal fails.
      if (terminalClosed()) log.level = 'silent';
      log.info({ signal: stop.reason }, 'stopping');
      await serving.stop();
    }
  } finally {
    await database.close();
  }
  exit(terminalClosed());
}

/** With `WORKERS=1`, everything runs in this process. */
function serveAlone({ config, log, database, firstKeys }: ServeContext): Serving {
  const app = createApp({ config, log, database });
  return {
    start: () => openPort(app, config, firstKeys),
    stop: () => app.stop(),
    hangUp: () => false,
    // Nothing to do: the pool uses the address object of the database, which has already changed.
    moved: () => {},
  };
}

/** Migrates the schema, then starts. Throws if an import is running. */
async function start(
  { config, log, database, firstKeys }: ServeContext,
  serving: Serving,
  { progress, first }: { progress: Say; first: FirstEnvironment | undefined },
): Promise<number> {
  // In a new database all migrations run at once and are reported as one step.
  const isFirst = firstKeys !== undefined;
  const announce = ({ name }: { name: string }) => isFirst || log.info({ migration: name }, 'migrating');
  try {
    return await whileNotImporting(database, async () => {
      if (first) {
        await keepEnvironment(database.db, first);
        const what = /^JWT_SECRET=/m.test(first.text) ? 'new secrets' : 'an address';
        say(`${pc.green('✓')} Wrote ${first.file} with ${what} for development (mode 0600).`);
      }
      if (isFirst) progress('creating the tables');
      await migrate(database.address, systemClock.now(), announce).catch((error) => {
        throw databaseFailure(config, error);
      });
      return serving.start();
    });
  } catch (error) {
    if (error instanceof OtherSecretError) throw new CommandFailure(OTHER_SECRET);
    throw isAboutDatabase(error) ? databaseFailure(config, error) : error;
  }
}

const OTHER_SECRET =
  'A process with another JWT_SECRET serves this database, and signs with a key that this one cannot decrypt. Set ' +
  'JWT_SECRET to the same value here, or stop the other process first; after a crash, wait a minute. To change the secret ' +
  'without downtime, see "A new JWT_SECRET for several replicas" in docs/operating.md. Nothing was changed.';

/** Variables that the next command in the terminal needs, too. DATABASE_URL is elided: it contains a password. */
function variablesToRepeat({ PORT, DATA_DIR }: Config): Started['given'] {
  const { PORT: port, DATA_DIR: folder, DATABASE_URL: url } = processEnvironment;
  const elsewhere = folder ? `DATA_DIR=${quoted(DATA_DIR)} ` : '';
  return { port: port ? `PORT=${PORT} ` : '', database: url ? 'DATABASE_URL=… ' : elsewhere };
}

async function startDetails({ config, database }: ServeContext) {
  return {
    database: database.embedded ? `${config.DATA_DIR} (embedded PostgreSQL)` : placeOf(config.DATABASE_URL!),
    environmentFile: processEnvironment.JWT_SECRET ? undefined : environmentFile(),
    given: config.NODE_ENV === 'production' ? { port: '', database: '' } : variablesToRepeat(config),
    // If the database has just failed, the start continues: the running service reports it.
    hasOwner: await countPlatformOwners(database.db).then(
      (count) => count > 0,
      () => true,
    ),
  };
}
