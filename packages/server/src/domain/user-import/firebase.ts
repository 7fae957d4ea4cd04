import { firebaseString } from '../passwords/hashes/firebase-scrypt.ts';
import { fromBase64 } from '../passwords/hashes/hash-kind.ts';
import {
  type Describe,
  type Fields,
  field,
  LINKED,
  type LinkedProvider,
  listOf,
  numberOf,
  parsed,
  textOf,
  timeOf,
  UNKNOWN_HASH,
  wordOf,
} from './foreign-user.ts';
import { UnreadableFile } from './unreadable-file.ts';

const PROVIDERS: Readonly<Record<string, LinkedProvider>> = {
  'google.com': LINKED.google,
  'github.com': LINKED.github,
};
/** Providers that identify the user by email or telephone. */
const OWN = new Set(['password', 'emailLink', 'phone']);

interface HashConfig {
  readonly signer_key: Buffer;
  readonly separator: Buffer;
  readonly rounds: number;
  readonly mem_cost: number;
}

/** Accepts JSON, and the text that the Firebase console shows for copying. */
export function readHashConfig(text: string): HashConfig {
  const json = parsed(text);
  const fields = field(json, 'hash_config') ?? json ?? linesOf(text);
  const [signer_key, separator] = ['base64_signer_key', 'base64_salt_separator'].map((name) =>
    fromBase64(wordOf(field(fields, name))),
  );
  const [rounds, mem_cost] = ['rounds', 'mem_cost'].map((name) => numberOf(field(fields, name)));
  if (field(fields, 'algorithm') !== 'SCRYPT') throw new UnreadableFile('its algorithm is not SCRYPT');
  if (!signer_key?.length) throw new UnreadableFile('it has no base64_signer_key');
  if (!separator) throw new UnreadableFile('its base64_salt_separator is not base64');
  if (!Number.isInteger(rounds) || !Number.isInteger(mem_cost)) throw new UnreadableFile('it lacks rounds or mem_cost');
  return { signer_key, separator, rounds: rounds!, mem_cost: mem_cost! };
}

/** Parses text with one `name: value,` per line. */
const linesOf = (text: string): Fields =>
  Object.fromEntries(
    [...text.matchAll(/^\s*(\w+)\s*:\s*"?([^\s",]*)"?,?\s*$/gm)].map(([, name, value]) => [name, value]),
  );

interface Hashing extends HashConfig {
  readonly key_id: string;
}

export const describeFirebase =
  (hashing: Hashing): Describe =>
  (record) => {
    const linked = listOf(field(record, 'providerUserInfo')).map((entry) => ({
      name: wordOf(field(entry, 'providerId')),
      subject: field(entry, 'rawId'),
    }));
    const other = linked.some(({ name }) => !OWN.has(name) && !Object.hasOwn(PROVIDERS, name));
    const factors = listOf(field(record, 'mfaInfo')).length > 0;
    return {
      email: field(record, 'email'),
      email_verified: field(record, 'emailVerified') === true,
      display_name: field(record, 'displayName'),
      created_at: timeOf(field(record, 'createdAt')),
      disabled: field(record, 'disabled') === true,
      password_hash: hashOf(record, hashing),
      password_changed_at: timeOf(field(record, 'passwordUpdatedAt')),
      identities: linked.flatMap(({ name, subject }) =>
        Object.hasOwn(PROVIDERS, name) ? [{ provider: PROVIDERS[name]!, subject }] : [],
      ),
      left_behind: [...(factors ? (['second_factor'] as const) : []), ...(other ? (['other_identity'] as const) : [])],
    };
  };

function hashOf(record: Fields, { signer_key: _, ...hashing }: Hashing): string | null {
  const given = textOf(field(record, 'passwordHash'));
  if (given === undefined) return null;
  const [hash, salt] = [fromBase64(given), fromBase64(wordOf(field(record, 'salt')))];
  return hash && salt ? firebaseString({ ...hashing, salt, hash }) : UNKNOWN_HASH;
}
