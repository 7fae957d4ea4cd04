import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { type AccessTokenClaims, LIMITS } from '@gatehouse/contract';
import { LRUCache } from 'lru-cache';
import { v7 as uuid } from 'uuid';
import { atMost, dropStale } from '../../platform/cache-limit.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { isProductPermission, type MemberPermissions } from '../kernel/permissions.ts';
import { ServiceError } from '../kernel/service-error.ts';
import type { SigningKeys } from '../signing-keys/keys.ts';
import { readAccessClaims } from './access-claims.ts';

export type NewAccessToken = Omit<AccessTokenClaims, 'iss' | 'iat' | 'exp' | 'typ'>;

interface ClaimedSession extends MemberPermissions {
  readonly session_id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly aal: AccessTokenClaims['aal'];
  readonly auth_time: Date;
  readonly auth_method: AccessTokenClaims['auth_method'];
  readonly perms_at: number;
}

/** §2.2: the claims of a new access token. */
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
  role: session.role,
  ...permsClaim((session.held?.permissions ?? []).filter(isProductPermission)),
  perms_at: session.perms_at,
});

/** docs/reference/sessions.md#access-tokens: the permissions of the product, unless they are too long. */
export function permsClaim(permissions: readonly string[]): Pick<NewAccessToken, 'perms' | 'perms_omitted'> {
  const perms = permissions.toSorted();
  return JSON.stringify(perms).length > LIMITS.permission.claimBytes ? { perms_omitted: true } : { perms };
}

export interface AccessTokens {
  /**
   * Issues a token at `now`, the time that was also stored. It never expires after its session. The token of a
   * restricted session names this service as its audience and is signed by a key that is not published, so that every
   * local verifier rejects it.
   */
  issue(
    claims: NewAccessToken,
    session: { now: Date; session_ends: Date; restricted?: boolean },
  ): Promise<{ access_token: string; expires_in: number }>;
  verify(token: string): AccessTokenClaims | undefined;
  /** Like `verify`, for tokens that it has accepted before. Undefined for others: no signature is verified. */
  known(token: string): AccessTokenClaims | undefined;
  /** Returns the session of an access token that this service issued, even if it has expired. Grants no access. */
  sessionOf(token: string): string | undefined;
}

interface Options {
  keys: SigningKeys;
  clock: Clock;
  issuer: string;
  ttl: number;
  /** Creates the key for restricted sessions if there is none. */
  ensureRestrictedKey: () => Promise<void>;
}

const signInPool = promisify(sign);
const MAX_CACHED = 20_000;
const MAX_TOKEN_LENGTH = 4096;
const CACHE_KEY_LENGTH = 32;
const cacheKey = (token: string): string => token.slice(-CACHE_KEY_LENGTH);
/** Characters of a signature with a 2048-bit key, plus the two dots of the token. */
const SIGNATURE_LENGTH = 342 + 2;

interface VerifiedToken {
  readonly token: string;
  readonly header: string;
  readonly claims: AccessTokenClaims;
}

/** §2.2. A header must equal, as text, that of an own RS256 key: no other algorithm, key or extension is parsed. */
export function createAccessTokens({ keys, clock, issuer, ttl, ensureRestrictedKey }: Options): AccessTokens {
  // The signature of a token is verified once; later requests compare the whole token. Its key must still be published.
  // Entries are found by the end of the signature, which is short and practically unique.
  const verifiedTokens = new LRUCache<string, VerifiedToken>(atMost(MAX_CACHED));

  const currentClaims = (found: VerifiedToken): AccessTokenClaims | undefined => {
    if (!(found.claims.exp > seconds(clock.now())) || !keys.findByHeader(found.header)) {
      verifiedTokens.delete(cacheKey(found.token));
      return undefined;
    }
    return found.claims;
  };

  return {
    async issue(given, { now, session_ends, restricted = false }) {
      if (restricted) await ensureRestrictedKey();
      const key = restricted ? keys.current()?.restricted : keys.current();
      if (!key) throw new ServiceError('internal_error', 'no signing key');
      const claims = restricted ? { ...withoutPerms(given), aud: issuer } : given;
      const iat = seconds(now);
      const exp = Math.min(iat + ttl, seconds(session_ends));
      const encode = (claims: NewAccessToken): string =>
        Buffer.from(JSON.stringify({ iss: issuer, ...claims, iat, exp, typ: 'access' })).toString('base64url');
      let payload = encode(claims);
      if (claims.perms && key.header.length + payload.length + SIGNATURE_LENGTH > LIMITS.accessToken) {
        payload = encode({ ...withoutPerms(claims), perms_omitted: true });
      }
      const signature = await signInPool('RSA-SHA256', Buffer.from(`${key.header}.${payload}`), key.privateKey);
      return { access_token: `${key.header}.${payload}.${signature.toString('base64url')}`, expires_in: exp - iat };
    },

    verify(token) {
      let found = verifiedTokens.get(cacheKey(token));
      if (found?.token !== token) {
        // A copy: a substring would keep the whole request header in memory.
        const copy = token.length <= MAX_TOKEN_LENGTH ? Buffer.from(token).toString() : '';
        const read = verifySignature(keys, issuer, copy);
        if (!read) return undefined;
        dropStale(verifiedTokens, ({ claims }) => claims.exp <= seconds(clock.now()));
        verifiedTokens.set(cacheKey(read.token), read);
        found = read;
      }
      return currentClaims(found);
    },

    known(token) {
      const found = verifiedTokens.get(cacheKey(token));
      return found?.token === token ? currentClaims(found) : undefined;
    },

    sessionOf(token) {
      const read = token.length <= MAX_TOKEN_LENGTH ? verifySignature(keys, issuer, token) : undefined;
      return read?.claims.sid;
    },
  };
}

function withoutPerms({ perms: _perms, perms_omitted: _omitted, ...rest }: NewAccessToken): NewAccessToken {
  return rest;
}

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** A token with an audience is accepted only from the key for restricted sessions, which signs no others. */
function verifySignature(keys: SigningKeys, issuer: string, token: string): VerifiedToken | undefined {
  const [header, payload, signature, more] = token.split('.');
  if (!header || !payload || !signature || more !== undefined) return undefined;
  const named = keys.findByHeader(header);
  if (!named || !BASE64URL.test(payload) || !BASE64URL.test(signature)) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  // Rejects a non-canonical encoding, in which stray bits would make a second valid text of the same token.
  if (bytes.toString('base64url') !== signature) return undefined;
  if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), named.pair.publicKey, bytes)) return undefined;
  const claims = readAccessClaims(payload, named.isRestricted ? issuer : undefined);
  return claims?.iss === issuer ? { token, header, claims } : undefined;
}
