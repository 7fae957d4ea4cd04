import type { OAuthProvider } from '@gatehouse/contract';
import type { Config } from '../../platform/config/settings.ts';

type Address = Pick<Config, 'PUBLIC_BASE_URL' | 'ROUTE_PREFIX'>;

/** The redirect URI of a provider. It must be registered with the provider exactly as it is. */
export const callbackUrl = ({ PUBLIC_BASE_URL, ROUTE_PREFIX }: Address, provider: OAuthProvider): string =>
  `${PUBLIC_BASE_URL}${ROUTE_PREFIX}/auth/oauth/${provider}/callback`;

export const startUrl = ({ PUBLIC_BASE_URL, ROUTE_PREFIX }: Address, provider: OAuthProvider): string =>
  `${PUBLIC_BASE_URL}${ROUTE_PREFIX}/auth/oauth/${provider}/start`;
