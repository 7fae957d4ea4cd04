import { base64url } from 'jose';
import { membersOf } from './document.ts';
import type { Settings } from './options.ts';
import { quoted } from './quoted.ts';
import { type Claims, readClaims, readGrantClaims } from './session.ts';
import { VerifyError } from './verify-error.ts';

/** The maximum length of a token, the same as in the service. */
const MAX_LENGTH = 4096;
const THREE_PARTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

const invalid = (message: string) => new VerifyError('token_invalid', message);

/** Parses a token. Verifies no signature, but rejects early what the service cannot have issued. */
export function readToken(
  token: string,
  { issuer, audience }: Pick<Settings, 'issuer' | 'audience'>,
): { kid: string; claims: Claims } {
  if (token.length > MAX_LENGTH) throw invalid('the token is too long');
  if (!THREE_PARTS.test(token)) throw invalid('this is not a valid JWT');
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg, typ, kid, crit } = membersOf(decode(header));
  if (alg !== 'RS256') throw invalid(`the token's alg is ${quoted(alg)}, not "RS256"`);
  if (crit !== undefined) throw invalid('the token requires an extension (crit), which is not supported');
  if (typeof kid !== 'string') throw invalid('the token has no key id (kid)');
  // Only the canonical encoding: stray bits in the last character would make a second token with the same signature.
  if (base64url.encode(bytesOf(signature)) !== signature) throw invalid('this is not a valid JWT');
  if (audience === undefined) return { kid, claims: readClaims(decode(payload), issuer) };
  if (typ !== 'at+jwt') throw invalid(`the type of the token is ${quoted(typ)}, not "at+jwt" of an application`);
  return { kid, claims: readGrantClaims(decode(payload), { issuer: `${issuer}/oauth`, audience }) };
}

function bytesOf(part: string): Uint8Array {
  try {
    return base64url.decode(part);
  } catch {
    throw invalid('this is not a valid JWT');
  }
}

function decode(part: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(part)));
  } catch {
    throw invalid('this is not a valid JWT');
  }
}
