import type { FastifyRequest } from 'fastify';

/** The origin of the page that sent the request: of `Origin`, or without it of `Referer`. Null if neither names one. */
export function pageOrigin({ headers: { origin, referer } }: Pick<FastifyRequest, 'headers'>): string | null {
  const page = origin ?? referer;
  if (page === undefined) return null;
  try {
    return new URL(page).origin;
  } catch {
    return null;
  }
}
