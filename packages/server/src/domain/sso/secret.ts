import type { Keyring } from '../../platform/crypto/keyring.ts';
import { seal, unseal } from '../../platform/crypto/seal.ts';

/** The sealed value is bound to the connection: it cannot be unsealed in the row of another one. */
const bindingOf = (connection_id: string) => ({ purpose: 'sso', row: connection_id }) as const;

export const sealSsoSecret = (keyring: Keyring, connection_id: string, secret: string): string =>
  seal(keyring, bindingOf(connection_id), secret);

/** Returns undefined if neither the current nor the previous key unseals it. */
export const openSsoSecret = (
  keyring: Keyring | undefined,
  connection_id: string,
  sealed_secret: string,
): string | undefined => keyring && unseal(keyring, bindingOf(connection_id), sealed_secret)?.toString('utf8');
