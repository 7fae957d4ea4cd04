import { NIL_UUID, type Provider, type ProviderChange, type ProviderView } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { findProviderRow, upsertProviderRow } from '../../domain/provider-settings/queries.ts';
import { keyIdOf } from '../../domain/provider-settings/secret.ts';
import { seal } from '../../platform/crypto/seal.ts';
import { lock } from '../../platform/db/lock.ts';
import { acceptChange } from './change-rules.ts';
import { describeProvider } from './describe.ts';
import { notifyOfTransport } from './transport-notice.ts';

/**
 * §4.9 PUT /admin/integrations/:provider: replaces the stored configuration. The secret is kept unless a new one is
 * given or it is cleared. The change is effective in this process when the response is sent; the bus notifies other
 * processes.
 */
export async function saveProvider(
  deps: Deps,
  caller: Caller,
  provider: Provider,
  change: ProviderChange,
): Promise<ProviderView> {
  const { clock, configKeyring: keyring } = deps;
  const { secret, ...settings } = acceptChange(provider, change, { canSeal: keyring !== undefined });
  const sealed_secret = secret && keyring ? seal(keyring, { purpose: 'provider', row: provider }, secret) : secret;
  const now = clock.now();

  const row = await transactAs({ deps, caller }, {}, async (tx) => {
    // Concurrent changes wait here: each sees the row that it replaces.
    await lock(tx, `provider ${provider}`);
    const before = await findProviderRow(tx, provider);
    const saved = await upsertProviderRow(tx, { provider, ...settings, sealed_secret, now });
    await recordAudit(tx, caller, {
      action: 'integration.updated',
      now,
      resource_type: 'integration',
      resource_id: provider,
      // The configuration applies to all organizations, so the audit row belongs to none.
      organization_id: NIL_UUID,
      metadata: { provider, key_id: keyIdOf(saved), enabled: saved.enabled },
    });
    await deps.bus.announce(tx, now, [{ topic: 'providers', key: provider }]);
    if (provider === 'email_transport') await notifyOfTransport(tx, deps, caller, { before, after: saved });
    return saved;
  });

  return describeProvider(deps, provider, row);
}
