import { PROVIDER_TABLE } from '@gatehouse/contract';
import type { OAuthProviderDefinition } from './definition.ts';

export const google = {
  ...PROVIDER_TABLE.google,
  endpoints: {
    issuer: 'https://accounts.google.com',
    authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    jwks: 'https://www.googleapis.com/oauth2/v3/certs',
  },
  authorization: { scope: 'openid email profile' },
  requiresClientId: true,
} as const satisfies OAuthProviderDefinition;
