import { PROVIDERS, type Provider } from '@gatehouse/contract';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import { resealColumn } from '../../platform/db/reseal.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import { COMMAND_LINE } from '../kernel/caller.ts';
import { findProviderRow } from './queries.ts';

type Rotating = Pick<Deps, 'db' | 'clock' | 'bus'> & { readonly configKeyring: Keyring };

export interface Rotation {
  /** Providers whose secret was sealed again, under the current key. */
  readonly done: readonly Provider[];
  /** Providers whose secret cannot be unsealed with either key; it is left unchanged. */
  readonly lost: readonly Provider[];
}

/** `config-key rotate`: each provider secret that is sealed again is audited and announced in its own transaction. */
export async function rotateProviderSecrets({ db, clock, bus, configKeyring }: Rotating): Promise<Rotation> {
  const outcomes = new Map<string, 'done' | 'lost'>();
  const [column] = sealedColumnsOf('provider_configs');
  await resealColumn(db, configKeyring, column!, {
    batch: 1,
    async onRow(tx, row, outcome) {
      outcomes.set(row, outcome);
      if (outcome === 'lost') return;
      const provider = row as Provider;
      const now = clock.now();
      const { enabled } = (await findProviderRow(tx, provider))!;
      await recordAudit(tx, COMMAND_LINE, {
        action: 'integration.updated',
        now,
        resource_type: 'integration',
        resource_id: provider,
        metadata: { provider, key_id: configKeyring.current.id, enabled },
      });
      await bus.announce(tx, now, [{ topic: 'providers', key: provider }]);
    },
  });
  const withOutcome = (outcome: 'done' | 'lost') => PROVIDERS.filter((provider) => outcomes.get(provider) === outcome);
  return { done: withOutcome('done'), lost: withOutcome('lost') };
}
