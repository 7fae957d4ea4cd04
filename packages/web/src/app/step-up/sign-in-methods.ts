import { supportsPasskeys } from '@gatehouse/client';
import type { SignInOptions } from '@gatehouse/contract';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../ui/client.ts';
import { useIsSso } from '../session.ts';

export const PASSKEYS = { queryKey: ['passkeys'], queryFn: () => client.passkeys.list() };

export const IDENTITIES = { queryKey: ['identities'], queryFn: () => client.identities.list() };

/** The sign-in methods of the service, which rarely change. */
export const SIGN_IN_OPTIONS = {
  queryKey: ['sign-in-options'],
  queryFn: () => client.signIn.options(),
  staleTime: 60_000,
};

/** Returns whether the user has a passkey and the browser supports passkeys. */
export function useHasPasskey(): boolean {
  // A session of single sign-on cannot read the account's passkeys.
  const isSso = useIsSso();
  const { data } = useQuery({ ...PASSKEYS, enabled: supportsPasskeys() && !isSso });
  return data !== undefined && data.items.length > 0;
}

/** Returns the providers that the service offers and the account is linked to; undefined while loading. */
export function useLinkedProviders(): SignInOptions['oauth'] | undefined {
  const { data: options } = useQuery(SIGN_IN_OPTIONS);
  const { data: identities } = useQuery(IDENTITIES);
  if (!options || !identities) return undefined;
  return options.oauth.filter(({ provider }) => identities.items.some((identity) => identity.provider === provider));
}
