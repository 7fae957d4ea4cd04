import type { Deps } from '../../domain/context.ts';
import { connectDatabase, type Tx } from '../../platform/db/connect.ts';
import { allowIdle } from './queries.ts';

/**
 * Reads from the database as it is now, for as long as that takes. On a connection of its own: requests must not run out of
 * theirs because somebody reads slowly.
 */
export async function withSnapshot<T>({ database, log }: Deps, read: (tx: Tx) => Promise<T>): Promise<T> {
  const own = connectDatabase({
    address: database.address,
    poolSize: 1,
    onIdleError: (err) => log.warn({ err }, 'the connection of an export was lost'),
  });
  try {
    return await own.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await allowIdle(tx);
        return read(tx);
      });
  } finally {
    await own.close();
  }
}
