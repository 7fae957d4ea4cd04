import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { openPrivateKey } from '../../packages/server/src/domain/signing-keys/keys.ts';
import { listSigningKeys } from '../../packages/server/src/domain/signing-keys/queries.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import { claimsOf, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { setUser } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';

export type Json = Record<string, unknown>;

/** What forgeries are made of: public values, the forger's account and, to test the claim checks, the signing key. */
export interface Workshop {
  readonly kid: string;
  /** The signing key of the service, which no real forger has. */
  readonly own: KeyObject;
  readonly published: KeyObject;
  readonly foreign: { readonly rsa: KeyObject; readonly ec: KeyObject; readonly ed: KeyObject };
  readonly secret: string;
  readonly keyring: ReturnType<typeof createKeyring>;
  /** The user to impersonate, a platform owner. */
  readonly victim: TestUser;
  readonly forger: TestUser;
  readonly genuine: string;
  readonly claims: Json;
}

export async function openWorkshop({ database, urls }: Replicas): Promise<Workshop> {
  const [row] = await listSigningKeys(database.db);
  const keyring = createKeyring(SECRET);
  const own = createPrivateKey({ key: openPrivateKey(keyring, row!)!, format: 'der', type: 'pkcs8' });
  const victim = await registerUser(urls[0]!);
  await setUser(database, victim.user_id, { platform_role: 'owner' });
  return {
    kid: row!.kid,
    own,
    published: createPublicKey(own),
    foreign: {
      rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
      ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      ed: generateKeyPairSync('ed25519').privateKey,
    },
    secret: SECRET,
    keyring,
    victim,
    forger: await registerUser(urls[0]!),
    genuine: victim.access_token,
    claims: claimsOf(victim.access_token),
  };
}

export const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

export const headerOf = ({ kid }: Workshop): Json => ({ alg: 'RS256', typ: 'JWT', kid });

/** Builds a token. Strings are used unchanged. */
export function assemble(header: unknown, payload: unknown, signature: (text: string) => Buffer | string): string {
  const text = `${encode(header)}.${encode(payload)}`;
  const made = signature(text);
  return `${text}.${typeof made === 'string' ? made : made.toString('base64url')}`;
}

export const rs256 = (key: KeyObject) => (text: string) => sign('RSA-SHA256', Buffer.from(text), key);

export const hs = (bits: 256 | 384 | 512, secret: string | Buffer) => (text: string) =>
  createHmac(`sha${bits}`, secret).update(text).digest();

/** Signs the victim's claims with the key of the service, after these changes. `undefined` removes a claim. */
export const minted = (workshop: Workshop, changes: Json): string =>
  assemble(headerOf(workshop), { ...workshop.claims, ...changes }, rs256(workshop.own));

export const mintedUnder = (workshop: Workshop, header: unknown): string =>
  assemble(header, workshop.claims, rs256(workshop.own));

export const forged = (workshop: Workshop, header: Json, claims: Json = workshop.claims): string =>
  assemble({ ...headerOf(workshop), ...header }, claims, rs256(workshop.foreign.rsa));

export interface Forgery {
  readonly name: string;
  readonly token: string;
  /** Whether only the service refuses the token. A verifier accepts it, because it is signed with the service's key. */
  readonly onlyServers?: boolean;
}

export type Table = (workshop: Workshop) => Forgery[];
