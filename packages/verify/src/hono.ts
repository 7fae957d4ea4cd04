import { createGuard, type RouteNeeds } from './guard.ts';
import type { Verifier } from './verifier.ts';

export { type RouteNeeds, sessionOf } from './guard.ts';

interface Context {
  readonly req: { header(name: string): string | undefined; param(name: string): string | undefined };
}

/**
 * Returns a middleware for `app.use` or for one route. Rejected requests get the error body of Gatehouse.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@gatehouse/verify';
 * import { protect, sessionOf } from '@gatehouse/verify/hono';
 * import { Hono } from 'hono';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const app = new Hono();
 * app.use('/api/*', protect(verifier));
 * app.get('/api/me', (c) => c.json({ user_id: sessionOf(c).user_id }));
 *
 * console.log((await app.request('/api/me')).status); // 401
 * ```
 */
export function protect(verifier: Verifier, needs: RouteNeeds = {}) {
  const guard = createGuard(verifier, needs);
  return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const { req } = context;
    const reading = { authorization: req.header('authorization'), param: (name: string) => req.param(name) };
    const refusal = await guard(context, reading);
    if (refusal) return Response.json(refusal.body, { status: refusal.status, headers: refusal.headers });
    await next();
    return undefined;
  };
}
