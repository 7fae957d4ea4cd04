import { isHalfImported, whileNoneRuns } from '../../domain/export/queries.ts';
import { connectDatabase, type Database, type Db } from '../../platform/db/connect.ts';
import { CommandFailure } from './failure.ts';

export const RUNNING = 'An import into this database is running. Wait until it has finished.';
const UNFINISHED = 'An import into this database was interrupted. To continue it, run the same `import` again.';

/** Returns a message if an import is running or was interrupted. */
export async function findUnfinished(db: Db): Promise<string | undefined> {
  let isHalf = false;
  const isFree = await whileNoneRuns(db, async () => {
    isHalf = await isHalfImported(db);
  });
  if (!isFree) return RUNNING;
  return isHalf ? UNFINISHED : undefined;
}

/**
 * Runs `start` if no import is running, and prevents imports until `start` is done, because writes to a partly imported
 * database could break it. An import detects a running service itself. Uses its own connections and leaves the pool to
 * the service.
 */
export async function whileNotImporting<T>({ address }: Database, start: () => Promise<T>): Promise<T> {
  const { db, close } = connectDatabase({ address, poolSize: 2, unhurried: true, onIdleError: () => {} });
  let started: { result: T } | undefined;
  try {
    const free = await whileNoneRuns(db, async () => {
      if (await isHalfImported(db)) throw new CommandFailure(UNFINISHED);
      started = { result: await start() };
    });
    if (!free) throw new CommandFailure(RUNNING);
  } catch (error) {
    // `start` has succeeded: a later failure of the lock is irrelevant.
    if (!started) throw error;
  } finally {
    await close();
  }
  return started!.result;
}
