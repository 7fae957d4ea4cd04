import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../platform/config/settings.ts';
import type { Keyring, MasterKey } from '../platform/crypto/keyring.ts';
import { equalBytes, hmac } from '../platform/crypto/tokens.ts';
import { readCookie } from './cookies.ts';

const PURPOSE = 'csrf';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const bind = (key: MasterKey, sid: string, nonce: string): string =>
  hmac(key.derive(PURPOSE), `${sid}\0${nonce}`).toString('base64url');

/** The value of `service_csrf`: bound to the session family, so that one planted from another session does not pass. */
export function createCsrfToken(keyring: Keyring, sid: string): string {
  const nonce = randomBytes(12).toString('base64url');
  return `${nonce}.${bind(keyring.current, sid, nonce)}`;
}

/** §5.3: the header equals the cookie, and the value is one we made for this family. */
export function passesCsrf(request: FastifyRequest, keyring: Keyring, sid: string): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const header = request.headers['x-service-csrf'];
  const cookie = readCookie(request.headers.cookie, 'service_csrf');
  if (typeof header !== 'string' || !cookie || !equalBytes(Buffer.from(header), Buffer.from(cookie))) return false;
  return isOfFamily(keyring, sid, cookie);
}

/**
 * A page may say whose it is. Cookies are the browser's, not the window's: what somebody sets off in one window must not become
 * a deed of whoever has signed in since in another.
 */
export const isOfPerson = (request: FastifyRequest, user_id: string): boolean => {
  const shown = request.headers['x-service-user'];
  return SAFE_METHODS.has(request.method) || shown === undefined || shown === user_id;
};

/**
 * The refresh cookie comes along from every page of the site, and needs no CSRF value: there may be none any more. A browser says where a page
 * is; one on another host name must be listed. What is no browser, or an old one, does not say.
 */
export function isFromOurPages({ headers }: FastifyRequest, { CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== 'same-site' && site !== 'cross-site') return true;
  return headers.origin !== undefined && CORS_ORIGINS.includes(headers.origin);
}

function isOfFamily(keyring: Keyring, sid: string, value: string): boolean {
  const [nonce, proof] = value.split('.');
  if (!nonce || !proof) return false;
  return [keyring.current, keyring.previous].some(
    (key) => key !== undefined && equalBytes(Buffer.from(proof), Buffer.from(bind(key, sid, nonce))),
  );
}

/** For a session that goes on: the value its pages know already, or a new one where they have none. */
export function keepCsrfToken(request: FastifyRequest, keyring: Keyring, sid: string): string {
  const cookie = readCookie(request.headers.cookie, 'service_csrf');
  return cookie !== undefined && isOfFamily(keyring, sid, cookie) ? cookie : createCsrfToken(keyring, sid);
}
