import {
  type Describe,
  field,
  LINKED,
  type LinkedProvider,
  listOf,
  parsed,
  textOf,
  timeOf,
  wordOf,
} from './foreign-user.ts';

const PROVIDERS: Readonly<Record<string, LinkedProvider>> = { google: LINKED.google, github: LINKED.github };
/** Providers that identify the user by email or telephone. */
const OWN = new Set(['email', 'phone']);

/** A row of `auth.users`. Users can write the metadata themselves, so only name and language are taken from it. */
export const describeSupabase =
  (now: Date): Describe =>
  (record) => {
    const metadata = parsed(field(record, 'raw_user_meta_data'));
    const email_verified_at = timeOf(field(record, 'email_confirmed_at'));
    const identities = listOf(parsed(field(record, 'identities'))).map((entry) => ({
      name: wordOf(field(entry, 'provider')),
      subject: field(entry, 'provider_id'),
    }));
    return {
      email: field(record, 'email'),
      email_verified: email_verified_at !== undefined,
      email_verified_at,
      display_name: ['full_name', 'name', 'display_name'].map((name) => textOf(field(metadata, name))).find(Boolean),
      locale: field(metadata, 'locale'),
      created_at: timeOf(field(record, 'created_at')),
      disabled: isBanned(field(record, 'banned_until'), now),
      password_hash: textOf(field(record, 'encrypted_password')) ?? null,
      identities: identities.flatMap(({ name, subject }) =>
        Object.hasOwn(PROVIDERS, name) ? [{ provider: PROVIDERS[name]!, subject }] : [],
      ),
      left_behind: identities.some(({ name }) => !OWN.has(name) && !Object.hasOwn(PROVIDERS, name))
        ? ['other_identity']
        : [],
      unwanted: textOf(field(record, 'deleted_at')) === undefined ? undefined : 'deleted_there',
    };
  };

/** A time that cannot be parsed, such as `infinity`, counts as in the future. */
function isBanned(until: unknown, now: Date): boolean {
  if (textOf(until) === undefined || until === '-infinity') return false;
  const time = timeOf(until);
  return time === undefined || time > now;
}
