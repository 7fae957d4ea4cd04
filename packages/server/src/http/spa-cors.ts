import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';

/** docs/reference/oauth-server.md#issuer-and-endpoints: the endpoints that an application calls from the browser. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ['/oauth/token', 'POST'],
  ['/oauth/revoke', 'POST'],
  ['/oauth/userinfo', 'GET, HEAD, POST'],
  ['/oauth/jwks.json', 'GET, HEAD'],
  ['/oauth/.well-known/openid-configuration', 'GET, HEAD'],
  ['/.well-known/oauth-authorization-server/oauth', 'GET, HEAD'],
]);

const methodsAt = ({ url }: FastifyRequest): string | undefined => PATHS.get(url.split('?', 1)[0]!);

export const isForSpa = (request: FastifyRequest): boolean => methodsAt(request) !== undefined;

/**
 * Allows the origins of redirect URIs of enabled applications of kind `spa`, without credentials. CORS_ORIGINS does not
 * apply at these paths. Returns true if the request was a preflight and has been answered.
 */
export async function applySpaCors(
  request: FastifyRequest,
  reply: FastifyReply,
  { applications }: Deps,
): Promise<boolean> {
  reply.header('vary', 'origin');
  const { origin } = request.headers;
  // While the database is not available, no origin is known.
  if (origin === undefined || !(await applications.isSpaOrigin(origin).catch(() => false))) return false;
  reply.header('access-control-allow-origin', origin);
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
    reply.header('access-control-expose-headers', 'x-request-id, retry-after, www-authenticate, etag');
    return false;
  }
  reply
    .code(204)
    .header('access-control-allow-methods', methodsAt(request)!)
    .header('access-control-allow-headers', 'authorization, content-type')
    .header('access-control-max-age', '600')
    .send();
  return true;
}
