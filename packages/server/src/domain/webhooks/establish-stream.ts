import { v7 as uuid } from 'uuid';
import type { Db } from '../../platform/db/connect.ts';
import { isLockTimeout } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { findSettled } from '../audit/counts/queries.ts';
import { findPlace, findStream, lockStream, updateStream } from '../events/queries.ts';
import { insertRemaining } from './fan-out.ts';
import { reopenSpans } from './queries.ts';

/** Each attempt waits up to two seconds for running transactions that have written audit rows. */
const ATTEMPTS = 15;

/**
 * Runs at start. On the first start, and after an import or a restore, defines the order of the event stream: existing
 * rows come first, by id, because their transaction ids are not comparable with new ones. Earlier cursors become
 * invalid. Webhooks get existing rows without deliveries first, then everything that commits from now on.
 */
export async function establishStream(db: Db, now: Date): Promise<void> {
  const place = await findPlace(db);
  if ((await findStream(db)).place === place) return;
  for (let attempt = 1; ; attempt++) {
    try {
      return await establish(db, place, now);
    } catch (error) {
      if (attempt === ATTEMPTS || !isLockTimeout(error)) throw error;
    }
  }
}

const establish = (db: Db, place: string, now: Date): Promise<void> =>
  transact(db, async (tx) => {
    await lockStream(tx);
    const before = await findStream(tx);
    if (before.place === place) return;
    const { greatest_id, xid } = await findSettled(tx);
    if (before.place !== null) await insertRemaining(tx, before, now);
    await reopenSpans(tx);
    await updateStream(tx, { epoch: uuid(), place, old_to: greatest_id, sent_xid: xid });
  });
