import { PROVIDERS, type Provider } from '@gatehouse/contract';
import type { Config } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Logger } from '../../platform/log.ts';
import { listProviderRows } from './queries.ts';
import { type ProviderState, resolveProviders } from './resolve.ts';

/** How every provider is configured now, in memory: nobody who signs in waits for a look at it. */
export interface ProviderStates {
  find(provider: Provider): ProviderState;
  /** Those whose stored row cannot be applied. */
  degraded(): readonly ProviderState[];
  /** As the database has it. Rejects when it cannot be asked; what was known stays. */
  reload(): Promise<void>;
}

interface StatesDeps {
  readonly db: Db;
  readonly config: Config;
  readonly keyring: Keyring | undefined;
  readonly log: Logger;
}

export function createProviderStates({ db, config, keyring, log }: StatesDeps): ProviderStates {
  let states = resolveProviders([], { config, keyring });

  const take = (next: ReadonlyMap<Provider, ProviderState>): void => {
    for (const provider of PROVIDERS) logChange(log, states.get(provider)!, next.get(provider)!);
    states = next;
  };

  // One look at a time: of two, the one that began later must have the last word.
  let looking: Promise<void> = Promise.resolve();
  return {
    find: (provider) => states.get(provider)!,
    degraded: () => [...states.values()].filter((state) => state.degraded !== null),
    reload() {
      const look = async () => take(resolveProviders(await listProviderRows(db), { config, keyring }));
      const next = looking.then(look, look);
      looking = next;
      // Whoever asked hears of it; the next one in line must not.
      next.catch(() => {});
      return next;
    },
  };
}

const APPLIED = 'the stored provider configuration is now used';
const SWITCHED_OFF = 'the unusable provider configuration is now disabled';

/** A line when it begins and when it ends, and none while it lasts. */
function logChange(log: Logger, before: ProviderState, now: ProviderState): void {
  const { provider, degraded: reason, source } = now;
  if (before.degraded === reason) return;
  if (reason) log.warn({ provider, reason, source }, 'a stored provider configuration cannot be used');
  else log.info({ provider, source }, source === 'stored' ? APPLIED : SWITCHED_OFF);
}
