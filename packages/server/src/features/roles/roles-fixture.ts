import { createHash } from 'node:crypto';
import type { Role, StaleRoles } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { Administrator } from '../../../test/administrator.ts';
import type { TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';

export const declare = ({ deps, clock }: TestApp, ...names: string[]) =>
  deps.db
    .insertInto('permissions')
    .values(names.map((name) => ({ name, description: null, created_at: clock.now() })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();

interface NewRow {
  readonly organization_id?: string | null;
  readonly slug?: string;
  readonly permissions?: string[];
}

export async function insertRole(
  { deps, clock }: TestApp,
  { organization_id = null, slug = `role-${uuid()}`, permissions = [] }: NewRow,
): Promise<string> {
  const [id, now] = [uuid(), clock.now()];
  await deps.db
    .insertInto('roles')
    .values({ id, organization_id, name: slug, slug, description: null, permissions, created_at: now, updated_at: now })
    .execute();
  return id;
}

type Key = Pick<TestUser, 'organization_id' | 'user_id'>;

/** Gives roles directly in the database: the service keeps the session states that it has cached. */
export const giveRoles = ({ deps }: TestApp, { organization_id, user_id }: Key, ...ids: string[]) =>
  deps.db
    .insertInto('member_roles')
    .values(ids.map((role_id) => ({ organization_id, user_id, role_id })))
    .execute();

export const rolesPath = ({ organization_id }: Pick<TestUser, 'organization_id'>, id?: string) =>
  `/orgs/${organization_id}/roles${id === undefined ? '' : `/${id}`}`;

export const assign = (by: TestUser, user_id: string, role_ids: readonly string[]) =>
  by.browser.send('PUT', `/orgs/${by.organization_id}/members/${user_id}/roles`, { body: { role_ids } });

export async function createRole(by: TestUser, body: object): Promise<Role> {
  const { status, text, json } = await by.browser.post(rolesPath(by), body);
  if (status !== 201) throw new Error(`the role was answered ${status}: ${text}`);
  return json;
}

export async function createGlobalRole(admin: Administrator, body: object): Promise<Role> {
  const { status, text, json } = await admin.post('/admin/roles', body);
  if (status !== 201) throw new Error(`the role was answered ${status}: ${text}`);
  return json;
}

export const keyOf = (subject: string): string => createHash('sha256').update(subject).digest('base64url');

export async function refreshesOf({ deps }: TestApp, subject: string): Promise<Pick<StaleRoles, 'before'>[]> {
  const rows = await deps.db
    .selectFrom('refreshes')
    .select('before')
    .where('key', '=', keyOf(subject))
    .orderBy('id')
    .execute();
  return rows.map(({ before }) => ({ before: before! }));
}
