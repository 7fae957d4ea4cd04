import type { Keyring } from '../../platform/crypto/keyring.ts';
import { seal, unseal } from '../../platform/crypto/seal.ts';

/** Bound to the connection: the value cannot be unsealed in the row of another one. */
const bindingOf = (connection_id: string) => ({ purpose: 'sso', row: connection_id }) as const;

export const sealSsoSecret = (keyring: Keyring, connection_id: string, secret: string): string =>
  seal(keyring, bindingOf(connection_id), secret);

/** Returns undefined if no key that is set unseals it. */
export const openSsoSecret = (
  keyring: Keyring | undefined,
  connection_id: string,
  sealed_secret: string,
): string | undefined => keyring && unseal(keyring, bindingOf(connection_id), sealed_secret)?.toString('utf8');
