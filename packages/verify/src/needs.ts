import type { CurrentSession } from './current-session.ts';
import type { Permission } from './permission.ts';
import { requireAal, requireOrganization, requireRecentSignIn, requireRole, requireVerifiedEmail } from './require.ts';
import type { Session } from './session.ts';
import { VerifyError } from './verify-error.ts';

/** What a route requires besides an active session, in the order of the checks. All needs must be met. */
export interface Needs {
  /** The organization of the request, which must be the session's own. */
  readonly organization?: string | undefined;
  /**
   * At least this role in the organization of the session: owner > admin > member. It is read from the token; for a
   * token of a service older than product roles, the service is called. Machines are rejected with `forbidden`.
   */
  readonly role?: 'owner' | 'admin' | 'member';
  /**
   * A permission in the organization of the session. One of your product, such as `invoices.read`, is read from the
   * token. For one of the service, such as `members.invite`, and for a token that does not contain permissions, the
   * service is called: at most once in `lookUpSeconds` if the user has the permission, once a second otherwise. The
   * token of a machine contains both kinds.
   */
  readonly permission?: Permission;
  /** The email was verified when the token was issued. */
  readonly verifiedEmail?: true;
  /** Machines, which have no second factor, are rejected with `forbidden`. */
  readonly aal?: 'aal2';
  /** Seconds since the user signed in. Machines do not sign in: they are rejected with `forbidden`. */
  readonly signedInWithin?: number;
  /**
   * Seconds since a second factor or a passkey was verified. Always calls the service. Machines are rejected with
   * `forbidden`.
   */
  readonly steppedUpWithin?: number;
}

export const NEEDS: readonly string[] = [
  'organization',
  'role',
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
  lookUp(token: string): Promise<CurrentSession>;
  requirePermission(token: string, permission: string): Promise<unknown>;
  requireStepUp(token: string, seconds: number): Promise<unknown>;
}

/** The first segments of the service's own permissions, which are not in tokens. A product's cannot begin with them. */
const SERVICE_SEGMENTS = new Set(['org', 'members', 'audit', 'roles', 'machines', 'webhooks', 'policy', 'sso']);

export const lacksPermission = (permission: string): VerifyError =>
  new VerifyError('forbidden', `your roles do not include ${permission}`);

async function requirePermission(
  verifier: LookUps,
  token: string,
  { permissions, scopes }: Session,
  permission: string,
): Promise<void> {
  // Scopes only restrict: a permission outside of them is missing, even if the roles include it.
  if (scopes && !scopes.includes(permission)) throw lacksPermission(permission);
  if (!permissions || SERVICE_SEGMENTS.has(permission.split('.')[0]!)) {
    // The scopes of a machine also list the service's own permissions that it has.
    if (!scopes) await verifier.requirePermission(token, permission);
  } else if (!permissions.includes(permission)) throw lacksPermission(permission);
}

/** Rejects with a VerifyError unless the session of this token has all that is needed. */
export async function meetNeeds(verifier: LookUps, token: string, session: Session, needs: Needs): Promise<void> {
  const { organization, role, permission, aal, signedInWithin, steppedUpWithin } = needs;
  // Checks every key that is present, even if its value is `undefined`: a lost value must not leave a route open.
  if ('organization' in needs) requireOrganization(session, organization);
  if ('role' in needs) requireRole(session.role ?? (await verifier.lookUp(token)).capabilities.role, String(role));
  if ('permission' in needs) await requirePermission(verifier, token, session, String(permission));
  if ('verifiedEmail' in needs) requireVerifiedEmail(session);
  if ('aal' in needs) requireAal(session, aal ?? 'aal2');
  if ('signedInWithin' in needs) requireRecentSignIn(session, Number(signedInWithin));
  if ('steppedUpWithin' in needs) await verifier.requireStepUp(token, Number(steppedUpWithin));
}
