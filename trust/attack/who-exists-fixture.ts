import { randomBytes } from 'node:crypto';
import { addPasskey, createAuthenticator } from '../../packages/server/test/authenticator.ts';
import { bearer, createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { setUser } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';
import type { RawRequest } from './raw-line-fixture.ts';

/** Whoever may stand behind an address. */
export const KINDS = [
  'nobody',
  'active',
  'verified',
  'disabled',
  'deleted',
  'without a password',
  'with a second factor',
  'with a passkey',
  'of a suspended organization',
  'of no organization',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Somebody {
  readonly email: string;
  /** Nil for nobody. */
  readonly user_id: string;
}
export type People = Readonly<Record<Kind, Somebody>>;

/** All equally long, so that answers that repeat one are too. */
export const anAddress = (): string => `${randomBytes(8).toString('hex')}@example.com`;

type Place = Pick<Replicas, 'database' | 'urls'>;

/** One that seems to have so many passkeys while nobody has it. */
async function addressShowing(url: string, keys: number): Promise<string> {
  for (;;) {
    const email = anAddress();
    const { json } = await createBrowser(url).post('/auth/passkey/login/begin', { email });
    if (json.publicKey.allowCredentials.length === keys) return email;
  }
}

/** One of each kind. Each shows one passkey, so that their options are equally long, or nearly so. */
export async function populate({ database, urls: [url] }: Place): Promise<People> {
  const register = async (keys = 1) => registerUser(url!, { email: await addressShowing(url!, keys) });
  const with_ = async (changes: Parameters<typeof setUser>[2]) => {
    const user = await register();
    await setUser(database, user.user_id, changes);
    return user;
  };
  const now = new Date();
  const suspended = await register();
  await database.db
    .updateTable('organizations')
    .set({ suspended_at: now })
    .where('id', '=', suspended.organization_id)
    .execute();
  const homeless = await register();
  await database.db
    .updateTable('memberships')
    .set({ revoked_at: now })
    .where('user_id', '=', homeless.user_id)
    .execute();
  // Other than for those who have none, the one that is shown is not all that would be made up.
  const keyholder = await register(2);
  await addPasskey(keyholder.browser, createAuthenticator());
  return {
    nobody: { email: await addressShowing(url!, 1), user_id: '00000000-0000-0000-0000-000000000000' },
    active: await register(),
    verified: await with_({ email_verified_at: now }),
    disabled: await with_({ status: 'disabled' }),
    deleted: await with_({ status: 'deleted' }),
    'without a password': await with_({ password_hash: null }),
    'with a second factor': await with_({ mfa_enabled_at: now }),
    'with a passkey': keyholder,
    'of a suspended organization': suspended,
    'of no organization': homeless,
  };
}

const post = (path: string, body: object, headers = {}): RawRequest => ({ method: 'POST', path, body, headers });

export type Question = (somebody: Somebody) => RawRequest;

/** What a stranger may ask about an address. */
export const ASKED_BY_ANYBODY = {
  login: ({ email }) => post('/auth/login', { email, password: 'not the password of anybody' }),
  'password/forgot': ({ email }) => post('/auth/password/forgot', { email }),
  'email-otp/request': ({ email }) => post('/auth/email-otp/request', { email }),
  'email-otp/verify': ({ email }) => post('/auth/email-otp/verify', { email, code: '000000' }),
  'passkey/login/begin': ({ email }) => post('/auth/passkey/login/begin', { email }),
} satisfies Record<string, Question>;

/** What somebody may ask who owns an organization that has nothing to do with them. */
export function askedBy({ access_token, organization_id, password }: TestUser) {
  const { headers } = bearer(access_token);
  return {
    'an invitation': ({ email }) => post(`/orgs/${organization_id}/invitations`, { email, role: 'member' }, headers),
    'a change to their email': ({ email }) => post('/users/me/email', { email, password }, headers),
    'a look at their account': ({ user_id }) => ({ method: 'GET', path: `/users/${user_id}`, headers }),
    'a look at their seat': ({ user_id }) => ({
      ...post(`/orgs/${organization_id}/members/${user_id}`, { role: 'member' }, headers),
      method: 'PATCH',
    }),
  } satisfies Record<string, Question>;
}
