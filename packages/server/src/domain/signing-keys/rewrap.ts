import { seal, sealedUnder, unseal } from '../../platform/crypto/seal.ts';
import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { type KeyTable, listSigningKeys, updateSealedKey } from './queries.ts';

const COLUMNS = [
  ['sealed_private_key', 'signing-key'],
  ['sealed_restricted_key', 'restricted-key'],
] as const;

/** `keys rewrap`: seals signing keys under the current secret. Safe to repeat. */
export async function rewrapSigningKeys(deps: Pick<Deps, 'db' | 'keyring'>): Promise<{ done: number; lost: number }> {
  const own = await rewrapTable(deps, 'signing_keys');
  const others = await rewrapTable(deps, 'application_keys');
  return { done: own.done + others.done, lost: own.lost + others.lost };
}

async function rewrapTable({ db, keyring }: Pick<Deps, 'db' | 'keyring'>, table: KeyTable) {
  let done = 0;
  let lost = 0;
  for (const row of await listSigningKeys(db, table)) {
    for (const [column, purpose] of COLUMNS) {
      const { kid, [column]: from } = row;
      if (!from || sealedUnder(from) === keyring.current.id) continue;
      const plain = unseal(keyring, { purpose, row: kid }, from);
      if (plain) {
        const to = seal(keyring, { purpose, row: kid }, plain);
        await transact(db, (tx) => updateSealedKey(tx, table, { kid, column, from, to }));
        done++;
      } else {
        lost++;
      }
    }
  }
  return { done, lost };
}
