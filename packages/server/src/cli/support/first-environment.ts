import { existsSync, rmSync } from 'node:fs';
import { hasRows } from '../../domain/export/queries.ts';
import { type FirstEnvironment, planFirstEnvironment, writeFirstEnvironment } from '../../platform/config/env-file.ts';
import { isGiven } from '../../platform/config/secret-files.ts';
import type { Db } from '../../platform/db/connect.ts';
import { isUndefinedTable } from '../../platform/db/errors.ts';
import { migrationStatus } from '../../platform/db/migrate.ts';
import { processEnvironment, workingFolder } from './environment.ts';
import { CommandFailure } from './failure.ts';

/** The file to write if this is the first start in development. */
export const firstEnvironment = (): FirstEnvironment | undefined =>
  planFirstEnvironment(workingFolder(), processEnvironment);

/**
 * Writes the file before anything is sealed with its secret, and only if nothing was sealed with another: with a new
 * secret, a service could not open the keys of the database, and every session would stop working.
 */
export async function keepEnvironment(db: Db, first: FirstEnvironment): Promise<void> {
  if (existsSync(first.file)) throw new CommandFailure(CREATED_MEANWHILE);
  if (!isGiven(processEnvironment, 'JWT_SECRET') && (await isUsed(db))) throw new CommandFailure(USED);
  try {
    writeFirstEnvironment(first);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandFailure(existsSync(first.file) ? CREATED_MEANWHILE : DANGLING_LINK);
    // On a full disk the file may be incomplete, and the next start would read it.
    const isFull = NO_ROOM.includes(code!);
    if (isFull) rmSync(first.file, { force: true });
    const remedy = isFull ? 'Free disk space' : 'Make the folder writable';
    throw new CommandFailure(
      `.env cannot be written here (${code}). ${remedy}, or set JWT_SECRET and PUBLIC_BASE_URL.`,
    );
  }
}

const NO_ROOM = ['ENOSPC', 'EDQUOT'];

const CREATED_MEANWHILE = 'Another process created .env during this start. Start again to use it.';

const DANGLING_LINK = '.env is a link to a file that does not exist. Restore that file, or remove the link.';

const USED =
  'JWT_SECRET is not set, but this database was used with one. Restore its .env, or set JWT_SECRET (and CONFIG_ENCRYPTION_KEY, if it was set) to the previous values. If JWT_SECRET is lost, set a new one: all users must sign in again, and existing authenticator apps stop working. Nothing was changed.';

/** Whether there are signing keys or users. Imported users have sealed authenticator secrets before any sign-in. */
const isUsed = async (db: Db): Promise<boolean> =>
  (await migrationStatus(db)).applied.length > 0 &&
  ((await hasRows(db, 'signing_keys').catch(ifThere)) || (await hasRows(db, 'users').catch(ifThere)));

const ifThere = (error: unknown): boolean => {
  if (isUndefinedTable(error)) return false;
  throw error;
};
