import { v7 as uuid } from 'uuid';
import type { Keyring } from '../../../platform/crypto/keyring.ts';
import { seal, unseal } from '../../../platform/crypto/seal.ts';
import { equalBytes } from '../../../platform/crypto/tokens.ts';
import type { Db, Tx } from '../../../platform/db/connect.ts';
import type { FindHashKey } from './hash-kind.ts';
import { insertHashKey, listHashKeys } from './queries.ts';

interface Sealing {
  readonly db: Db;
  readonly keyring: Keyring;
}

const bindingOf = (id: string) => ({ purpose: 'foreign-hash', row: id }) as const;

/** The signer keys of imported projects, unsealed once and cached: there is at most one per import. */
export function createHashKeys({ db, keyring }: Sealing): { find: FindHashKey; reload(): Promise<void> } {
  let opened = new Map<string, Buffer | undefined>();
  const reload = async (): Promise<void> => {
    const rows = await listHashKeys(db);
    opened = new Map(rows.map(({ id, sealed_key }) => [id, unseal(keyring, bindingOf(id), sealed_key)]));
  };
  return {
    reload,
    async find(id) {
      // The key may have been stored since the last load. A missing or unreadable key is looked up only once.
      if (!opened.has(id)) {
        await reload();
        if (!opened.has(id)) opened.set(id, undefined);
      }
      return opened.get(id);
    },
  };
}

/** Seals the key, so that a stolen database alone does not allow guessing passwords. Returns the new or existing id. */
export async function storeHashKey(tx: Tx, { keyring }: Omit<Sealing, 'db'>, key: Buffer, now: Date): Promise<string> {
  for (const { id, sealed_key } of await listHashKeys(tx)) {
    const known = unseal(keyring, bindingOf(id), sealed_key);
    if (known && equalBytes(known, key)) return id;
  }
  const id = uuid({ msecs: now.getTime() });
  await insertHashKey(tx, { id, sealed_key: seal(keyring, bindingOf(id), key), created_at: now });
  return id;
}
