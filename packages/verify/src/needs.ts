import { requireAal, requireOrganization, requireRecentSignIn, requireVerifiedEmail } from './require.ts';
import type { Session } from './session.ts';

/** What a route requires besides an active session, in the order of the checks. All needs must be met. */
export interface Needs {
  /** The organization of the request, which must be the session's own. */
  readonly organization?: string | undefined;
  /**
   * A permission in the organization of the session, such as `members.invite`. Calls the service at most once in
   * `lookUpSeconds` for a token that has it, once a second for one that does not.
   */
  readonly permission?: string;
  /** The email was verified when the token was issued. */
  readonly verifiedEmail?: true;
  readonly aal?: 'aal2';
  /** Seconds since the user signed in. */
  readonly signedInWithin?: number;
  /** Seconds since a second factor or a passkey was verified. Calls the service, as `permission` does. */
  readonly steppedUpWithin?: number;
}

export const NEEDS: readonly string[] = [
  'organization',
  'permission',
  'verifiedEmail',
  'aal',
  'signedInWithin',
  'steppedUpWithin',
] satisfies readonly (keyof Needs)[];

/** Throws a TypeError for an unknown need: a misspelled name must not leave a route open. */
export function requireKnown(names: readonly string[], needs: object, caller: string): void {
  const unknown = Object.keys(needs).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new TypeError(`${caller}: unknown need: ${unknown.join(', ')}`);
}

/** The checks that send a request to the service. */
interface LookUps {
  requirePermission(token: string, permission: string): Promise<unknown>;
  requireStepUp(token: string, seconds: number): Promise<unknown>;
}

/** Rejects with a VerifyError unless the session of this token has all that is needed. */
export async function meetNeeds(verifier: LookUps, token: string, session: Session, needs: Needs): Promise<void> {
  const { organization, permission, aal, signedInWithin, steppedUpWithin } = needs;
  // Checks every key that is present, even if its value is `undefined`: a lost value must not leave a route open.
  if ('organization' in needs) requireOrganization(session, organization);
  if ('permission' in needs) await verifier.requirePermission(token, String(permission));
  if ('verifiedEmail' in needs) requireVerifiedEmail(session);
  if ('aal' in needs) requireAal(session, aal ?? 'aal2');
  if ('signedInWithin' in needs) requireRecentSignIn(session, Number(signedInWithin));
  if ('steppedUpWithin' in needs) await verifier.requireStepUp(token, Number(steppedUpWithin));
}
