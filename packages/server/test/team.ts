import type { Updateable } from 'kysely';
import { createCsrfToken } from '../src/http/csrf.ts';
import type { Memberships } from '../src/platform/db/schema.ts';
import { createBrowser, PASSWORD, registerUser, type TestUser } from './browser.ts';
import type { TestDatabase } from './database.ts';
import { insertSession, type TestApp } from './harness.ts';

type Role = Memberships['role'];
type MembershipKey = Pick<TestUser, 'organization_id' | 'user_id'>;
type Place = TestApp | TestDatabase;

const dbOf = (place: Place) => ('deps' in place ? place.deps.db : place.db);

/** Inserts a signed-in member of the user's organization. The member has no password. */
export async function colleague(app: TestApp, { organization_id }: TestUser, role: Role = 'member'): Promise<TestUser> {
  return signedInUser(app, await insertSession(app, { role, organization_id }));
}

/** Inserts a signed-in owner of a new organization, without a password. */
export const founder = async (app: TestApp): Promise<TestUser> => signedInUser(app, await insertSession(app));

function signedInUser(app: TestApp, session: Awaited<ReturnType<typeof insertSession>>): TestUser {
  const jar = new Map([
    ['service_at', session.access_token],
    ['service_csrf', createCsrfToken(app.deps.keyring, session.session_id)],
  ]);
  return { ...session, browser: createBrowser(app, jar), password: '' };
}

/** Registers a user who then switches to the organization of another user. */
export async function teammate(
  target: TestApp | string,
  place: Place,
  { organization_id }: TestUser,
  role: Role = 'member',
): Promise<TestUser> {
  const account = await registerUser(target, { password: PASSWORD });
  await insertMembership(place, { organization_id, user_id: account.user_id }, { role });
  const { status, text, json } = await account.browser.post('/auth/organization', { organization_id });
  if (status !== 200) throw new Error(`the switch was answered ${status}: ${text}`);
  const { session_family_id: session_id } = json.user;
  return { ...account, organization_id, session_id, access_token: json.access_token };
}

export const insertMembership = (
  place: Place,
  { organization_id, user_id }: MembershipKey,
  { role = 'member', joined_at = new Date('2030-01-01T00:00:00Z') }: { role?: Role; joined_at?: Date } = {},
) =>
  dbOf(place)
    .insertInto('memberships')
    .values({ organization_id, user_id, role, joined_at, revoked_at: null })
    .execute();

/** Updates the membership directly: the service keeps the session states that it has cached. */
export const updateMembership = (
  place: Place,
  { organization_id, user_id }: MembershipKey,
  changes: Updateable<Memberships>,
) =>
  dbOf(place)
    .updateTable('memberships')
    .set(changes)
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .execute();

export const findMembership = (place: Place, { organization_id, user_id }: MembershipKey) =>
  dbOf(place)
    .selectFrom('memberships')
    .selectAll()
    .where('organization_id', '=', organization_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();

export async function listOwners(place: Place, organization_id: string): Promise<string[]> {
  const rows = await dbOf(place)
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organization_id)
    .where('role', '=', 'owner')
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map(({ user_id }) => user_id);
}
