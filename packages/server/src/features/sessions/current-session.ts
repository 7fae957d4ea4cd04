import type { IncomingHttpHeaders } from 'node:http';
import type { Deps } from '../../domain/context.ts';
import { describeSession } from '../../domain/sessions/describe.ts';
import { mayBeUnproven } from '../../domain/unproven/unproven.ts';
import { readCookie } from '../../http/cookies.ts';
import type { Content } from '../../http/route.ts';
import { writtenOnce } from '../../http/written-once.ts';

/** `GET /auth/session` from memory: for a token that was verified before, of a session that was read before. */
export function currentSession(
  { accessTokens, sessions }: Deps,
  { authorization, cookie }: IncomingHttpHeaders,
): Content | undefined {
  const token = authorization === undefined ? readCookie(cookie, 'service_at') : afterBearer(authorization);
  const claims = token === undefined ? undefined : accessTokens.known(token);
  const source = claims && sessions.known(claims.sid);
  if (!source || source.user_id !== claims.sub || source.organization_id !== claims.org) return undefined;
  if (mayBeUnproven(source)) return undefined;
  return { source, render: () => ({ body: writtenOnce(source, () => describeSession(source)) }) };
}

const BEARER = 'Bearer ';
const afterBearer = (authorization: string): string | undefined =>
  authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : undefined;
