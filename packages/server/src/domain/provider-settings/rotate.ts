import { PROVIDERS, type Provider } from '@gatehouse/contract';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { transact } from '../../platform/db/transact.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import { COMMAND_LINE } from '../kernel/caller.ts';
import { findProviderRow, updateSealedSecret } from './queries.ts';
import { keyIdOf, openProviderSecret, sealProviderSecret } from './secret.ts';

type Rotating = Pick<Deps, 'db' | 'clock' | 'bus'> & { readonly configKeyring: Keyring };

export interface Rotation {
  /** Providers whose secret was sealed again, under the current key. */
  readonly done: readonly Provider[];
  /** Providers whose secret cannot be unsealed with either key; it is left unchanged. */
  readonly lost: readonly Provider[];
}

/** `config-key rotate`: seals provider secrets under the current key. Safe to stop and repeat. */
export async function rotateProviderSecrets(deps: Rotating): Promise<Rotation> {
  const done: Provider[] = [];
  const lost: Provider[] = [];
  for (const provider of PROVIDERS) {
    const outcome = await rotateSecret(deps, provider);
    if (outcome === 'done') done.push(provider);
    if (outcome === 'lost') lost.push(provider);
  }
  return { done, lost };
}

/** Retries if another secret was saved meanwhile: a replica that was not restarted still seals under the old key. */
async function rotateSecret(deps: Rotating, provider: Provider): Promise<'done' | 'lost' | 'nothing'> {
  for (;;) {
    const row = await findProviderRow(deps.db, provider);
    if (!row || row.sealed_secret === null || keyIdOf(row) === deps.configKeyring.current.id) return 'nothing';
    const opened = openProviderSecret(deps.configKeyring, row);
    if ('reason' in opened) return 'lost';
    const to = sealProviderSecret(deps.configKeyring, provider, opened.secret);
    if (await replace(deps, { provider, from: row.sealed_secret, to })) return 'done';
  }
}

/** Returns false if the stored secret is no longer the one that was read. */
const replace = (deps: Rotating, change: { provider: Provider; from: string; to: string }): Promise<boolean> =>
  transact(deps.db, async (tx) => {
    const { provider, to } = change;
    const changed = await updateSealedSecret(tx, change);
    if (!changed) return false;
    const now = deps.clock.now();
    await recordAudit(tx, COMMAND_LINE, {
      action: 'integration.updated',
      now,
      resource_type: 'integration',
      resource_id: provider,
      metadata: { provider, key_id: keyIdOf({ sealed_secret: to }), enabled: changed.enabled },
    });
    await deps.bus.announce(tx, now, [{ topic: 'providers', key: provider }]);
    return true;
  });
