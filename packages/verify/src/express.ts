import { createGuard, type RouteNeeds, readingOf } from './guard.ts';
import type { Verifier } from './verifier.ts';

export { type RouteNeeds, sessionOf } from './guard.ts';

interface Request {
  readonly headers: { readonly authorization?: string | undefined };
}

interface Response {
  status(status: number): Response;
  set(headers: Readonly<Record<string, string>>): Response;
  json(body: unknown): unknown;
}

/**
 * Returns a middleware for `app.use` or for one route. Rejected requests get the error body of Gatehouse.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@gatehouse/verify';
 * import { protect, sessionOf } from '@gatehouse/verify/express';
 * import express from 'express';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const app = express();
 * app.use('/api', protect(verifier));
 * app.get('/api/me', (request, response) => {
 *   response.json({ user_id: sessionOf(request).user_id });
 * });
 * ```
 */
export function protect(verifier: Verifier, needs: RouteNeeds = {}) {
  const guard = createGuard(verifier, needs);
  return (request: Request, response: Response, next: (error?: unknown) => void): void => {
    guard(request, readingOf(request))
      .then((refusal) => {
        if (!refusal) return next();
        const { status, headers, body } = refusal;
        response.status(status).set(headers).json(body);
      })
      .catch(next);
  };
}
