import type { Claims } from '../../domain/kernel/claims.ts';
import type { UsableConnection } from '../../domain/sso/connection.ts';

export interface Asserted {
  readonly claims: Claims;
  /** The locale of a new account. */
  readonly locale: string | null;
}

/** `aal2` if the provider has verified a second factor and the connection trusts this claim. */
export const assuranceOf = ({ trust_idp_mfa }: UsableConnection, { amr }: Claims): 'aal1' | 'aal2' =>
  trust_idp_mfa && amr.includes('mfa') ? 'aal2' : 'aal1';
