import { NIL_UUID } from '@gatehouse/contract';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { listMailsToRewrap, updateSealedMail } from './queries.ts';
import { openContent, sealContent } from './sealed-content.ts';

interface RewrapResult {
  rewrapped: number;
  /** Mails that are sealed under an unknown key. The worker cannot read them when they are due. */
  unreadable: number;
}

const BATCH_SIZE = 100;

/** `keys rewrap`: seals queued mails under the current key. Safe to stop and repeat. */
export async function rewrapMails(db: Db, keyring: Keyring, { batch = BATCH_SIZE } = {}): Promise<RewrapResult> {
  const total: RewrapResult = { rewrapped: 0, unreadable: 0 };
  for (let after_id: string | undefined = NIL_UUID; after_id !== undefined; ) {
    const done = await rewrapBatch(db, keyring, { after_id, batch });
    total.rewrapped += done.rewrapped;
    total.unreadable += done.unreadable;
    after_id = done.last_id;
  }
  return total;
}

const rewrapBatch = (db: Db, keyring: Keyring, { after_id, batch }: { after_id: string; batch: number }) =>
  transact(db, async (tx) => {
    const rows = await listMailsToRewrap(tx, { key_id: keyring.current.id, after_id, limit: batch });
    let unreadable = 0;
    for (const { id, sealed } of rows) {
      const content = openContent(keyring, id, sealed);
      if (content) await updateSealedMail(tx, { id, sealed: sealContent(keyring, id, content) });
      else unreadable++;
    }
    return { rewrapped: rows.length - unreadable, unreadable, last_id: rows.at(-1)?.id };
  });
