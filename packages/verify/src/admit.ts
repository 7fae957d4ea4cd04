import { requireAal, requireOrganization, requireRecentSignIn } from './require.ts';
import type { Session } from './session.ts';
import type { Verifier } from './verifier.ts';
import { VerifyError } from './verify-error.ts';

/** What a route asks for beyond a living session, in the order in which it is checked. */
export interface Needs {
  /** The organization that the request is about: it must be the session's own. */
  readonly organization?: string | undefined;
  /** In the organization of the session, such as `members.invite`. Asks the service: once in `lookUpSeconds` for a token that has it, once a second for one that has not. */
  readonly permission?: string;
  readonly aal?: 'aal2';
  /** Seconds since the person signed in. */
  readonly signedInWithin?: number;
  /** Seconds since a second factor or a passkey was given. Asks the service, as `permission` does. */
  readonly steppedUpWithin?: number;
}

/**
 * The token of an `Authorization: Bearer` header. Without one it is refused with `token_missing`. A cookie is never looked at: a service that takes
 * one must also defend itself against requests forged in other pages.
 *
 * @example
 * ```ts
 * import { bearerToken } from '@gatehouse/verify';
 *
 * console.log(bearerToken('Bearer abc')); // abc
 * ```
 */
export function bearerToken(authorization: string | null | undefined): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new VerifyError('token_missing', 'send an access token: Authorization: Bearer …');
  return token;
}

/**
 * The session behind a request, when it has everything that is needed: what the adapters are made of, for any other framework.
 *
 * @example
 * ```ts
 * import { admit, createVerifier, refusalOf } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 *
 * async function handle(request: Request): Promise<Response> {
 *   try {
 *     const session = await admit(verifier, request.headers.get('authorization'), { aal: 'aal2' });
 *     return Response.json({ hello: session.user_id });
 *   } catch (error) {
 *     const { status, headers, body } = refusalOf(error);
 *     return Response.json(body, { status, headers });
 *   }
 * }
 *
 * console.log((await handle(new Request('https://api.example.com'))).status); // 401
 * ```
 */
export async function admit(
  verifier: Verifier,
  authorization: string | null | undefined,
  needs: Needs = {},
): Promise<Session> {
  const token = bearerToken(authorization);
  const session = await verifier.verify(token);
  const { organization, permission, aal, signedInWithin, steppedUpWithin } = needs;
  // By what is named, not by what is there: a need whose value got lost on the way, as `undefined`, is met by nobody.
  if ('organization' in needs) requireOrganization(session, organization);
  if ('permission' in needs) await verifier.requirePermission(token, String(permission));
  if ('aal' in needs) requireAal(session, aal ?? 'aal2');
  if ('signedInWithin' in needs) requireRecentSignIn(session, Number(signedInWithin));
  if ('steppedUpWithin' in needs) await verifier.requireStepUp(token, Number(steppedUpWithin));
  return session;
}
