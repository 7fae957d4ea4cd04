import type { UsableConnection } from '../../domain/sso/connection.ts';
import type { SsoClaims } from '../../domain/sso/provider.ts';

export interface Asserted {
  readonly claims: SsoClaims;
  /** The locale of a new account. */
  readonly locale: string | null;
}

/** `aal2` if the provider has verified a second factor and the connection trusts this claim. */
export const assuranceOf = ({ trust_idp_mfa }: UsableConnection, { amr }: SsoClaims): 'aal1' | 'aal2' =>
  trust_idp_mfa && amr.includes('mfa') ? 'aal2' : 'aal1';

/** Thrown if a concurrent request has changed what was read. The sign-in is then repeated. */
export class Superseded extends Error {}
