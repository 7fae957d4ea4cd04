import { NIL_UUID } from '@gatehouse/contract';
import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { listSecretsToRewrap, updateSealedSecret } from './queries.ts';
import { openTotpSecret, sealTotpSecret } from './secret.ts';

type Sealing = Pick<Deps, 'db' | 'keyring'>;

const BATCH_SIZE = 100;

/** `keys rewrap`: seals TOTP secrets under the current key. Safe to stop and repeat. */
export async function rewrapTotpSecrets(
  deps: Sealing,
  { batch = BATCH_SIZE } = {},
): Promise<{ done: number; lost: number }> {
  const total = { done: 0, lost: 0 };
  for (let after_id: string | undefined = NIL_UUID; after_id !== undefined; ) {
    const { lost, rows, last_id } = await rewrapBatch(deps, after_id, batch);
    total.done += rows - lost;
    total.lost += lost;
    after_id = last_id;
  }
  return total;
}

const rewrapBatch = (deps: Sealing, after_id: string, limit: number) =>
  transact(deps.db, async (tx) => {
    const rows = await listSecretsToRewrap(tx, { key_id: deps.keyring.current.id, after_id, limit });
    let lost = 0;
    for (const { user_id, sealed_secret } of rows) {
      const secret = openTotpSecret(deps, user_id, sealed_secret);
      if (secret) await updateSealedSecret(tx, user_id, sealTotpSecret(deps, user_id, secret));
      else lost++;
    }
    return { rows: rows.length, lost, last_id: rows.at(-1)?.user_id };
  });
