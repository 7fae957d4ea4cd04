import { base64url } from 'jose';
import { nodeCrypto } from './node-crypto.ts';

/** Returns the SHA-256 of a text as base64url. */
export function sha256(text: string): string | Promise<string> {
  return nodeCrypto ? nodeCrypto.createHash('sha256').update(text).digest('base64url') : digest(text);
}

/** Returns the SHA-256 as base64url by Web Crypto, for runtimes without `node:crypto`. */
export async function digest(text: string): Promise<string> {
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}
