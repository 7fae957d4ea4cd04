import * as runner from '@gatehouse/migrate';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { analyzeFilled } from './analyze.ts';
import { clientConfig, connectDatabase, type DatabaseAddress, type Db, isPooled } from './connect.ts';
import { MIGRATIONS } from './migrations/list.ts';

export type { MigrationStatus } from '@gatehouse/migrate';

export const queriesOf = (db: Db): runner.Queries => ({
  query: (text, values = []) => db.executeQuery(CompiledQuery.raw(text, values)),
});

/** Read-only. Also works on a database that was never migrated. */
export const migrationStatus = (db: Db, migrations = MIGRATIONS): Promise<runner.MigrationStatus> =>
  runner.migrationStatus(queriesOf(db), migrations);

/** Applies pending migrations, and updates the planner's statistics if there were any. */
export async function migrate(
  address: DatabaseAddress,
  now: Date,
  onApply: (migration: runner.Migration) => void = () => {},
  migrations: readonly runner.Migration[] = MIGRATIONS,
): Promise<runner.Applied[]> {
  const connect = () => connectClient(address);
  const applied = await runner.migrate({ migrations, connect, pooled: isPooled(address), now, onApply });
  if (applied.length > 0) {
    const { db, close } = connectDatabase({ address, poolSize: 1, unhurried: true, onIdleError: () => {} });
    await analyzeFilled(db).finally(close);
  }
  return applied;
}

/** Without a timeout on the client's side: migrations may run for long. */
async function connectClient(address: DatabaseAddress): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(address, 'gatehouse'));
  // Without a listener, the loss of an idle connection would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}
