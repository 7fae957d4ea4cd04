import { createHmac } from 'node:crypto';
import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { equalBytes } from '../../platform/crypto/tokens.ts';

/** Refresh and MFA tokens are read only by this service: HS256, with a separate key per kind. */
type PrivateTokenType = 'refresh' | 'mfa';

interface PrivateClaims {
  readonly sub: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  readonly sid?: string;
  readonly org?: string;
  readonly [name: string]: unknown;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const headerOf = (key: MasterKey): string => encode({ alg: 'HS256', typ: 'JWT', kid: key.id });

const sign = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Deterministic: the same claims give the same token. */
export function signPrivateToken(keyring: Keyring, typ: PrivateTokenType, claims: PrivateClaims): string {
  const key = keyring.current;
  const text = `${headerOf(key)}.${encode({ ...claims, typ })}`;
  return `${text}.${sign(key.derive(`token:${typ}`), text).toString('base64url')}`;
}

/** Returns undefined unless authentic, of this kind and not expired. The header, with the key id, must be our own. */
export function verifyPrivateToken(
  keyring: Keyring,
  typ: PrivateTokenType,
  token: string,
  now: number,
): PrivateClaims | undefined {
  const [header, payload, signature, more] = token.length <= 4096 ? token.split('.') : [];
  if (!header || !payload || !signature || more !== undefined) return undefined;
  const key = [keyring.current, keyring.previous].find((candidate) => candidate && header === headerOf(candidate));
  if (!key) return undefined;
  // Compared as text, so that a signature has only one valid encoding.
  const expected = sign(key.derive(`token:${typ}`), `${header}.${payload}`).toString('base64url');
  if (!equalBytes(Buffer.from(expected), Buffer.from(signature))) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as PrivateClaims & { typ: string };
  return claims.typ === typ && claims.exp > now ? claims : undefined;
}
