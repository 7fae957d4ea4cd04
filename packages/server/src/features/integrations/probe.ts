import type { OAuthProvider, ProbeResult, Provider } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { APPLE, faultOfAppleKey, mintAppleSecret } from '../../domain/providers/apple-secret.ts';
import { callbackUrl } from '../../domain/providers/callback-url.ts';
import { missingFields } from '../../domain/providers/fields.ts';
import type { ProviderRow } from '../../domain/providers/queries.ts';
import type { ProviderSettings } from '../../domain/providers/resolve.ts';
import { openProviderSecret, type SecretFault } from '../../domain/providers/secret.ts';
import { probeMail } from './probe-mail.ts';

type Surroundings = Pick<Deps, 'config' | 'configKeyring' | 'clock'>;

/**
 * §4.9: what is tried for each provider. `detail` says what to do next, in words of ours alone: nothing that is stored and
 * nothing that somebody else has answered is in it.
 */
export async function probe(around: Surroundings, provider: Provider, row?: ProviderRow): Promise<ProbeResult> {
  const missing = missingOf(provider, row);
  if (!row || missing.length > 0) return failed(notConfigured(missing));
  const opened = openProviderSecret(around.configKeyring, row);
  if ('reason' in opened) return failed(UNREADABLE[opened.reason]);
  const settings = { public_config: row.public_config, secret: opened.secret };
  const result = await tryOut(around, provider, settings);
  return result.ok && !row.enabled
    ? { ok: true, detail: `${result.detail}. It is disabled: enable it to use it` }
    : result;
}

const failed = (detail: string): ProbeResult => ({ ok: false, detail });

/** A mail key can be tried without a sender. */
function missingOf(provider: Provider, row: ProviderRow | undefined): string[] {
  const isSealed = row !== undefined && row.sealed_secret !== null;
  if (provider === 'email_transport') return isSealed ? [] : ['key'];
  return [...missingFields(provider, row?.public_config ?? {}), ...(isSealed ? [] : ['secret'])];
}

const notConfigured = (missing: readonly string[]): string =>
  `not configured (no ${missing.join(', no ')} saved): save ${missing.length > 1 ? 'them' : 'it'} first`;

/** A secret that cannot be had, by why. */
const UNREADABLE: Readonly<Record<SecretFault, string>> = {
  secret_missing: notConfigured(['secret']),
  key_unset:
    'the stored secret cannot be read: set CONFIG_ENCRYPTION_KEY to the key it was sealed under (its id is key_id), and start the server again; if that key is lost, set a new one and save the secret again',
  key_unknown:
    'the stored secret is sealed under a key that the server does not have: set that one as CONFIG_ENCRYPTION_KEY_PREVIOUS, or save the secret again',
  secret_unreadable: 'the stored secret is damaged, or was sealed for another provider: save it again',
};

function tryOut(
  around: Surroundings,
  provider: Provider,
  settings: ProviderSettings,
): ProbeResult | Promise<ProbeResult> {
  if (provider === 'email_transport') return probeMail(around.config, settings);
  if (provider === 'oauth_d' && !mints(around, settings)) return failed(faultOfKey(settings));
  return { ok: true, detail: `${FOUND[provider]}. Register ${callbackUrl(around.config, provider)} with the provider` };
}

const STORED = 'a client id and a secret are stored; the provider itself is asked at the first sign-in';

const FOUND: Readonly<Record<OAuthProvider, string>> = {
  oauth_a: STORED,
  oauth_b: STORED,
  oauth_c: STORED,
  oauth_d: 'a client secret can be made with the stored key; the provider itself is asked at the first sign-in',
  oauth_e: `${STORED}, for which the app needs the email permission`,
};

const APPLE_KEY_FAULTS = {
  unreadable:
    'the stored secret is not a private key in PEM, or it has a passphrase: save the whole .p8 file, with its first and last line',
  wrong_kind:
    'the stored private key cannot sign ES256, which takes one on the curve P-256: save the .p8 file of the provider',
} as const;

const faultOfKey = ({ secret }: ProviderSettings): string => APPLE_KEY_FAULTS[faultOfAppleKey(secret) ?? 'unreadable'];

const mints = ({ config, clock }: Surroundings, settings: ProviderSettings): boolean =>
  mintAppleSecret(settings, { audience: config.OAUTH_D_ISSUER ?? APPLE, now: clock.now() }) !== undefined;
