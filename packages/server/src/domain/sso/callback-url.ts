import type { Config } from '../../platform/config/settings.ts';

/** The redirect URI of a connection. It must be registered at the provider exactly as it is. */
export const ssoCallbackUrl = (
  { PUBLIC_BASE_URL, ROUTE_PREFIX }: Pick<Config, 'PUBLIC_BASE_URL' | 'ROUTE_PREFIX'>,
  connection_id: string,
): string => `${PUBLIC_BASE_URL}${ROUTE_PREFIX}/auth/sso/${connection_id}/callback`;
