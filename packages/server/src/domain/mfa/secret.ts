import { seal, unseal } from '../../platform/crypto/seal.ts';
import type { Deps } from '../context.ts';

const binding = (user_id: string) => ({ purpose: 'totp', row: user_id }) as const;

type Sealing = Pick<Deps, 'keyring'>;

export const sealTotpSecret = ({ keyring }: Sealing, user_id: string, secret: Buffer): string =>
  seal(keyring, binding(user_id), secret);

/** Returns undefined if the secret was sealed under a JWT_SECRET that is no longer known: then no code matches. */
export const openTotpSecret = ({ keyring }: Sealing, user_id: string, sealed: string | null): Buffer | undefined =>
  sealed === null ? undefined : unseal(keyring, binding(user_id), sealed);
