import type { Config } from '../platform/config/settings.ts';
import { createLogger, type Logger } from '../platform/log.ts';
import { databaseFailure, isNew, type OpenedDatabase, openDatabase } from './database.ts';
import { readConfig } from './environment.ts';
import { CommandFailure } from './failure.ts';

export interface Tool extends OpenedDatabase {
  readonly config: Config;
  readonly log: Logger;
}

interface Options {
  /** May make the embedded database where there is none. */
  create?: boolean;
}

/** A command at the database: opened before, closed after, whatever happens. Only warnings are logged. */
export async function withDatabase(
  work: (tool: Tool) => Promise<void>,
  { create = false }: Options = {},
): Promise<void> {
  const config = readConfig();
  if (!create && (await isNew(config))) {
    throw new CommandFailure(`There is no database in ${config.DATA_DIR} yet. Start the service once: npm start`);
  }
  const log = createLogger({ level: 'warn' });
  const database = await openDatabase({ config, log, role: 'tool', progress: (text) => console.error(text) });
  try {
    await work({ ...database, config, log });
  } catch (error) {
    throw isConnectionError(error) ? databaseFailure(config, error) : error;
  } finally {
    await database.close();
  }
}

const isConnectionError = (error: unknown): boolean => {
  const { code, message } = error as { code?: string; message?: string };
  return (
    /^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_|EHOST|ENOENT|28|3D|57P0|08|53)/.test(code ?? '') ||
    /timeout|terminated/i.test(message ?? '')
  );
};
