import { seal, sealedUnder, unseal } from '../../platform/crypto/seal.ts';
import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { type KeyTable, listSigningKeys, updateSealedKey } from './queries.ts';

/** `keys rewrap`: seals signing keys under the current secret. Safe to repeat. */
export async function rewrapSigningKeys(deps: Pick<Deps, 'db' | 'keyring'>): Promise<{ done: number; lost: number }> {
  const own = await rewrapTable(deps, 'signing_keys');
  const others = await rewrapTable(deps, 'application_keys');
  return { done: own.done + others.done, lost: own.lost + others.lost };
}

async function rewrapTable({ db, keyring }: Pick<Deps, 'db' | 'keyring'>, table: KeyTable) {
  let done = 0;
  let lost = 0;
  for (const { kid, sealed_private_key: sealed } of await listSigningKeys(db, table)) {
    if (!sealed || sealedUnder(sealed) === keyring.current.id) continue;
    const binding = { purpose: 'signing-key', row: kid } as const;
    const plain = unseal(keyring, binding, sealed);
    if (plain) {
      await transact(db, (tx) => updateSealedKey(tx, table, kid, sealed, seal(keyring, binding, plain)));
      done++;
    } else {
      lost++;
    }
  }
  return { done, lost };
}
