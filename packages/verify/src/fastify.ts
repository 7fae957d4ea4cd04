import { createGuard, type RouteNeeds, readingOf } from './guard.ts';
import type { Verifier } from './verifier.ts';

export { type RouteNeeds, sessionOf } from './guard.ts';

interface Request {
  readonly headers: { readonly authorization?: string | undefined };
}

interface Reply {
  code(status: number): Reply;
  headers(values: Readonly<Record<string, string>>): Reply;
  send(body: unknown): Reply;
}

/**
 * Returns an `onRequest` hook for one route or, with `addHook`, for all routes. Rejected requests get the error body of
 * Gatehouse.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@gatehouse/verify';
 * import { protect, sessionOf } from '@gatehouse/verify/fastify';
 * import Fastify from 'fastify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const app = Fastify();
 * app.get('/me', { onRequest: protect(verifier) }, async (request) => sessionOf(request).user_id);
 * app.delete('/everything', { onRequest: protect(verifier, { steppedUpWithin: 300 }) }, async () => 'gone');
 *
 * console.log((await app.inject('/me')).statusCode); // 401
 * ```
 */
export function protect(verifier: Verifier, needs: RouteNeeds = {}) {
  const guard = createGuard(verifier, needs);
  return async (request: Request, reply: Reply): Promise<unknown> => {
    const refusal = await guard(request, readingOf(request));
    return refusal && reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
  };
}
