import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const HEADERS = 'authorization, content-type, x-service-csrf, x-service-user, x-request-id';
const EXPOSED = 'x-request-id, retry-after, x-service-step-up, x-service-signature, etag';

/** Allows only the origins in CORS_ORIGINS, with credentials; never `*`. Returns true if it answered a preflight. */
export function applyCors(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  if (origins.length === 0) return false;
  reply.header('vary', 'origin');
  const origin = request.headers.origin;
  if (origin === undefined || !origins.includes(origin)) return false;
  reply.header('access-control-allow-origin', origin).header('access-control-allow-credentials', 'true');
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
    reply.header('access-control-expose-headers', EXPOSED);
    return false;
  }
  reply
    .code(204)
    .header('access-control-allow-methods', METHODS)
    .header('access-control-allow-headers', HEADERS)
    .header('access-control-max-age', '600')
    .send();
  return true;
}
