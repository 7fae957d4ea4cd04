import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Jwk, Jwks } from '@gatehouse/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { seal, unseal } from '../../platform/crypto/seal.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { insertRestrictedKey, insertSigningKey, type KeyRow, type KeyTable, listSigningKeys } from './queries.ts';

interface KeyPair {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** The header of every token that it signs; no other header is accepted. */
  readonly header: string;
}

interface SigningKey extends KeyPair {
  readonly jwk: Jwk;
  readonly signsFrom: Date;
  readonly publishedUntil: Date | null;
  /** Made because JWT_SECRET opened none of the keys of that time, which another secret still opens. */
  readonly replacesSealed: boolean;
  /** Signs the access tokens of restricted sessions. Never published; lasts as long as this key. */
  readonly restricted: KeyPair | undefined;
}

interface NamedKey {
  readonly pair: KeyPair;
  readonly isRestricted: boolean;
}

export interface SigningKeys {
  /** The newest key that may already sign. */
  current(): SigningKey | undefined;
  findByHeader(header: string): NamedKey | undefined;
  jwks(): Jwks;
  all(): readonly SigningKey[];
  reload(): Promise<void>;
}

const generate = promisify(generateKeyPair);
const KEY_BITS = 2048;

export function createSigningKeys(
  db: Db,
  clock: Clock,
  keyring: Keyring,
  table: KeyTable = 'signing_keys',
): SigningKeys {
  let keys: readonly SigningKey[] = [];
  let byHeader = new Map<string, NamedKey & { readonly key: SigningKey }>();
  let jwks: Jwks = { keys: [] };
  let reloads = 0;
  const isPublished = (key: SigningKey) => key.publishedUntil === null || key.publishedUntil > clock.now();
  return {
    current() {
      const now = clock.now();
      const able = keys.filter(isPublished);
      // If no other key can sign, the next key signs early: it is already published.
      return able.findLast((key) => key.signsFrom <= now) ?? able[0];
    },
    findByHeader(header) {
      const named = byHeader.get(header);
      return named && isPublished(named.key) ? named : undefined;
    },
    jwks() {
      const published = keys.filter(isPublished);
      // The same object while nothing changes, so that the caller can cache its rendering.
      if (published.length !== jwks.keys.length || published.some((key, index) => key.jwk !== jwks.keys[index])) {
        jwks = { keys: published.map((key) => key.jwk) };
      }
      return jwks;
    },
    all: () => keys,
    async reload() {
      const number = ++reloads;
      const rows = await listSigningKeys(db, table);
      // A later reload has started and has newer rows.
      if (number !== reloads) return;
      keys = rows.flatMap((row) => openKey(keyring, row, table === 'application_keys' ? 'at+jwt' : 'JWT') ?? []);
      byHeader = new Map(
        keys
          .flatMap((key) => [
            { key, pair: key as KeyPair, isRestricted: false },
            ...(key.restricted ? [{ key, pair: key.restricted, isRestricted: true }] : []),
          ])
          .map((named) => [named.pair.header, named]),
      );
    },
  };
}

type TokenType = 'JWT' | 'at+jwt';

export const openPrivateKey = (keyring: Keyring, { kid, sealed_private_key }: KeyRow): Buffer | undefined =>
  sealed_private_key ? unseal(keyring, { purpose: 'signing-key', row: kid }, sealed_private_key) : undefined;

const openRestrictedKey = (keyring: Keyring, { kid, sealed_restricted_key }: KeyRow): Buffer | undefined =>
  sealed_restricted_key ? unseal(keyring, { purpose: 'restricted-key', row: kid }, sealed_restricted_key) : undefined;

/** A key that can sign, now or soon, and has no end date. */
export const isUsable = (keyring: Keyring, row: KeyRow): boolean =>
  row.published_until === null && openPrivateKey(keyring, row) !== undefined;

/** Returns undefined for a key under another secret: this process neither publishes it nor accepts its tokens. */
function openKey(keyring: Keyring, row: KeyRow, typ: TokenType): SigningKey | undefined {
  const { n, e } = row.public_jwk;
  const der = openPrivateKey(keyring, row);
  if (!der) return undefined;
  return {
    ...openPair(row.kid, row.public_jwk, der, typ),
    jwk: { kty: 'RSA', use: 'sig', alg: 'RS256', kid: row.kid, n, e },
    signsFrom: row.signs_from,
    publishedUntil: row.published_until,
    replacesSealed: row.replaces_sealed,
    restricted: openRestricted(keyring, row),
  };
}

function openRestricted(keyring: Keyring, row: KeyRow): KeyPair | undefined {
  const der = openRestrictedKey(keyring, row);
  return row.restricted_jwk && der ? openPair(thumbprint(row.restricted_jwk), row.restricted_jwk, der) : undefined;
}

const openPair = (kid: string, { n, e }: NewKey['public_jwk'], der: Buffer, typ: TokenType = 'JWT'): KeyPair => ({
  kid,
  publicKey: createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' }),
  privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
  header: headerOf(kid, typ),
});

/** The JWK thumbprint of RFC 7638. */
const thumbprint = ({ n, e }: NewKey['public_jwk']): string =>
  createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');

export const headerOf = (kid: string, typ: TokenType): string =>
  Buffer.from(JSON.stringify({ alg: 'RS256', typ, kid })).toString('base64url');

export interface NewKey {
  readonly kid: string;
  readonly public_jwk: { n: string; e: string };
  readonly pkcs8: Buffer;
}

/** Slow: never call it in a transaction. The id is the key's RFC 7638 thumbprint. */
export async function generateSigningKey(): Promise<NewKey> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: KEY_BITS });
  const { n, e } = publicKey.export({ format: 'jwk' }) as { n: string; e: string };
  return {
    kid: thumbprint({ n, e }),
    public_jwk: { n, e },
    pkcs8: privateKey.export({ format: 'der', type: 'pkcs8' }),
  };
}

export const storeSigningKey = (
  tx: Tx,
  keyring: Keyring,
  key: NewKey,
  {
    table = 'signing_keys',
    replaces_sealed = false,
    ...times
  }: { table?: KeyTable; now: Date; signs_from: Date; replaces_sealed?: boolean },
) =>
  insertSigningKey(tx, table, {
    kid: key.kid,
    public_jwk: JSON.stringify(key.public_jwk),
    sealed_private_key: seal(keyring, { purpose: 'signing-key', row: key.kid }, key.pkcs8),
    created_at: times.now,
    signs_from: times.signs_from,
    published_until: null,
    replaces_sealed,
  });

/** Adds the key for restricted sessions to a signing key. Returns false if the signing key has one already. */
export const storeRestrictedKey = (tx: Tx, keyring: Keyring, kid: string, key: NewKey): Promise<boolean> =>
  insertRestrictedKey(tx, kid, {
    restricted_jwk: JSON.stringify(key.public_jwk),
    sealed_restricted_key: seal(keyring, { purpose: 'restricted-key', row: kid }, key.pkcs8),
  });
