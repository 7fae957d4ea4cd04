import { existsSync } from 'node:fs';
import { listSigningKeys } from '../domain/signing-keys/queries.ts';
import { type FirstEnvironment, planFirstEnvironment, writeFirstEnvironment } from '../platform/config/env-file.ts';
import type { Db } from '../platform/db/connect.ts';
import { migrationStatus } from '../platform/db/migrate.ts';
import { processEnvironment, workingFolder } from './environment.ts';
import { CommandFailure } from './failure.ts';

/** What this start is going to write, if it is a first one in development. */
export const firstEnvironment = (): FirstEnvironment | undefined =>
  planFirstEnvironment(workingFolder(), processEnvironment);

/**
 * Before a key is made with it, and not before it is known that none was made with another: a fresh secret opens nothing, and a service
 * that finds keys it cannot open retires them and ends every session.
 */
export async function keepEnvironment(db: Db, first: FirstEnvironment): Promise<void> {
  if (existsSync(first.file)) throw new CommandFailure(MEANWHILE);
  if (!processEnvironment.JWT_SECRET && (await hasKeys(db))) throw new CommandFailure(USED);
  try {
    writeFirstEnvironment(first);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandFailure(existsSync(first.file) ? MEANWHILE : LEADS_NOWHERE);
    throw new CommandFailure(
      `.env cannot be written here (${code}). Make the folder writable, or set JWT_SECRET and PUBLIC_BASE_URL.`,
    );
  }
}

const MEANWHILE = '.env was made by somebody else while this started. Start again, and it is read.';

const LEADS_NOWHERE = '.env is a link to a file that is not there. Put that file back, or remove the link.';

const USED =
  'This database was used with a JWT_SECRET, and none is set here. Put its .env back, or set JWT_SECRET, and CONFIG_ENCRYPTION_KEY if there was one, to those it was used with. If JWT_SECRET is lost, set a new one: everybody signs in again, and no authenticator app works any more. Nothing was changed.';

const hasKeys = async (db: Db): Promise<boolean> =>
  (await migrationStatus(db)).applied.length > 0 && (await listSigningKeys(db)).length > 0;
