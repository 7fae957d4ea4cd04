import { v7 as uuid } from 'uuid';
import type { Db } from '../../platform/db/connect.ts';
import { isLockTimeout } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';
import { findSettled } from '../audit/counts/queries.ts';
import { insertRemaining } from '../webhooks/fan-out.ts';
import { reopenSpans } from '../webhooks/queries.ts';
import { findPlace, findStream, lockStream, updateStream } from './queries.ts';

/** Each attempt waits two seconds for transactions that have written audit rows. */
const ATTEMPTS = 15;

/**
 * Determines the order of the stream, at start: after the first start, an import or a restore, the rows that are there
 * come first, by id, because their transaction ids mean nothing here. Cursors from before are then invalid. Webhooks
 * get the rows of before for which no deliveries were inserted, and then everything that is committed from now on.
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
