import type { FastifyRequest } from 'fastify';

/** The origin of the page that sent the request: by `Origin` if present, else by `Referer`. Null if neither names one. */
export function pageOrigin({ headers: { origin, referer } }: Pick<FastifyRequest, 'headers'>): string | null {
  try {
    return new URL(origin ?? referer ?? '').origin;
  } catch {
    return null;
  }
}
