import { PROVIDERS, type Provider } from '@gatehouse/contract';
import type { Config } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Logger } from '../../platform/log.ts';
import { listProviderRows } from './queries.ts';
import { type ProviderState, resolveProviders } from './resolve.ts';

/** In-memory copy of all provider configurations, so that sign-in needs no query. */
export interface ProviderStates {
  find(provider: Provider): ProviderState;
  degraded(): readonly ProviderState[];
  /** Reads the database. Rejects if it cannot be reached; the previous states are then kept. */
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

  const replaceStates = (next: ReadonlyMap<Provider, ProviderState>): void => {
    for (const provider of PROVIDERS) logChange(log, states.get(provider)!, next.get(provider)!);
    states = next;
  };

  // Reloads run one after another, so an earlier reload never overwrites a later one.
  let lastReload: Promise<void> = Promise.resolve();
  return {
    find: (provider) => states.get(provider)!,
    degraded: () => [...states.values()].filter((state) => state.degraded !== null),
    reload() {
      const load = async () => replaceStates(resolveProviders(await listProviderRows(db), { config, keyring }));
      const next = lastReload.then(load, load);
      lastReload = next;
      // The caller handles the error; the next reload must not fail because of it.
      next.catch(() => {});
      return next;
    },
  };
}

const APPLIED = 'the stored provider configuration is now used';
const SWITCHED_OFF = 'the unusable provider configuration is now disabled';

function logChange(log: Logger, before: ProviderState, now: ProviderState): void {
  const { provider, degraded: reason, source } = now;
  if (before.degraded === reason) return;
  if (reason) log.warn({ provider, reason, source }, 'a stored provider configuration cannot be used');
  else log.info({ provider, source }, source === 'stored' ? APPLIED : SWITCHED_OFF);
}
