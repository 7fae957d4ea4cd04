import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertKey, sendAs } from '../src/features/machines/machines-fixture.ts';
import { authorize, codeFor, createClient } from '../src/features/provider/provider-fixture.ts';
import { linkIdentity, signInByCode, squat } from '../src/features/reclaim/squat-fixture.ts';
import { assign, insertRole } from '../src/features/roles/roles-fixture.ts';
import { type Administrator, insertAdministrator } from './administrator.ts';
import { type Answer, createBrowser, newEmail, PASSWORD } from './browser.ts';
import { useTestApp } from './harness.ts';
import { knowInvitation, recorded, untilBlocked } from './records.ts';
import { insertConnection } from './sso-fixture.ts';
import { colleague, founder } from './team.ts';

const app = useTestApp();
let admin: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app);
});

const suspend = (organization_id: string) => () => admin.patch(`/admin/orgs/${organization_id}`, { suspended: true });

interface Race {
  /** The row that the first request waits for, when it has taken its first locks. */
  readonly row: { readonly table: string; readonly column?: string; readonly id: string };
  readonly first: () => Promise<Answer>;
  readonly second: () => Promise<Answer>;
  /** Statements that each request writes once: after a deadlock, the transaction is repeated. */
  readonly once: readonly RegExp[];
}

/** Starts the second request while the first one waits. Returns both statuses. */
async function race({ row: { table, column = 'id', id }, first, second, once }: Race): Promise<number[]> {
  const blocker = await app.deps.db.startTransaction().execute();
  await sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${id}::uuid for update`.execute(blocker);
  const { result, statements } = await recorded(app, async () => {
    const answers = [first()];
    await untilBlocked(app, 1);
    answers.push(second());
    await untilBlocked(app, 2);
    await blocker.rollback().execute();
    return Promise.all(answers);
  });
  for (const text of once) expect([text, statements.filter((one) => text.test(one)).length]).toEqual([text, 1]);
  return result.map(({ status }) => status);
}

describe('two requests do not deadlock', () => {
  it('a write by an API key, and the suspension of its organization', async () => {
    const { organization_id, user_id: created_by, session_id } = await founder(app);
    const { key } = await insertKey(app, {
      organization_id,
      created_by,
      permissions: ['members.invite'],
      scopes: null,
    });
    const body = { email: newEmail(), role: 'member' };
    const statuses = await race({
      row: { table: 'sessions', id: session_id },
      first: suspend(organization_id),
      second: () => sendAs(app, key, 'POST', `/orgs/${organization_id}/invitations`, { body }),
      once: [/^update "organizations"/, /from "api_keys" as "k".*for share/s],
    });
    expect(statuses).toEqual([200, 403]);
  });

  it('an authorization request, and the suspension of the organization', async () => {
    const owner = await founder(app);
    const member = await colleague(app, owner);
    const client = await createClient(app, { trusted: true });
    const statuses = await race({
      row: { table: 'sessions', id: owner.session_id },
      first: suspend(owner.organization_id),
      second: () => authorize(member.browser, client),
      once: [/^update "organizations"/, /insert into application_grants/],
    });
    expect(statuses).toEqual([200, 302]);
  });

  it('an authorization request, and the deletion of the account', async () => {
    const user = await founder(app);
    const client = await createClient(app);
    await codeFor(user.browser, client);
    const statuses = await race({
      row: { table: 'identities', id: await linkIdentity(app, user.user_id) },
      first: () => admin.delete(`/admin/users/${user.user_id}`),
      second: () => authorize(user.browser, client),
      once: [/^update "application_consents"/, /insert into application_grants/],
    });
    expect(statuses).toEqual([204, 302]);
  });

  it('a reclaim, and the suspension of the organization', async () => {
    const { email, user_id, organization_id } = await squat(app);
    const id = await insertConnection(app, { organization_id });
    await app.deps.db.updateTable('sso_connections').set({ create_members: true }).where('id', '=', id).execute();
    const { browser } = await signInByCode(app, email);
    const statuses = await race({
      row: { table: 'passkeys', column: 'user_id', id: user_id },
      first: () => browser.post('/auth/reclaim'),
      second: suspend(organization_id),
      once: [/^update "organizations"/, /set create_members = false/],
    });
    expect(statuses).toEqual([204, 200]);
  });

  it('a member who deletes the account, and the suspension of the organization', async () => {
    const { organization_id, browser, session_id } = await founder(app);
    const statuses = await race({
      row: { table: 'sessions', id: session_id },
      first: suspend(organization_id),
      second: () => browser.delete('/users/me', { body: {} }),
      once: [/^update "organizations"/],
    });
    expect(statuses).toEqual([200, 401]);
  });

  it('a change of the base role and a change of the roles, by two members of each other', async () => {
    const one = await founder(app);
    const other = await colleague(app, one, 'owner');
    const role = await insertRole(app, { organization_id: one.organization_id });
    const path = `/orgs/${one.organization_id}/members/${other.user_id}`;
    const statuses = await race({
      row: { table: 'roles', id: role },
      first: () => assign(other, one.user_id, [role]),
      second: () => one.browser.patch(path, { role: 'admin' }),
      once: [/^insert into "member_roles"/, /^update "memberships"/],
    });
    expect(statuses).toEqual([200, 200]);
  });

  it('a new organization, and the acceptance of an invitation by the same administrator to the same email', async () => {
    const email = newEmail();
    const { json } = await admin.post(`/orgs/${admin.organization_id}/invitations`, { email, role: 'member' });
    const token = await knowInvitation(app, json.id);
    const statuses = await race({
      row: { table: 'invitations', id: json.id },
      first: () => createBrowser(app).post('/auth/invitations/accept', { token, password: PASSWORD }),
      second: () =>
        admin.post('/admin/orgs', { organization_name: 'New', owner_email: email, owner_password: PASSWORD }),
      once: [/^update "invitations" set "accepted_at"/, /with new_user as/],
    });
    expect(statuses).toEqual([200, 409]);
  });
});
