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

/**
 * docs/reference/http.md#csrf: the value of `service_csrf`, bound to the session family: a value planted from another
 * session is rejected.
 */
export function createCsrfToken(keyring: Keyring, sid: string): string {
  const nonce = randomBytes(12).toString('base64url');
  return `${nonce}.${bind(keyring.current, sid, nonce)}`;
}

/** §5.3: the header must equal the cookie, and we must have issued the value for this family. */
export function passesCsrf(request: FastifyRequest, keyring: Keyring, sid: string): boolean {
  if (SAFE_METHODS.has(request.method)) return true;
  const header = request.headers['x-service-csrf'];
  const cookie = readCookie(request.headers.cookie, 'service_csrf');
  if (typeof header !== 'string' || !cookie || !equalBytes(Buffer.from(header), Buffer.from(cookie))) return false;
  return isOfFamily(keyring, sid, cookie);
}

/**
 * A page may send the id of the user that it shows. Cookies are shared by all windows of a browser: an action in one
 * window must not apply to another user who has signed in since in another window.
 */
export const isForShownUser = (request: FastifyRequest, user_id: string): boolean => {
  const shown = request.headers['x-service-user'];
  return SAFE_METHODS.has(request.method) || shown === undefined || shown === user_id;
};

/**
 * Browsers send the refresh cookie from every page of the site, and there may be no CSRF value any more. So the page
 * must be on our own host or on a listed origin. Old browsers and other clients do not send Sec-Fetch-Site, and pass.
 */
export function isFromOurPages({ headers }: FastifyRequest, { CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== 'same-site' && site !== 'cross-site') return true;
  return headers.origin !== undefined && CORS_ORIGINS.includes(headers.origin);
}

function isOfFamily(keyring: Keyring, sid: string, value: string): boolean {
  const [nonce, signature] = value.split('.');
  if (!nonce || !signature) return false;
  return [keyring.current, keyring.previous].some(
    (key) => key !== undefined && equalBytes(Buffer.from(signature), Buffer.from(bind(key, sid, nonce))),
  );
}

/** Returns the CSRF value that the pages of a continuing session already have, or a new one. */
export function keepCsrfToken(request: FastifyRequest, keyring: Keyring, sid: string): string {
  const cookie = readCookie(request.headers.cookie, 'service_csrf');
  return cookie !== undefined && isOfFamily(keyring, sid, cookie) ? cookie : createCsrfToken(keyring, sid);
}
