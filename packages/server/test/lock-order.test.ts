import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkIdentity, signInByCode, squat } from '../src/features/email-verification/reclaim/squat-fixture.ts';
import { insertKey, sendAs } from '../src/features/machines/machines-fixture.ts';
import {
  authorize,
  codeFor,
  createClient,
  decide,
  interactionIn,
} from '../src/features/oauth-server/provider-fixture.ts';
import { assign, insertRole } from '../src/features/roles/roles-fixture.ts';
import { createCompany, signInBySso } from '../src/features/sso/sign-in-fixture.ts';
import { type Administrator, insertAdministrator } from './administrator.ts';
import { type Answer, createBrowser, newEmail, PASSWORD } from './browser.ts';
import type { TestApp } from './harness.ts';
import { findBackwards, locksIn, recordTransactions } from './lock-recorder.ts';
import { knowInvitation, recorded, setUser, untilBlocked } from './records.ts';
import { insertConnection, type SsoPlace, startSso } from './sso-fixture.ts';
import { colleague, founder, insertMembership } from './team.ts';

let place: SsoPlace;
let app: TestApp;
let admin: Administrator;
let recording: ReturnType<typeof recordTransactions>;
beforeAll(async () => {
  recording = recordTransactions();
  place = await startSso();
  app = place.app;
  admin = await insertAdministrator(app);
});
afterAll(() => place.close());

const suspend = (organization_id: string) => () => admin.patch(`/admin/orgs/${organization_id}`, { suspended: true });

interface Race {
  /** The row that the first request waits for, when it has taken its first locks. */
  readonly row: { readonly table: string; readonly column?: string; readonly id: string };
  readonly first: () => Promise<Answer>;
  readonly second: () => Promise<Answer>;
  /** How often these statements run. After a deadlock they run more often, because the transaction is repeated. */
  readonly counts: readonly (readonly [RegExp, number])[];
}

/** Starts the second request while the first one waits. Returns both statuses. */
async function race({ row: { table, column = 'id', id }, first, second, counts }: Race): Promise<number[]> {
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
  const countOf = (text: RegExp) => statements.filter((one) => text.test(one)).length;
  expect(counts.map(([text]) => [text, countOf(text)])).toEqual(counts);
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
      counts: [
        [/^update "organizations"/, 1],
        [/from "api_keys" as "k".*for share/s, 1],
      ],
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
      counts: [
        [/^update "organizations"/, 1],
        [/insert into application_grants/, 1],
      ],
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
      counts: [
        [/^update "application_consents"/, 1],
        [/insert into application_grants/, 1],
      ],
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
      counts: [
        [/^update "organizations"/, 1],
        [/set create_members = false/, 1],
      ],
    });
    expect(statuses).toEqual([204, 200]);
  });

  it('a consent to more scopes, and the deletion of the account', async () => {
    const user = await founder(app);
    const client = await createClient(app);
    await codeFor(user.browser, client);
    const id = interactionIn(await authorize(user.browser, client, { scope: 'openid email' }));
    const statuses = await race({
      row: { table: 'identities', id: await linkIdentity(app, user.user_id) },
      first: () => admin.delete(`/admin/users/${user.user_id}`),
      second: () => decide(user.browser, id),
      counts: [
        [/^update "application_consents"/, 1],
        [/insert into application_consents/, 1],
      ],
    });
    expect(statuses).toEqual([204, 200]);
  });

  it('the first single sign-on of a member whose email is not verified, and the suspension of the organization', async () => {
    const company = await createCompany(app, place.provider);
    const { user_id } = await colleague(app, company.owner);
    const email = company.email();
    await setUser(app, user_id, { email, email_verified_at: null });
    const statuses = await race({
      row: { table: 'identities', id: await linkIdentity(app, user_id) },
      first: () => signInBySso(place, company, { email }),
      second: suspend(company.organization_id),
      counts: [
        [/^update "organizations"/, 1],
        [/with before as materialized/, 1],
      ],
    });
    expect(statuses[1]).toBe(200);
  });

  it('a switch to an organization, and its suspension, while an application has a grant for it', async () => {
    const user = await founder(app);
    const { organization_id } = await founder(app);
    await insertMembership(app, { organization_id, user_id: user.user_id });
    const client = await createClient(app, { trusted: true });
    const asked = await authorize(user.browser, client, { prompt: 'select_account' });
    const next = (await decide(user.browser, interactionIn(asked))).json.redirect_to.split('=')[1];
    await decide(user.browser, next, { decision: 'allow', organization_id });
    const statuses = await race({
      row: { table: 'memberships', column: 'user_id', id: user.user_id },
      first: () => user.browser.post('/auth/organization', { organization_id }),
      second: suspend(organization_id),
      counts: [
        [/^update "organizations"/, 1],
        [/insert into sessions/, 1],
      ],
    });
    expect(statuses).toEqual([200, 200]);
  });

  it('two members, one of whom changes the base role of the other, and the other the roles of the first', async () => {
    const one = await founder(app);
    const other = await colleague(app, one, 'owner');
    const role = await insertRole(app, { organization_id: one.organization_id });
    const path = `/orgs/${one.organization_id}/members/${other.user_id}`;
    const statuses = await race({
      row: { table: 'roles', id: role },
      first: () => assign(other, one.user_id, [role]),
      second: () => one.browser.patch(path, { role: 'admin' }),
      counts: [[/from "memberships" as "m".*for no key update/s, 2]],
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
      counts: [
        [/^update "invitations" set "accepted_at"/, 1],
        [/with new_user as/, 1],
      ],
    });
    expect(statuses).toEqual([200, 409]);
  });
});

/** Deviations, each in a transaction that has locked the user or the organization of the rows before. */
const KNOWN: ReadonlySet<string> = new Set([
  // A switch of the organization, and the acceptance of an invitation.
  'organizations after memberships',
  'sso_connections after memberships',
  // The domains and roles of a connection.
  'domains after memberships',
  'domains after roles',
]);

describe('the lock order', () => {
  it.each([
    ['select "id" from "users" where "id" = $1 for share', ['users']],
    [
      'select 1 from sessions as s join users u on u.id = s.user_id where x = (select 1 from roles) for update of u',
      ['users'],
    ],
    [
      'with a as (select id from organizations where id = $1 for no key update) update sessions set x = 1',
      ['sessions', 'organizations'],
    ],
    ['delete from "domains" where id = $1', ['domains']],
    ['insert into x (a) values (1) on conflict (a) do update set a = 2', []],
    ["select pg_advisory_xact_lock(hashtext('x'))", ['advisory']],
  ])('finds the locks of: %s', (statement, tables) => expect(locksIn(statement)).toEqual(tables));

  it('finds a table that is locked after a later one', () => {
    const user = 'select from users for share';
    const session = 'update sessions set x = 1';
    expect(findBackwards([user, session, user])).toEqual([]);
    expect(findBackwards([session, user])).toEqual(['users after sessions']);
    expect(findBackwards([user, "select pg_advisory_xact_lock(hashtext('x'))"])).toEqual(['advisory after users']);
  });

  it('no transaction of this file locks a table after a later one, except the known pairs', () => {
    expect(recording.stop().filter((pair) => !KNOWN.has(pair))).toEqual([]);
  });
});
