import type { Command } from 'commander';
import pc from 'picocolors';
import { type App, createApp } from '../app.ts';
import { generateSigningKey, type NewKey } from '../domain/sessions/keys.ts';
import { systemClock } from '../platform/clock.ts';
import { writeFirstEnvironment } from '../platform/config/env-file.ts';
import type { Config } from '../platform/config/settings.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createLogger, type Logger, openLogStream } from '../platform/log.ts';
import { databaseFailure, isNew, type OpenedDatabase, openDatabase } from './database.ts';
import { misspelt, processEnvironment, readConfig, workingFolder } from './environment.ts';
import { CommandFailure } from './failure.ts';

export function addServe(program: Command): void {
  program.command('serve').description('run the service').action(serve);
}

const say = (text: string): void => console.error(text);

async function serve(): Promise<void> {
  const started = performance.now();
  const written = writeFirstEnvironment(workingFolder(), processEnvironment);
  if (written) say(`${pc.green('✓')} Wrote ${written} with fresh secrets for development (mode 0600).`);
  const config = readConfig();
  for (const name of misspelt()) say(`${pc.yellow('!')} .env: ${name} is not a setting of Gatehouse and is ignored.`);
  const stream = await openLogStream(process.stdout.isTTY === true && config.NODE_ENV !== 'production');
  const log = createLogger({ level: config.LOG_LEVEL, ...(stream && { stream }) });
  // Making a key takes as long as making a database: at the very first start the two go on together.
  const firstKey = (await isNew(config)) ? generateSigningKey() : undefined;
  const database = await openDatabase({
    config,
    log,
    role: 'server',
    progress: (text) => say(`${pc.dim('·')} ${text}`),
  });
  let app: App;
  try {
    app = await startApp(config, log, database, firstKey);
  } catch (error) {
    await database.close().catch(() => {});
    throw error;
  }
  banner(config, app, database, performance.now() - started);
  stopOnSignal(app, database);
}

async function startApp(
  config: Config,
  log: Logger,
  database: OpenedDatabase,
  firstKey: Promise<NewKey> | undefined,
): Promise<App> {
  await migrate(database.db, systemClock.now(), ({ name }) => log.info({ migration: name }, 'migrating')).catch(
    (error) => {
      throw databaseFailure(config, error);
    },
  );
  const app = createApp({ config, log, database });
  try {
    await app.start({ firstKey });
    await app.server.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    await app.stop().catch(() => {});
    throw listenFailure(config, error);
  }
  return app;
}

function listenFailure(config: Config, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const place = `${config.HOST}:${config.PORT}`;
  if (code === 'EADDRINUSE') {
    return new CommandFailure(`${place} is taken by another program. Stop it, or set PORT to a free port.`);
  }
  if (code === 'EACCES') return new CommandFailure(`${place} may not be used by this user. Set PORT to 1024 or above.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new CommandFailure(`${config.HOST} is not an address of this machine. Set HOST to one that is.`);
  }
  return error;
}

function banner(config: Config, app: App, database: OpenedDatabase, milliseconds: number): void {
  const address = app.server.server.address();
  const port = typeof address === 'object' && address ? address.port : config.PORT;
  app.deps.log.info({ host: config.HOST, port, ms: Math.round(milliseconds) }, 'ready');
  const rows = [
    ['Service', config.PUBLIC_BASE_URL],
    ['Listening', `${config.HOST}:${port}`],
    ['Reference', `${config.PUBLIC_BASE_URL}/docs`],
    ...(config.NODE_ENV === 'production' ? [] : [['Mail', `${config.PUBLIC_BASE_URL}/dev/mail`]]),
    ['Database', database.embedded ? `embedded PostgreSQL in ${config.DATA_DIR}` : 'DATABASE_URL'],
  ];
  say(`\n${pc.bold('Gatehouse')} is ready after ${(milliseconds / 1000).toFixed(1)} s`);
  for (const [name, value] of rows) say(`  ${pc.dim(name!.padEnd(10))} ${value}`);
  say(`  ${pc.dim('Check it'.padEnd(10))} npx gatehouse doctor\n`);
}

const HARD_STOP = 15_000;

/** Readiness off, requests under way finished, workers and database stopped, exit 0. A second signal changes nothing. */
function stopOnSignal(app: App, database: OpenedDatabase): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    app.deps.log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), HARD_STOP).unref();
    await app.stop();
    await database.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((err) => {
        app.deps.log.error({ err }, 'the stop failed');
        process.exit(1);
      });
    });
  }
}
