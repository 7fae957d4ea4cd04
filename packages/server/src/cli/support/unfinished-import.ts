import { isHalfImported, whileNoneRuns } from '../../domain/transfer/queries.ts';
import { connectDatabase, type Database, type Db } from '../../platform/db/connect.ts';
import { CommandFailure } from './failure.ts';

export const RUNNING = 'An import into this database is running. Wait until it has finished.';
const UNFINISHED = 'An import into this database was interrupted. To continue it, run the same `import` again.';

/** The sentence that tells of an import that runs, or was cut off. */
export async function findUnfinished(db: Db): Promise<string | undefined> {
  let half = false;
  const looked = await whileNoneRuns(db, async () => {
    half = await isHalfImported(db);
  });
  if (!looked) return RUNNING;
  return half ? UNFINISHED : undefined;
}

/**
 * Starts a service, or runs a command, where no import is under way, and lets none begin until it is done: what is written
 * to a half of a service could spoil the rest. A service that runs is seen by an import. A connection of its own waits for
 * that, since the pool is the service's.
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
    // It runs: what its guard has come to afterwards is nothing to it.
    if (!started) throw error;
  } finally {
    await close();
  }
  return started!.result;
}
