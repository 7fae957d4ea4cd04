import type { TokenGrant } from '../token-grant.ts';
import { keyExchange } from './api-key.ts';
import { applicationCredentials } from './application.ts';
import { authorizationCode } from './authorization-code.ts';
import { refreshToken } from './refresh-token.ts';

/** The grants of `POST /oauth/token`: one file each. */
export const GRANTS: readonly TokenGrant[] = [keyExchange, authorizationCode, refreshToken, applicationCredentials];
