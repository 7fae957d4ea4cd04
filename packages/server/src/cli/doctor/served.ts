import { type Database, isPooled } from '../../platform/db/connect.ts';
import { listServing } from '../../platform/db/server-state.ts';
import { isTurnTaken, SERVED } from '../../platform/db/turn.ts';

/** Whether some process serves this database now, here or elsewhere. */
export const isServed = async ({ db, address }: Pick<Database, 'db' | 'address'>): Promise<boolean> =>
  isPooled(address) ? isTurnTaken(db, SERVED) : (await listServing(db)).length > 0;
