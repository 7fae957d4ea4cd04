import { NIL_UUID, type ProbeResult, type Provider } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { findProviderRow } from '../../domain/provider-settings/queries.ts';
import { keyIdOf } from '../../domain/provider-settings/secret.ts';
import { transact } from '../../platform/db/transact.ts';
import { probe } from './probe.ts';

/** §4.9 POST /admin/integrations/:provider/test: tests the stored settings, even if disabled. 200 also on failure. */
export async function testProvider(deps: Deps, caller: Caller, provider: Provider): Promise<ProbeResult> {
  const row = await findProviderRow(deps.db, provider);
  const result = await probe(deps, provider, row);

  await transact(deps.db, (tx) =>
    recordAudit(tx, caller, {
      action: 'integration.tested',
      now: deps.clock.now(),
      resource_type: 'integration',
      resource_id: provider,
      organization_id: NIL_UUID,
      metadata: { provider, key_id: row ? keyIdOf(row) : null, ok: result.ok },
      outcome: result.ok ? 'success' : 'failure',
    }),
  );

  return result;
}
