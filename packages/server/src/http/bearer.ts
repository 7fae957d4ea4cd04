import type { FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** Whether a cookie is the credential. Other schemes than Bearer, such as Basic of a proxy, are ignored. */
export const isByCookie = ({ headers: { authorization } }: WithHeaders): boolean =>
  authorization === undefined || !/^bearer\b/i.test(authorization);

/** The Bearer token of the request, not verified. Cookies are not read. */
export function bearerOf({ headers: { authorization } }: WithHeaders): string | undefined {
  if (authorization === undefined || !/^bearer /i.test(authorization)) return undefined;
  return authorization.slice('Bearer '.length).trim() || undefined;
}

/** The session id of the Bearer token, even if the session has ended. */
export function sessionShown(request: WithHeaders, { accessTokens }: Deps): string | undefined {
  const token = bearerOf(request);
  return token === undefined ? undefined : accessTokens.sessionOf(token);
}
