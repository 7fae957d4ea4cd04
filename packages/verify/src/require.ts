import { quoted } from './quoted.ts';
import type { Aal, Session } from './session.ts';
import { VerifyError } from './verify-error.ts';

/** Throws `forbidden` for the session of a machine, which can neither sign in again nor verify a second factor. */
export function requireUser({ auth_method }: Session): void {
  if (auth_method === 'api_key') throw new VerifyError('forbidden', 'this requires a user; an API key is not accepted');
}

/**
 * Throws `step_up_required` if the session is below this level, and `forbidden` for a machine.
 *
 * @example
 * ```ts
 * import { createVerifier, requireAal } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const session = await verifier.verify(token);
 * requireAal(session, 'aal2'); // throws if the user has signed in with only a password
 * ```
 */
export function requireAal(session: Session, aal: Aal): void {
  if (session.aal === 'aal2' || session.aal === aal) return;
  requireUser(session);
  throw new VerifyError('step_up_required', `this requires a second factor: the session is ${session.aal}, not ${aal}`);
}

/**
 * Throws `forbidden` unless the session belongs to this organization. Use it for ids from a path or a body:
 * `/orgs/:org_id/…`.
 *
 * @example
 * ```ts
 * import { createVerifier, requireOrganization } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const session = await verifier.verify(token);
 * const invoice = { organization_id: session.organization_id, total: 42 };
 * requireOrganization(session, invoice.organization_id);
 * ```
 */
export function requireOrganization(session: Session, organization_id: string | undefined): void {
  // A framework may pass an array if a path or query contains the parameter twice.
  if (typeof organization_id === 'string' && organization_id.toLowerCase() === session.organization_id) return;
  throw new VerifyError(
    'forbidden',
    `the organization of your session is ${session.organization_id}, not ${quoted(organization_id)}`,
  );
}

/**
 * The roles of users, in ascending order. Machines, and roles that this version does not know, are below all of them.
 */
const RANKS = ['member', 'admin', 'owner'];

/** Throws `forbidden` unless `role` is `needed` or a higher one. */
export function requireRole(role: string, needed: string): void {
  if (!RANKS.includes(needed)) throw new TypeError(`role: must be ${RANKS.join(', ')}, not ${quoted(needed)}`);
  if (RANKS.indexOf(role) >= RANKS.indexOf(needed)) return;
  throw new VerifyError('forbidden', `this needs the role ${needed}: yours is ${role}`);
}

/**
 * Throws `step_up_required` if the sign-in was more than `seconds` ago, by the clock of this computer, and `forbidden`
 * for a machine. Refreshing does not count as signing in. Makes no request; `requireStepUp` of {@link Verifier} checks
 * when a second factor was last verified.
 *
 * @example
 * ```ts
 * import { createVerifier, requireRecentSignIn } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const session = await verifier.verify(token);
 * requireRecentSignIn(session, 15 * 60);
 * ```
 */
export function requireRecentSignIn(session: Session, seconds: number): void {
  requireUser(session);
  const age = Math.ceil((Date.now() - session.auth_time.getTime()) / 1000);
  if (age <= seconds) return;
  throw new VerifyError(
    'step_up_required',
    `sign in again: the last sign-in was ${age} seconds ago, at most ${seconds} are allowed`,
  );
}

/**
 * Throws `forbidden` if the email was not verified when the token was issued. A user who has verified it since has to
 * refresh the token. A verified email means that the user owns the mailbox; it does not identify the user: identify
 * users by `user_id`.
 *
 * @example
 * ```ts
 * import { createVerifier, requireVerifiedEmail } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const session = await verifier.verify(token);
 * requireVerifiedEmail(session);
 * console.log(session.email);
 * ```
 */
export function requireVerifiedEmail(session: Session): void {
  if (session.email_verified) return;
  throw new VerifyError('forbidden', 'verify your email address, then refresh the session');
}
