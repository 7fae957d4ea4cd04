import type { UsableConnection } from '../../domain/sso/connection.ts';
import type { SsoClaims } from '../../domain/sso/provider.ts';

/** What a sign-in at a connection has proved. */
export interface Asserted {
  readonly claims: SsoClaims;
  /** The locale of a new account. */
  readonly locale: string | null;
}

/** The provider has verified a second factor, and the organization trusts it for that. */
export const assuranceOf = ({ trust_idp_mfa }: UsableConnection, { amr }: SsoClaims): 'aal1' | 'aal2' =>
  trust_idp_mfa && amr.includes('mfa') ? 'aal2' : 'aal1';

/** Thrown if what was read has changed before anything was written. */
export class Superseded extends Error {}
