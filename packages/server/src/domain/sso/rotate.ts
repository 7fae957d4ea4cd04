import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { listConnectionsToRotate, updateSealedSecret } from './queries.ts';
import { openSsoSecret, sealSsoSecret } from './secret.ts';

type Rotating = Pick<Deps, 'db'> & { readonly configKeyring: NonNullable<Deps['configKeyring']> };

/**
 * `config-key rotate`: seals the secrets of connections under the current key. Safe to stop and repeat. Returns how
 * many were sealed again, and how many cannot be unsealed with either key and were left unchanged.
 */
export async function rotateSsoSecrets({ db, configKeyring }: Rotating): Promise<{ done: number; lost: number }> {
  let done = 0;
  for (;;) {
    let [lost, raced] = [0, 0];
    for (const { id, sealed_secret: from } of await listConnectionsToRotate(db, configKeyring.current.id)) {
      const secret = openSsoSecret(configKeyring, id, from);
      if (secret === undefined) lost++;
      else {
        const to = sealSsoSecret(configKeyring, id, secret);
        if (await transact(db, (tx) => updateSealedSecret(tx, { id, from, to }))) done++;
        else raced++;
      }
    }
    // A secret that was saved meanwhile may be sealed under the old key, by a replica that was not restarted.
    if (raced === 0) return { done, lost };
  }
}
