import { randomBytes } from 'node:crypto';
import { addPasskey, createAuthenticator } from '../../packages/server/test/authenticator.ts';
import { bearer, createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { setUser } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';
import { insertConnection, insertDomain } from '../../packages/server/test/sso-fixture.ts';
import type { RawRequest } from './raw-line-fixture.ts';

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

export interface Target {
  readonly email: string;
  /** The nil id for `nobody`. */
  readonly user_id: string;
}
export type Targets = Readonly<Record<Kind, Target>>;

/** The domain of all accounts, which has an active connection for single sign-on. */
const DOMAIN = 'example.com';

/** All email addresses have equal length, so that responses that contain one have equal length, too. */
export const newAddress = (): string => `${randomBytes(8).toString('hex')}@${DOMAIN}`;

type Place = Pick<Replicas, 'database' | 'urls'>;

/** Returns an unknown email that gets this number of decoy passkeys. */
async function addressShowing(url: string, keys: number): Promise<string> {
  for (;;) {
    const email = newAddress();
    const { json } = await createBrowser(url).post('/auth/passkey/login/begin', { email });
    if (json.publicKey.allowCredentials.length === keys) return email;
  }
}

/** Connects the domain of all accounts, for an organization of which none of them is a member. */
async function connectDomain({ database, urls: [url] }: Place): Promise<void> {
  const owner = await registerUser(url!);
  const place = { deps: database, clock: { now: () => new Date() } };
  await insertDomain(place, owner, DOMAIN);
  const connection_id = await insertConnection(place, owner);
  const { db } = database;
  await db.updateTable('sso_connections').set({ active: true }).where('id', '=', connection_id).execute();
  await db.updateTable('domains').set({ connection_id }).where('domain', '=', DOMAIN).execute();
}

/** Creates one user of each kind. Each shows one passkey, so that the options have about the same length. */
export async function populate(place: Place): Promise<Targets> {
  const {
    database,
    urls: [url],
  } = place;
  await connectDomain(place);
  const register = async (keys = 1) => registerUser(url!, { email: await addressShowing(url!, keys) });
  const registerWith = async (changes: Parameters<typeof setUser>[2]) => {
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
  const withoutMembership = await register();
  await database.db
    .updateTable('memberships')
    .set({ revoked_at: now })
    .where('user_id', '=', withoutMembership.user_id)
    .execute();
  // Without a passkey, this account shows two decoys instead. With one, it shows only its own passkey.
  const keyholder = await register(2);
  await addPasskey(keyholder.browser, createAuthenticator());
  return {
    nobody: { email: await addressShowing(url!, 1), user_id: '00000000-0000-0000-0000-000000000000' },
    active: await register(),
    verified: await registerWith({ email_verified_at: now }),
    disabled: await registerWith({ status: 'disabled' }),
    deleted: await registerWith({ status: 'deleted' }),
    'without a password': await registerWith({ password_hash: null }),
    'with a second factor': await registerWith({ mfa_enabled_at: now }),
    'with a passkey': keyholder,
    'of a suspended organization': suspended,
    'of no organization': withoutMembership,
  };
}

const post = (path: string, body: object, headers = {}): RawRequest => ({ method: 'POST', path, body, headers });

export type Question = (target: Target) => RawRequest;

export const ANONYMOUS = {
  login: ({ email }) => post('/auth/login', { email, password: 'not the password of anybody' }),
  'password/forgot': ({ email }) => post('/auth/password/forgot', { email }),
  'email-otp/request': ({ email }) => post('/auth/email-otp/request', { email }),
  'email-otp/verify': ({ email }) => post('/auth/email-otp/verify', { email, code: '000000' }),
  'passkey/login/begin': ({ email }) => post('/auth/passkey/login/begin', { email }),
  'sso/discover': ({ email }) => post('/auth/sso/discover', { email }),
} satisfies Record<string, Question>;

export function questionsBy({ access_token, organization_id, password }: TestUser) {
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
