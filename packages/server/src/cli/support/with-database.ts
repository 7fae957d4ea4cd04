import type { Config } from '../../platform/config/settings.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type MigrationStatus, migrationStatus } from '../../platform/db/migrate.ts';
import { createLogger, type Logger } from '../../platform/log.ts';
import { cliCommand, startCommand } from './cli-command.ts';
import { databaseFailure, isNew, type OpenedDatabase, openDatabase } from './database.ts';
import { isAboutDatabase } from './database-faults.ts';
import { readConfig } from './environment.ts';
import { CommandFailure } from './failure.ts';
import { whileNotImporting } from './unfinished-import.ts';

export interface Tool extends OpenedDatabase {
  readonly config: Config;
  readonly log: Logger;
}

interface Options {
  /** Creates the embedded PostgreSQL if it does not exist, and ignores an interrupted import. */
  create?: boolean;
}

/** Opens the database for a command and always closes it. Logs only warnings. */
export async function withDatabase(
  work: (tool: Tool) => Promise<void>,
  { create = false }: Options = {},
): Promise<void> {
  const config = readConfig();
  if (!create && (await isNew(config))) {
    throw new CommandFailure(
      `There is no database in ${config.DATA_DIR} yet. Start the service first: ${startCommand()}`,
    );
  }
  const log = createLogger({ level: 'warn' });
  const database = await openDatabase({ config, log, role: 'tool', progress: (text) => console.error(text) });
  try {
    const tool = { ...database, config, log };
    // An import started meanwhile would see the rows that the command writes, and fail at its end.
    if (create) await work(tool);
    else await whileNotImporting(database, () => work(tool));
  } catch (error) {
    throw isAboutDatabase(error) ? databaseFailure(config, error) : error;
  } finally {
    await database.close();
  }
}

/** Throws unless all migrations are applied, so that rows have the expected form. */
export async function expectCurrentSchema(db: Db): Promise<MigrationStatus> {
  const status = await migrationStatus(db);
  if (status.pending.length > 0)
    throw new CommandFailure(`The schema is not up to date. Run: ${cliCommand('migrate')}`);
  return status;
}
