import { PROVIDER_NAMES, type Provider } from '@gatehouse/contract';
import { chooseTransport } from '../../domain/mail/transport.ts';
import type { ProviderRow } from '../../domain/provider-settings/queries.ts';
import { type ProviderState, resolveProviders } from '../../domain/provider-settings/resolve.ts';
import { configKeyring, keyIdOf } from '../../domain/provider-settings/secret.ts';
import type { SealedSecrets } from '../../domain/sso/queries.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { counted } from '../support/text.ts';
import { examineCallbacks } from './callbacks.ts';
import { examineDegraded } from './degraded.ts';
import { command, type Finding, ok, skipped, warning } from './finding.ts';

/** The stored provider configurations; undefined if the database could not be queried. */
type Stored = readonly ProviderRow[] | undefined;

/** Returns the active configuration; without a database only the part from the environment. */
export function statesOf(config: Config, stored: Stored) {
  const states = resolveProviders(stored ?? [], { config, keyring: configKeyring(config) });
  return { all: [...states.values()], find: (provider: Provider) => states.get(provider)! };
}

/** §1: which providers are enabled, and what each of them needs. */
export function examineProviders(config: Config, stored: Stored, hasAddress: boolean): Finding[] {
  const { all } = statesOf(config, stored);
  const rowOf = ({ provider }: ProviderState) => stored?.find((row) => row.provider === provider);
  return [
    examineEnabled(all, stored),
    ...examineCallbacks(config, all, hasAddress),
    ...all.flatMap((state) => examineDegraded(config, state, rowOf(state))),
  ];
}

const SEALING = 'configuration key';

/** §1: whether secrets can be stored. */
export function examineSealing(
  config: Config,
  stored: Stored,
  ssoSecrets: readonly SealedSecrets[] | undefined = stored && [],
): Finding {
  const keyring = configKeyring(config);
  if (!keyring) {
    const remedy = remedyFor([...(stored ?? []).map(keyIdOf), ...(ssoSecrets ?? []).map(({ key_id }) => key_id)]);
    return warning(SEALING, 'not set: provider secrets can come from the environment only', remedy);
  }
  const set = `set (id ${keyring.current.id}): provider secrets can be stored`;
  if (!keyring.previous || !stored || !ssoSecrets) return ok(SEALING, set);
  const previous = keyring.previous.id;
  const old = [
    countedUnless0(stored.filter((row) => keyIdOf(row) === previous).length, 'provider secret'),
    countedUnless0(ssoSecrets.find(({ key_id }) => key_id === previous)?.count ?? 0, 'single sign-on secret'),
  ].filter((text) => text !== undefined);
  if (old.length === 0)
    return ok(SEALING, `${set}; none is encrypted with CONFIG_ENCRYPTION_KEY_PREVIOUS, which can be unset`);
  const detail = `${old.join(' and ')} still encrypted with CONFIG_ENCRYPTION_KEY_PREVIOUS`;
  return warning(SEALING, detail, `Run ${command('config-key rotate')} before you unset it.`);
}

const countedUnless0 = (count: number, noun: string): string | undefined =>
  count === 0 ? undefined : counted(count, noun);

/** Names the remedy: a new key cannot unseal secrets that were sealed with another one. */
function remedyFor(keyIds: readonly (string | null)[]): string {
  const ids = new Set(keyIds.filter((id) => id !== null));
  const fresh = 'the output of `openssl rand -base64 32`';
  if (ids.size === 0) return `Set CONFIG_ENCRYPTION_KEY, for example to ${fresh}.`;
  const other = ids.size > 1 ? ', and CONFIG_ENCRYPTION_KEY_PREVIOUS to the older one' : '';
  return (
    `Set CONFIG_ENCRYPTION_KEY to the key that encrypts the stored secrets (id ${[...ids].join(', ')})${other}. ` +
    `If it is lost, set it to ${fresh}, and enter the secrets again.`
  );
}

export function examineMail(config: Config, stored: Stored): Finding {
  const providers = statesOf(config, stored);
  const outlet = chooseTransport(config, systemClock, providers).current();
  if (!outlet && !stored) return skipped('mail', 'none in the environment; the stored configuration cannot be read');
  if (!outlet) {
    const fix = 'Set EMAIL_API_KEY and EMAIL_FROM, or SMTP_URL, or configure Resend in the console.';
    return warning('mail', 'no transport: codes and reset links cannot be sent', fix);
  }
  const { transport, from } = outlet;
  if (transport.name === 'folder')
    return ok('mail', `development: mails are written as files to ${config.DATA_DIR}/mail`);
  if (transport.name === 'smtp') return ok('mail', `through the server of SMTP_URL, from ${from}`);
  const isStored = providers.find('email_transport').source === 'stored';
  const key = isStored ? 'the stored key' : 'EMAIL_API_KEY';
  return ok('mail', `through the API at ${config.EMAIL_API_BASE_URL} with ${key}, from ${from}`);
}

function examineEnabled(states: readonly ProviderState[], stored: Stored): Finding {
  const enabled = states
    .filter(({ source }) => source !== null)
    .map(({ provider, source }) => `${PROVIDER_NAMES[provider]} (${source})`)
    .join(', ');
  if (stored) return ok('providers', enabled ? `enabled: ${enabled}` : 'none is enabled');
  return skipped('providers', `the stored configuration cannot be read; from the environment: ${enabled || 'none'}`);
}
