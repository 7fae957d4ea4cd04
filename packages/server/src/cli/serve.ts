import type { Command } from 'commander';
import pc from 'picocolors';
import { type App, createApp } from '../app.ts';
import { generateSigningKey, type NewKey } from '../domain/signing-keys/keys.ts';
import { systemClock } from '../platform/clock.ts';
import { writeFirstEnvironment } from '../platform/config/env-file.ts';
import type { Config } from '../platform/config/settings.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createLogger, type Logger, openLogStream } from '../platform/log.ts';
import { printBanner } from './banner.ts';
import { databaseFailure, isNew, type OpenedDatabase, openDatabase } from './database.ts';
import { misspelt, processEnvironment, readConfig, startedByNpm, workingFolder } from './environment.ts';
import { CommandFailure } from './failure.ts';
import { stopSignal, whenAborted } from './stop-signal.ts';
import { whileNotImporting } from './unfinished-import.ts';
import { isAboutDatabase } from './with-database.ts';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the service')
    .addHelpText('after', '\nSettings come from the environment and from .env; docs/configuration.md lists them.')
    .action(serve);
}

const say = (text: string): void => console.error(text);

async function serve(): Promise<void> {
  const started = performance.now();
  const stop = stopSignal(startedByNpm);
  const written = firstEnvironment();
  if (written) say(`${pc.green('✓')} Wrote ${written} with fresh secrets for development (mode 0600).`);
  const config = readConfig();
  for (const name of misspelt()) say(`${pc.yellow('!')} .env: ${name} is not a setting of Gatehouse and is ignored.`);
  const stream = await openLogStream(process.stdout.isTTY === true && config.NODE_ENV !== 'production');
  const log = createLogger({ level: config.LOG_LEVEL, ...(stream && { stream }) });
  // Making a key takes as long as making a database: at the very first start the two go on together.
  const firstKey = (await isNew(config)) ? generateSigningKey() : undefined;
  const progress = (text: string) => say(`${pc.dim('·')} ${text}`);
  const database = await openDatabase({ config, log, role: 'server', progress, signal: stop }).catch((error) => {
    if (stop.aborted) process.exit(0);
    throw error;
  });
  try {
    const app = await whileNotImporting(database, () => startApp({ config, log, database, firstKey })).catch(
      (error) => {
        throw isAboutDatabase(error) ? databaseFailure(config, error) : error;
      },
    );
    printBanner(say, config, app, database.embedded, performance.now() - started);
    await whenAborted(stop);
    log.info({ signal: stop.reason }, 'stopping');
    await app.stop();
  } finally {
    await database.close();
  }
  process.exit(0);
}

function firstEnvironment(): string | undefined {
  try {
    return writeFirstEnvironment(workingFolder(), processEnvironment);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `.env cannot be written here (${code}). Make the folder writable, or set JWT_SECRET and PUBLIC_BASE_URL.`,
    );
  }
}

interface Start {
  config: Config;
  log: Logger;
  database: OpenedDatabase;
  firstKey: Promise<NewKey> | undefined;
}

async function startApp({ config, log, database, firstKey }: Start): Promise<App> {
  const announce = ({ name }: { name: string }) => log.info({ migration: name }, 'migrating');
  await migrate(database.address, systemClock.now(), announce).catch((error) => {
    throw databaseFailure(config, error);
  });
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
