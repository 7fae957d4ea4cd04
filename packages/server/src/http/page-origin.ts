import type { FastifyRequest } from 'fastify';

/** The origin of the page that sent the request: of `Origin`, or without it of `Referer`. Null if neither names one. */
export function pageOrigin({ headers: { origin, referer } }: Pick<FastifyRequest, 'headers'>): string | null {
  try {
    return new URL(origin ?? referer ?? '').origin;
  } catch {
    return null;
  }
}
