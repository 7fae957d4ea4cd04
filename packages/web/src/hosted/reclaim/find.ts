import type { Identity, Passkey, SignInOptions, UnprovenCredential } from '@gatehouse/contract';
import { client } from '../../ui/client.ts';

export interface Credentials {
  readonly has_password: boolean;
  readonly has_totp: boolean;
  readonly passkeys: readonly Passkey[];
  readonly identities: readonly (Identity & { readonly name: string })[];
}

export async function findCredentials(
  kinds: readonly UnprovenCredential[],
  { oauth }: SignInOptions,
): Promise<Credentials> {
  const [passkeys, identities] = await Promise.all([
    kinds.includes('passkey') ? client.passkeys.list() : { items: [] },
    kinds.includes('identity') ? client.identities.list() : { items: [] },
  ]);
  const nameOf = (provider: string) => oauth.find((offered) => offered.provider === provider)?.name ?? provider;
  return {
    has_password: kinds.includes('password'),
    has_totp: kinds.includes('totp'),
    passkeys: passkeys.items,
    identities: identities.items.map((identity) => ({ ...identity, name: nameOf(identity.provider) })),
  };
}
