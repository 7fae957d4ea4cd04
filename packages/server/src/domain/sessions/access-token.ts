import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { AccessTokenClaims } from '@gatehouse/contract';
import { LRUCache } from 'lru-cache';
import { v7 as uuid } from 'uuid';
import { type Clock, seconds } from '../../platform/clock.ts';
import { ServiceError } from '../service-error.ts';
import type { SigningKeys } from '../signing-keys/keys.ts';
import { readAccessClaims } from './access-claims.ts';

export type NewAccessToken = Omit<AccessTokenClaims, 'iss' | 'iat' | 'exp' | 'typ'>;

interface ClaimedSession {
  readonly session_id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly aal: AccessTokenClaims['aal'];
  readonly auth_time: Date;
  readonly auth_method: AccessTokenClaims['auth_method'];
}

/** §2.2: what a new access token says of its session. */
export const accessClaims = (session: ClaimedSession): NewAccessToken => ({
  sub: session.user_id,
  org: session.organization_id,
  email: session.email,
  email_verified: session.email_verified_at !== null,
  jti: uuid(),
  sid: session.session_id,
  aal: session.aal,
  auth_time: seconds(session.auth_time),
  auth_method: session.auth_method,
});

export interface AccessTokens {
  /** As of `now`, which is what the database was told; it never outlives its session. */
  issue(
    claims: NewAccessToken,
    times: { now: Date; session_ends: Date },
  ): Promise<{ access_token: string; expires_in: number }>;
  /** The claims of a living access token of ours; undefined for anything else. */
  verify(token: string): AccessTokenClaims | undefined;
  /** The session of an access token of ours, living or ended. It opens nothing. */
  sessionOf(token: string): string | undefined;
}

interface Options {
  keys: SigningKeys;
  clock: Clock;
  issuer: string;
  ttl: number;
}

const signInPool = promisify(sign);
const MAX_CACHED = 20_000;
const MAX_LENGTH = 4096;
const KEY_LENGTH = 32;

interface Proven {
  readonly token: string;
  readonly header: string;
  readonly claims: AccessTokenClaims;
}

/** §2.2. RS256 only, and only with a header we have written ourselves: no other algorithm, key or extension is ever read. */
export function createAccessTokens({ keys, clock, issuer, ttl }: Options): AccessTokens {
  // A token is proven once; after that its own text is the proof. The key must still be one of ours. They are found by the end
  // of their signature, which is as good as unique and much shorter; the whole text is compared.
  const proven = new LRUCache<string, Proven>({ max: MAX_CACHED });

  return {
    async issue(claims, { now, session_ends }) {
      const key = keys.current();
      if (!key?.privateKey) throw new ServiceError('internal_error', 'no signing key');
      const iat = seconds(now);
      const exp = Math.min(iat + ttl, seconds(session_ends));
      const payload = Buffer.from(JSON.stringify({ iss: issuer, ...claims, iat, exp, typ: 'access' })).toString(
        'base64url',
      );
      const signature = await signInPool('RSA-SHA256', Buffer.from(`${key.header}.${payload}`), key.privateKey);
      return { access_token: `${key.header}.${payload}.${signature.toString('base64url')}`, expires_in: exp - iat };
    },

    verify(token) {
      const end = token.slice(-KEY_LENGTH);
      let found = proven.get(end);
      if (found?.token !== token) {
        // A copy: as a part of a header it would keep all of that in memory.
        const copy = token.length <= MAX_LENGTH ? Buffer.from(token).toString() : '';
        const read = prove(keys, copy);
        if (!read || read.claims.iss !== issuer) return undefined;
        proven.set(read.token.slice(-KEY_LENGTH), read);
        found = read;
      }
      if (!(found.claims.exp > seconds(clock.now())) || !keys.findByHeader(found.header)) {
        proven.delete(end);
        return undefined;
      }
      return found.claims;
    },

    sessionOf(token) {
      const read = token.length <= MAX_LENGTH ? prove(keys, token) : undefined;
      return read?.claims.iss === issuer ? read.claims.sid : undefined;
    },
  };
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

function prove(keys: SigningKeys, token: string): Proven | undefined {
  const [header, payload, signature, more] = token.split('.');
  if (!header || !payload || !signature || more !== undefined) return undefined;
  const key = keys.findByHeader(header);
  if (!key || !BASE64URL.test(payload) || !BASE64URL.test(signature)) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  // One text for one signature: stray bits in the last character would make a second token of the same proof.
  if (bytes.toString('base64url') !== signature) return undefined;
  if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key.publicKey, bytes)) return undefined;
  const claims = readAccessClaims(payload);
  return claims && { token, header, claims };
}
