import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { createBrowser, newEmail, PASSWORD, type TestUser } from '../../server/test/browser.ts';
import type { TestDatabase } from '../../server/test/database.ts';
import type { openPages } from './pages.ts';

type Site = ReturnType<typeof openPages>;

interface Given {
  readonly role?: 'member' | 'admin' | 'owner';
  readonly display_name?: string;
}

/** Adds a new user to the inviter's organization over the API, by invitation. */
export async function joinTeam(
  site: Site,
  inviter: TestUser,
  { role = 'member', display_name }: Given,
): Promise<TestUser> {
  const email = newEmail('colleague');
  const { organization_id } = inviter;
  const invited = await inviter.browser.post(`/orgs/${organization_id}/invitations`, { email, role });
  if (invited.status !== 201) throw new Error(`the invitation was answered ${invited.status}: ${invited.text}`);
  return { ...(await acceptByMail(site, { email, display_name })), organization_id };
}

export async function acceptByMail(
  site: Site,
  { email, display_name }: { email: string; display_name?: string | undefined },
): Promise<TestUser> {
  const [, token] = await site.mails.find(email, /accept-invitation\?token=([\w-]+)/);
  const browser = createBrowser(site.url);
  const answer = await browser.post('/auth/invitations/accept', { token, password: PASSWORD, display_name });
  if (answer.status !== 200) throw new Error(`accepting was answered ${answer.status}: ${answer.text}`);
  const { user, access_token } = answer.json;
  return {
    browser,
    email,
    password: PASSWORD,
    user_id: user.user_id,
    organization_id: user.organization_id,
    session_id: user.session_family_id,
    access_token,
  };
}

/** Declares a permission of the product, which organizations cannot do themselves. */
export async function insertPermission({ db }: TestDatabase, name: string): Promise<void> {
  await sql`insert into permissions (name, created_at) values (${name}, ${new Date()})`.execute(db);
}

export async function insertRole(
  database: TestDatabase,
  organization_id: string,
  name: string,
  permission: string,
): Promise<void> {
  const now = new Date();
  await insertPermission(database, permission);
  await sql`insert into roles (id, organization_id, name, slug, permissions, created_at, updated_at)
    values (${uuid()}, ${organization_id}, ${name}, ${name.toLowerCase()}, ${[permission]}, ${now}, ${now})`.execute(
    database.db,
  );
}
