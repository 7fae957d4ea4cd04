import type { LoginResponse, LoginSuccess, MfaRequired, MfaVerified, RefreshResponse } from '@gatehouse/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import type { SessionState } from '../domain/kernel/session-state.ts';
import type { SessionTokens } from '../domain/sessions/refresh/rotate.ts';
import { type RefreshClaims, verifyRefreshToken } from '../domain/sessions/refresh/token.ts';
import type { SignedIn } from '../domain/sign-in/complete.ts';
import { describeCurrent } from '../domain/unproven/unproven.ts';
import { hashToken } from '../platform/crypto/tokens.ts';
import { type CookieName, clearCookies, readCookie, setCookies } from './cookies.ts';
import { createCsrfToken, keepCsrfToken } from './csrf.ts';

const SESSION_COOKIES: readonly CookieName[] = ['service_at', 'service_rt', 'service_csrf'];

/** §2.1: the body of a completed sign-in, with its three cookies; for a pending one, no cookies and no user. */
export async function sendSignedIn(
  reply: FastifyReply,
  deps: Deps,
  outcome: SignedIn | MfaRequired,
): Promise<LoginResponse> {
  if (outcome.status === 'mfa_required') return outcome;
  const described = await describeCurrent(deps, outcome.state);
  setSessionCookies(reply, deps, outcome);
  const { access_token, expires_in } = outcome;
  return { status: 'success', ...described, access_token, expires_in };
}

export function sendRefreshed(reply: FastifyReply, deps: Deps, tokens: SessionTokens): RefreshResponse {
  setSessionCookies(reply, deps, tokens);
  return { access_token: tokens.access_token, expires_in: tokens.expires_in };
}

interface Continued {
  readonly state: SessionState;
  readonly access_token: string;
  readonly expires_in: number;
}

/** Sends the same session with a new access token. The refresh cookie is not set: another tab may have a newer one. */
export async function sendContinued(
  reply: FastifyReply,
  request: FastifyRequest,
  deps: Deps,
  { state, access_token, expires_in }: Continued,
): Promise<LoginSuccess> {
  const described = await describeCurrent(deps, state);
  setAccessCookies(reply, request, deps, { session_id: state.session_id, access_token });
  return { status: 'success', ...described, access_token, expires_in };
}

interface Verified {
  readonly session_id: string;
  readonly mfa_verified_at: Date;
  readonly access_token: string;
  readonly expires_in: number;
}

/** Whether the request's cookies are of this session: a page with a Bearer token may run beside another session. */
export function areCookiesOf(session_id: string, request: FastifyRequest, deps: Deps): boolean {
  if (request.headers.authorization === undefined) return true;
  const claims = refreshClaimsOf(request, deps);
  return claims === undefined || claims.sid === session_id;
}

/**
 * The session continues with higher assurance and a new access token. Its CSRF value, which other tabs know, is kept
 * with the lifetime of the new token; its refresh token is unchanged, because another tab may have a newer one.
 */
export function sendVerified(reply: FastifyReply, request: FastifyRequest, deps: Deps, session: Verified): MfaVerified {
  const { session_id, mfa_verified_at, access_token, expires_in } = session;
  setAccessCookies(reply, request, deps, { session_id, access_token });
  return { mfa_verified_at: mfa_verified_at.toISOString(), access_token, expires_in };
}

/** Sets `service_at`, and `service_csrf` with its lifetime, if the request's cookies belong to this session. */
function setAccessCookies(
  reply: FastifyReply,
  request: FastifyRequest,
  deps: Deps,
  { session_id, access_token }: { session_id: string; access_token: string },
): void {
  if (!areCookiesOf(session_id, request, deps)) return;
  setCookies(reply, deps.config, {
    service_at: access_token,
    service_csrf: keepCsrfToken(request, deps.keyring, session_id),
  });
}

const setSessionCookies = (reply: FastifyReply, { config, keyring }: Deps, tokens: SessionTokens): void =>
  setCookies(reply, config, {
    service_at: tokens.access_token,
    service_rt: tokens.refresh_token,
    service_csrf: createCsrfToken(keyring, tokens.session_id),
  });

export const clearSessionCookies = (reply: FastifyReply, { config }: Deps): void =>
  clearCookies(reply, config, SESSION_COOKIES);

export const trustHashOf = (request: FastifyRequest): Buffer | undefined => {
  const token = readCookie(request.headers.cookie, 'service_trust');
  return token === undefined ? undefined : hashToken(token);
};

export const refreshClaimsOf = (request: FastifyRequest, deps: Deps): RefreshClaims | undefined => {
  const token = readCookie(request.headers.cookie, 'service_rt');
  return token === undefined ? undefined : verifyRefreshToken(deps.keyring, token, deps.clock.now());
};
