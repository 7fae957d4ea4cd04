import { NIL_UUID } from '@gatehouse/contract';
import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { listSecretsToRewrap, updateSealedSecret } from './queries.ts';
import { openWebhookSecret, sealWebhookSecret } from './secret.ts';

type Sealing = Pick<Deps, 'db' | 'keyring'>;

const BATCH_SIZE = 100;

/** `keys rewrap`: seals the secrets of webhooks under the current key. Safe to stop and repeat. */
export async function rewrapWebhookSecrets(deps: Sealing): Promise<{ done: number; lost: number }> {
  const total = { done: 0, lost: 0 };
  for (let after_id: string | undefined = NIL_UUID; after_id !== undefined; ) {
    const { lost, rows, last_id } = await rewrapBatch(deps, after_id);
    total.done += rows - lost;
    total.lost += lost;
    after_id = last_id;
  }
  return total;
}

const rewrapBatch = ({ db, keyring }: Sealing, after_id: string) =>
  transact(db, async (tx) => {
    const rows = await listSecretsToRewrap(tx, { key_id: keyring.current.id, after_id, limit: BATCH_SIZE });
    let lost = 0;
    for (const { id, sealed_secret } of rows) {
      const secret = openWebhookSecret(keyring, id, sealed_secret);
      if (secret) await updateSealedSecret(tx, { id, sealed_secret: sealWebhookSecret(keyring, id, secret) });
      else lost++;
    }
    return { rows: rows.length, lost, last_id: rows.at(-1)?.id };
  });
