import { resolve } from 'node:path';
import type { Config } from '../platform/config/settings.ts';
import { connectDatabase, type Database, type DatabaseAddress } from '../platform/db/connect.ts';
import type { Logger } from '../platform/log.ts';
import { CommandFailure } from './failure.ts';

export interface OpenedDatabase extends Database {
  readonly embedded: boolean;
}

interface Options {
  config: Config;
  log: Logger;
  role: 'server' | 'tool';
  progress?: (message: string) => void;
}

/** DATABASE_URL, or the embedded PostgreSQL in DATA_DIR: started when it does not run, stopped by the last to leave. */
export async function openDatabase(options: Options): Promise<OpenedDatabase> {
  const { config, log } = options;
  const connect = (address: DatabaseAddress) =>
    connectDatabase({
      address,
      poolSize: config.DATABASE_POOL_SIZE,
      onIdleError: (err) => log.warn({ err }, 'an idle database connection was lost'),
    });
  if (config.DATABASE_URL !== undefined) {
    return { ...connect({ connectionString: config.DATABASE_URL }), embedded: false };
  }
  const { EmbeddedError, openEmbedded } = await import('../platform/db/embedded/embedded.ts');
  try {
    const server = await openEmbedded({ ...options, dataDir: resolve(config.DATA_DIR) });
    const database = connect(server.connection);
    const close = async () => {
      await database.close();
      await server.close();
    };
    return { ...database, close, embedded: true };
  } catch (error) {
    if (error instanceof EmbeddedError) throw new CommandFailure(error.message, { cause: error });
    throw error;
  }
}

/** The embedded database has yet to be made. Looking does not make it. */
export async function isNew({ DATABASE_URL, DATA_DIR }: Config): Promise<boolean> {
  if (DATABASE_URL !== undefined) return false;
  const { hasCluster } = await import('../platform/db/embedded/residence.ts');
  return !(await hasCluster(DATA_DIR));
}

/** Why the database did not answer, in one sentence with the remedy and without the password. */
export function databaseFailure(config: Config, error: unknown): CommandFailure {
  const where = config.DATABASE_URL === undefined ? 'the embedded PostgreSQL' : placeOf(config.DATABASE_URL);
  const reason = (error as Error).message.split('\n')[0];
  return new CommandFailure(
    `The database at ${where} cannot be used: ${reason}. Check DATABASE_URL and that it runs.`,
    {
      cause: error,
    },
  );
}

const placeOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname || 'localhost'}:${port || 5432}${pathname}`;
};
