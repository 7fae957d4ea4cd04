import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { v7 as uuid } from 'uuid';
import { atMost, dropStale } from '../../../platform/cache-limit.ts';
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Config } from '../../../platform/config/settings.ts';
import { ServiceError } from '../../kernel/service-error.ts';
import { headerOf, type SigningKeys } from '../../signing-keys/keys.ts';
import { claimsOf, methodsOf } from './claims.ts';
import type { ApplicationGrant } from './queries.ts';

/** The claims of an access token of an application (RFC 9068). */
interface GrantTokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly client_id: string;
  readonly scope: string;
  readonly org: string;
  /** The id of the grant. */
  readonly sid: string;
  readonly auth_time: number;
  readonly acr: 'aal1' | 'aal2';
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}

interface Issue {
  readonly grant: ApplicationGrant;
  readonly client_id: string;
  readonly scopes: readonly string[];
  /** Undefined for a refresh: OpenID Connect Core, section 12.2. */
  readonly nonce?: string | null | undefined;
  readonly now: Date;
  /** No token is valid after this time. */
  readonly ends: Date;
}

interface IssuedTokens {
  readonly access_token: string;
  readonly expires_in: number;
  /** Present if the grant has the scope `openid`. */
  readonly id_token?: string;
}

export interface GrantTokens {
  issue(what: Issue): Promise<IssuedTokens>;
  /** Returns the claims of an access token of an application that is authentic and has not expired. */
  verify(token: string): GrantTokenClaims | undefined;
  /** Returns the user of an ID token that was issued to the client. It may have expired. */
  findHintedUser(id_token: string, client_id: string): string | undefined;
}

export const issuerOf = ({ PUBLIC_BASE_URL }: Pick<Config, 'PUBLIC_BASE_URL'>): string => `${PUBLIC_BASE_URL}/oauth`;

/** The audience of tokens that are not for an API: they are valid at userinfo only. */
export const userinfoOf = (config: Pick<Config, 'PUBLIC_BASE_URL'>): string => `${issuerOf(config)}/userinfo`;

const signInPool = promisify(sign);
const MAX_CACHED = 20_000;
const MAX_TOKEN_LENGTH = 8192;
const CACHE_KEY_LENGTH = 32;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A header must equal, as text, that of an RS256 key for applications: no other algorithm, key or type is parsed. */
export function createGrantTokens(keys: SigningKeys, clock: Clock, config: Config): GrantTokens {
  const iss = issuerOf(config);
  // The signature of a token is verified once; later requests compare the whole token.
  const verified = new LRUCache<string, { token: string; header: string; claims: GrantTokenClaims }>(
    atMost(MAX_CACHED),
  );

  const read = (token: string, findKey: (header: string) => KeyObject | undefined) => {
    const [header, payload, signature, more] = token.split('.');
    if (!header || !payload || !signature || more !== undefined) return undefined;
    const key = findKey(header);
    if (!key || !/^[\w-]+$/.test(payload) || !/^[\w-]+$/.test(signature)) return undefined;
    const bytes = Buffer.from(signature, 'base64url');
    // Rejects other base64url texts of the same signature.
    if (bytes.toString('base64url') !== signature) return undefined;
    if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, bytes)) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as GrantTokenClaims;
    return claims.iss === iss ? { token, header, claims } : undefined;
  };

  return {
    async issue({ grant, client_id, scopes, nonce = null, now, ends }) {
      const key = keys.current();
      if (!key) throw new ServiceError('internal_error', 'no signing key for applications');
      const signed = async (header: string, claims: object): Promise<string> => {
        const text = `${header}.${encode(claims)}`;
        return `${text}.${(await signInPool('RSA-SHA256', Buffer.from(text), key.privateKey)).toString('base64url')}`;
      };
      const iat = seconds(now);
      const exp = Math.min(iat + config.ACCESS_TOKEN_TTL, seconds(ends));
      const { user_id: sub, organization_id: org, id: sid } = grant;
      const access: GrantTokenClaims = {
        iss,
        aud: grant.resource ?? userinfoOf(config),
        sub,
        client_id,
        scope: scopes.join(' '),
        org,
        sid,
        auth_time: seconds(grant.auth_time),
        acr: grant.aal,
        jti: uuid(),
        iat,
        exp,
      };
      const access_token = await signed(key.header, access);
      const expires_in = exp - iat;
      if (!scopes.includes('openid')) return { access_token, expires_in };
      const id_token = await signed(headerOf(key.kid, 'JWT'), {
        iss,
        sub,
        aud: client_id,
        exp,
        iat,
        auth_time: seconds(grant.auth_time),
        ...(nonce !== null && { nonce }),
        acr: grant.aal,
        amr: methodsOf(grant),
        sid,
        at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
        ...claimsOf(config, grant, scopes),
      });
      return { access_token, expires_in, id_token };
    },

    verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const end = token.slice(-CACHE_KEY_LENGTH);
      let found = verified.get(end);
      if (found?.token !== token) {
        found = read(token, (header) => keys.findByHeader(header)?.pair.publicKey);
        if (!found) return undefined;
        dropStale(verified, ({ claims }) => claims.exp <= seconds(clock.now()));
        verified.set(end, found);
      }
      if (found.claims.exp > seconds(clock.now()) && keys.findByHeader(found.header)) return found.claims;
      verified.delete(end);
      return undefined;
    },

    findHintedUser(id_token, client_id) {
      const keyOf = (header: string) => keys.all().find(({ kid }) => headerOf(kid, 'JWT') === header)?.publicKey;
      const claims = read(id_token, keyOf)?.claims;
      return claims?.aud === client_id ? claims.sub : undefined;
    },
  };
}
