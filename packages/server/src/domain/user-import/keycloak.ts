import { fromBase64, toBase64 } from '../passwords/hashes/hash-kind.ts';
import { pbkdf2String } from '../passwords/hashes/pbkdf2.ts';
import {
  type Describe,
  field,
  type LeftBehind,
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

const PROVIDERS: Readonly<Record<string, LinkedProvider>> = { google: LINKED.google, github: LINKED.github };
const DIGESTS: Readonly<Record<string, string>> = {
  pbkdf2: 'sha1',
  'pbkdf2-sha1': 'sha1',
  'pbkdf2-sha256': 'sha256',
  'pbkdf2-sha512': 'sha512',
};
const FACTORS: Readonly<Record<string, LeftBehind>> = {
  otp: 'second_factor',
  'recovery-authn-codes': 'second_factor',
  webauthn: 'second_factor',
  'webauthn-passwordless': 'passkey',
};

/**
 * The kind of each identity provider of a realm by its alias, which administrators choose. Undefined: the file that
 * lists them is missing, and the aliases `google` and `github` are taken literally.
 */
export type Aliases = ReadonlyMap<string, string> | undefined;

export const aliasOf = (entry: unknown): readonly [alias: string, kind: string] => [
  wordOf(field(entry, 'alias')),
  isElsewhere(field(entry, 'config')) ? '' : wordOf(field(entry, 'providerId')),
];

/** Whether a provider of the kind `github` is a GitHub Enterprise, which has its own users and another URL. */
const isElsewhere = (config: unknown): boolean =>
  ['baseUrl', 'apiUrl'].some((name) => {
    const url = textOf(field(config, name));
    return url !== undefined && !/^https:\/\/(?:api\.)?github\.com\/?$/.test(url);
  });

/** A user of a realm export, with credentials as stored since Keycloak 8. */
export const describeKeycloak =
  (aliases: Aliases): Describe =>
  (record) => {
    const credentials = listOf(field(record, 'credentials'));
    const password = credentials.find((entry) => field(entry, 'type') === 'password');
    const linked = listOf(field(record, 'federatedIdentities')).map((entry) => ({
      provider: providerOf(aliases, wordOf(field(entry, 'identityProvider'))),
      subject: field(entry, 'userId'),
    }));
    const names = [textOf(field(record, 'firstName')), textOf(field(record, 'lastName'))];
    return {
      email: field(record, 'email'),
      email_verified: field(record, 'emailVerified') === true,
      display_name: names.filter((part) => part !== undefined).join(' '),
      locale: [field(field(record, 'attributes'), 'locale')].flat()[0],
      created_at: timeOf(field(record, 'createdTimestamp')),
      disabled: field(record, 'enabled') === false,
      password_hash: password === undefined ? null : hashOf(password),
      password_changed_at: timeOf(field(password, 'createdDate')),
      identities: linked.flatMap(({ provider, subject }) => (provider ? [{ provider, subject }] : [])),
      left_behind: [
        ...new Set(credentials.flatMap((entry) => own(FACTORS, wordOf(field(entry, 'type'))) ?? [])),
        ...(linked.some(({ provider }) => !provider) ? (['other_identity'] as const) : []),
      ],
      unwanted: textOf(field(record, 'serviceAccountClientId')) === undefined ? undefined : 'service_account',
    };
  };

const own = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const providerOf = (aliases: Aliases, alias: string): LinkedProvider | undefined =>
  own(PROVIDERS, aliases ? (aliases.get(alias) ?? '') : alias);

/** `credentialData` and `secretData` are strings that contain JSON. */
function hashOf(credential: unknown): string {
  const [data, secret] = [parsed(field(credential, 'credentialData')), parsed(field(credential, 'secretData'))];
  const value = wordOf(field(secret, 'value'));
  // A common Keycloak extension stores bcrypt strings.
  if (value.startsWith('$2')) return value;
  const [salt, hash] = [fromBase64(wordOf(field(secret, 'salt'))), fromBase64(value)];
  const iterations = numberOf(field(data, 'hashIterations'));
  const algorithm = wordOf(field(data, 'algorithm'));
  if (!salt?.length || !hash?.length || !Number.isSafeInteger(iterations)) return UNKNOWN_HASH;
  if (algorithm === 'argon2') return argon2String({ salt, hash, iterations }, field(data, 'additionalParameters'));
  const digest = own(DIGESTS, algorithm);
  return digest === undefined ? UNKNOWN_HASH : pbkdf2String({ digest, iterations, salt, hash });
}

interface Parts {
  readonly salt: Buffer;
  readonly hash: Buffer;
  readonly iterations: number;
}

/** Keycloak exports every parameter as a list with one element. */
function argon2String({ salt, hash, iterations }: Parts, parameters: unknown): string {
  const [type, version, memory, lanes] = ['type', 'version', 'memory', 'parallelism'].map((name) =>
    wordOf([field(parameters, name)].flat()[0]),
  );
  const numbered = { '1.0': 16, '1.3': 19 }[version ?? ''];
  return `$argon2${type}$v=${numbered}$m=${memory},t=${iterations},p=${lanes}$${toBase64(salt)}$${toBase64(hash)}`;
}
