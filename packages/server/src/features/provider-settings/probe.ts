import type { ProbeResult, Provider } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { callbackUrl } from '../../domain/provider-settings/callback-url.ts';
import { CREDENTIALS_STORED } from '../../domain/provider-settings/definition.ts';
import { endpointsOf } from '../../domain/provider-settings/endpoints.ts';
import { missingFields } from '../../domain/provider-settings/fields.ts';
import { definitionOf } from '../../domain/provider-settings/list.ts';
import type { ProviderRow } from '../../domain/provider-settings/queries.ts';
import type { ProviderSettings } from '../../domain/provider-settings/resolve.ts';
import { openProviderSecret, type SecretFault } from '../../domain/provider-settings/secret.ts';
import { probeMail } from './probe-mail.ts';

type ProbeDeps = Pick<Deps, 'config' | 'configKeyring' | 'clock'>;

/** §4.9: tests the stored configuration. `detail` never contains stored values or responses of third parties. */
export async function probe(deps: ProbeDeps, provider: Provider, row?: ProviderRow): Promise<ProbeResult> {
  const missing = missingOf(provider, row);
  if (!row || missing.length > 0) return failed(notConfigured(missing));
  const opened = openProviderSecret(deps.configKeyring, row);
  if ('reason' in opened) return failed(UNREADABLE[opened.reason]);
  const settings = { public_config: row.public_config, secret: opened.secret };
  const result = await testSettings(deps, provider, settings);
  return result.ok && !row.enabled
    ? { ok: true, detail: `${result.detail}. It is disabled: enable it to use it` }
    : result;
}

const failed = (detail: string): ProbeResult => ({ ok: false, detail });

/** The mail transport needs only the key: the test does not send a mail, so it works without a sender. */
function missingOf(provider: Provider, row: ProviderRow | undefined): string[] {
  const isSealed = row !== undefined && row.sealed_secret !== null;
  if (provider === 'email_transport') return isSealed ? [] : ['key'];
  return [...missingFields(provider, row?.public_config ?? {}), ...(isSealed ? [] : ['secret'])];
}

const notConfigured = (missing: readonly string[]): string =>
  `not configured (no ${missing.join(', no ')} saved): save ${missing.length > 1 ? 'them' : 'it'} first`;

/** Why the secret cannot be decrypted, and what to do. */
const UNREADABLE: Readonly<Record<SecretFault, string>> = {
  secret_missing: notConfigured(['secret']),
  key_unset:
    'the stored secret cannot be decrypted: set CONFIG_ENCRYPTION_KEY to the key it was encrypted with (its id is key_id), and restart the server; if that key is lost, set a new one and save the secret again',
  key_unknown:
    'the stored secret is encrypted with a key that the server does not have: set CONFIG_ENCRYPTION_KEY_PREVIOUS to that key, or save the secret again',
  secret_unreadable: 'the stored secret is corrupted, or was encrypted for another provider: save it again',
};

function testSettings(
  deps: ProbeDeps,
  provider: Provider,
  settings: ProviderSettings,
): ProbeResult | Promise<ProbeResult> {
  if (provider === 'email_transport') return probeMail(deps.config, settings);
  const definition = definitionOf(provider);
  const minting = { issuer: endpointsOf(deps.config, definition).issuer, now: deps.clock.now() };
  const result = definition.probe?.(settings, minting) ?? { ok: true, detail: CREDENTIALS_STORED };
  if (!result.ok) return result;
  return { ok: true, detail: `${result.detail}. Register ${callbackUrl(deps.config, provider)} with the provider` };
}
