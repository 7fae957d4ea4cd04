import type { DegradedReason, Provider } from '@gatehouse/contract';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring, findKey, type Keyring } from '../../platform/crypto/keyring.ts';
import { sealedUnder, unseal } from '../../platform/crypto/seal.ts';

type KeySettings = Pick<Config, 'CONFIG_ENCRYPTION_KEY' | 'CONFIG_ENCRYPTION_KEY_PREVIOUS'>;

/** Returns undefined without a key: no secret can be stored or read. */
export const configKeyring = ({
  CONFIG_ENCRYPTION_KEY: current,
  CONFIG_ENCRYPTION_KEY_PREVIOUS: previous,
}: KeySettings): Keyring | undefined => current && createKeyring(current, previous);

export type SecretFault = Exclude<DegradedReason, 'fields_missing'>;

type Opened = { readonly secret: string } | { readonly reason: SecretFault };

export function openProviderSecret(
  keyring: Keyring | undefined,
  { provider, sealed_secret }: { provider: Provider; sealed_secret: string | null },
): Opened {
  if (sealed_secret === null) return { reason: 'secret_missing' };
  if (!keyring) return { reason: 'key_unset' };
  if (!findKey(keyring, sealedUnder(sealed_secret))) return { reason: 'key_unknown' };
  const secret = unseal(keyring, { purpose: 'provider', row: provider }, sealed_secret);
  return secret ? { secret: secret.toString('utf8') } : { reason: 'secret_unreadable' };
}

/** §2.5: the key id in hex; null without a secret. */
export const keyIdOf = ({ sealed_secret }: { sealed_secret: string | null }): string | null =>
  sealed_secret === null ? null : sealedUnder(sealed_secret);
