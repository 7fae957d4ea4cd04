import { rmSync } from 'node:fs';
import { listSigningKeys } from '../domain/signing-keys/queries.ts';
import { writeFirstEnvironment } from '../platform/config/env-file.ts';
import type { Db } from '../platform/db/connect.ts';
import { migrationStatus } from '../platform/db/migrate.ts';
import { processEnvironment, workingFolder } from './environment.ts';
import { CommandFailure } from './failure.ts';

/** The file with fresh secrets, if this start has written one. */
export function firstEnvironment(): string | undefined {
  try {
    return writeFirstEnvironment(workingFolder(), processEnvironment);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `.env cannot be written here (${code}). Make the folder writable, or set JWT_SECRET and PUBLIC_BASE_URL.`,
    );
  }
}

/** A secret that was made a moment ago opens nothing: on a database with keys of another it would end every session. */
export async function expectUnused(db: Db, written: string | undefined): Promise<void> {
  if (!written || processEnvironment.JWT_SECRET || !(await hasKeys(db))) return;
  rmSync(written);
  throw new CommandFailure(
    'This database was used with a JWT_SECRET, and none is set here. Put its .env back, or set JWT_SECRET to that one. If it is lost, set a new one: everybody signs in again, and no authenticator app works any more. Nothing was changed; the new .env is removed again.',
  );
}

const hasKeys = async (db: Db): Promise<boolean> =>
  (await migrationStatus(db)).applied.length > 0 && (await listSigningKeys(db)).length > 0;
