import { meetNeeds, type Needs } from './needs.ts';
import type { Session } from './session.ts';
import type { Verifier } from './verifier.ts';
import { VerifyError } from './verify-error.ts';

/**
 * Returns the token of an `Authorization: Bearer` header, or throws `token_missing`. Cookies are never read: an API
 * that accepts them must also protect itself against CSRF.
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
 * Returns the session of a request if it meets all needs. The adapters are built on it; use it for other frameworks.
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
  await meetNeeds(verifier, token, session, needs);
  return session;
}
