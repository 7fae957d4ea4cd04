import type { STANDARD_SCOPES as OfContract } from '@gatehouse/contract';
import type { Text } from './text/en.ts';

/** A typed copy of the contract's list, which keeps its schemas out of the bundle. Other scopes are permissions. */
export const STANDARD_SCOPES: typeof OfContract = ['openid', 'profile', 'email', 'offline_access', 'organization'];
type StandardScope = (typeof STANDARD_SCOPES)[number];

export const isStandardScope = (scope: string): scope is StandardScope =>
  (STANDARD_SCOPES as readonly string[]).includes(scope);

export const describeScope = (scope: string, text: Text): string =>
  isStandardScope(scope) ? text.scopes[scope] : text.permission(scope);
