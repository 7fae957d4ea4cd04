import {
  type Describe,
  type Fields,
  type ForeignUser,
  field,
  type LeftBehind,
  LINKED,
  type LinkedProvider,
  listOf,
  parsed,
  textOf,
  timeOf,
  UNKNOWN_HASH,
  wordOf,
} from './foreign-user.ts';

const PROVIDERS: Readonly<Record<string, LinkedProvider>> = { 'google-oauth2': LINKED.google, github: LINKED.github };
/** Auth0 connections whose users sign in by email: with a password, or with a code by mail. */
const DATABASE = 'auth0';
const OWN = new Set([DATABASE, 'email']);

/**
 * Auth0 has three kinds of files with users: the export of profiles (NDJSON, without hashes), the export of password
 * hashes from its support (NDJSON), and the input of its own import (an array). `hashes`: the hashes of a file of the
 * second kind by user id, for the profiles of the first kind; the ids that are found are added to `used`.
 */
export const describeAuth0 =
  (hashes: ReadonlyMap<string, string> = new Map(), used: Set<string> = new Set()): Describe =>
  (record) => {
    const address = addressIn(record);
    const identities = identitiesIn(record);
    const other = identities.some(({ connection }) => !OWN.has(connection) && !Object.hasOwn(PROVIDERS, connection));
    return {
      ...address,
      display_name: nameIn(record, address.email),
      locale: field(record, 'locale'),
      created_at: timeOf(field(record, 'created_at')),
      disabled: field(record, 'blocked') === true,
      password_hash: hashIn(record) ?? lookUp(record, hashes, used) ?? null,
      password_changed_at: dateIn(field(record, 'password_set_date')),
      identities: identities.flatMap(({ connection, subject }) =>
        Object.hasOwn(PROVIDERS, connection) ? [{ provider: PROVIDERS[connection]!, subject }] : [],
      ),
      left_behind: leftBehind(record, other),
    };
  };

/** Finds the hash by the id of the profile, or of a password identity that is linked to a profile of another kind. */
function lookUp(record: Fields, hashes: ReadonlyMap<string, string>, used: Set<string>): string | undefined {
  const linked = identitiesIn(record).flatMap(({ connection, subject }) =>
    connection === DATABASE && textOf(subject) !== undefined ? [databaseId(wordOf(subject))] : [],
  );
  const found = [userIdOf(record) ?? '', ...linked].find((user_id) => hashes.has(user_id));
  if (found === undefined) return undefined;
  used.add(found);
  return hashes.get(found);
}

export function auth0Hash(record: Fields): readonly [user_id: string, hash: string] | undefined {
  const [user_id, hash] = [userIdOf(record), hashIn(record)];
  return user_id === undefined || hash === undefined ? undefined : [user_id, hash];
}

/** The id of a password user is `auth0|…`; the file with password hashes has only the part after the bar. */
function userIdOf(record: Fields): string | undefined {
  const whole = textOf(field(record, 'user_id'));
  if (whole !== undefined) return databaseId(whole);
  const part = textOf(field(record, 'alt_id')) ?? textOf(field(field(record, '_id'), '$oid'));
  return part === undefined ? undefined : databaseId(part);
}

const databaseId = (id: string): string => (id.includes('|') ? id : `${DATABASE}|${id}`);

function addressIn(record: Fields): Pick<ForeignUser, 'email' | 'email_verified'> {
  const own = field(record, 'email');
  if (own !== undefined && own !== null)
    return { email: own, email_verified: field(record, 'email_verified') === true };
  const listed = listOf(field(record, 'identifiers')).find((entry) => field(entry, 'type') === 'email');
  return { email: field(listed, 'value'), email_verified: field(listed, 'verified') === true };
}

/** The name of a user, without the email that Auth0 uses as name of users who have none. */
function nameIn(record: Fields, email: unknown): unknown {
  const [given, family] = [textOf(field(record, 'given_name')), textOf(field(record, 'family_name'))];
  const name = textOf(field(record, 'name'));
  if (name !== undefined && name !== email) return name;
  return [given, family].filter((part) => part !== undefined).join(' ');
}

/** The identities that are linked to the profile; if none are listed, the one in its user id, `provider|subject`. */
function identitiesIn(record: Fields): readonly { connection: string; subject: unknown }[] {
  const listed = listOf(parsed(field(record, 'identities'))).map((entry) => ({
    connection: wordOf(field(entry, 'provider')),
    subject: field(entry, 'user_id'),
  }));
  if (listed.length > 0) return listed;
  const [connection, ...rest] = (userIdOf(record) ?? '').split('|');
  return connection === undefined || rest.length === 0 ? [] : [{ connection, subject: rest.join('|') }];
}

function hashIn(record: Fields): string | undefined {
  const plain = textOf(field(record, 'passwordHash')) ?? textOf(field(record, 'password_hash'));
  if (plain !== undefined) return plain;
  const custom = field(record, 'custom_password_hash');
  if (custom === undefined || custom === null) return undefined;
  const [algorithm, hash] = [field(custom, 'algorithm'), field(custom, 'hash')];
  const salted = [custom, hash].some((part) => field(part, 'salt') !== undefined);
  // Only UTF-8 is supported: a password in another encoding has another hash.
  const encoding = field(field(custom, 'password'), 'encoding') ?? 'utf8';
  const known = ['bcrypt', 'argon2', 'pbkdf2'].includes(wordOf(algorithm)) && !salted && encoding === 'utf8';
  // Auth0 has the same formats as this service: bcrypt strings and PHC strings.
  return known ? (textOf(field(hash, 'value'))?.replace(/=+(?=\$|$)/g, '') ?? UNKNOWN_HASH) : UNKNOWN_HASH;
}

const dateIn = (value: unknown): Date | undefined => timeOf(field(value, '$date') ?? value);

function leftBehind(record: Fields, other: boolean): readonly LeftBehind[] {
  const factors = ['multifactor', 'mfa_factors', 'guardian_authenticators'].some(
    (name) => listOf(parsed(field(record, name))).length > 0,
  );
  return [...(factors ? (['second_factor'] as const) : []), ...(other ? (['other_identity'] as const) : [])];
}
