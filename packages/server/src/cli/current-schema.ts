import type { Db } from '../platform/db/connect.ts';
import { type MigrationStatus, migrationStatus } from '../platform/db/migrate.ts';
import { CommandFailure } from './failure.ts';
import { ours } from './ours.ts';

/** Before a command reads or writes rows: of what form they are must be known. */
export async function expectCurrentSchema(db: Db): Promise<MigrationStatus> {
  const status = await migrationStatus(db);
  if (status.pending.length > 0) throw new CommandFailure(`The schema is not up to date. Run: ${ours('migrate')}`);
  return status;
}
