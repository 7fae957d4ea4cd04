import type { RevocationFeed } from '@gatehouse/contract';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyOf } from '../../src/features/roles/roles-fixture.ts';
import { type Answer, bearer, claimsOf, createBrowser, registerUser, type TestUser, tally } from '../browser.ts';
import { setUser, untilBlocked } from '../records.ts';
import { useReplicas } from '../replicas.ts';
import { teammate } from '../team.ts';
import { ROUNDS } from './processes-fixture.ts';

const replicas = useReplicas();
const FEED = '/.well-known/service-revocations.json';
const here = () => replicas.urls[0]!;

let owner: TestUser;
let operator: TestUser;
// Each test has its own owner, because role changes are limited per organization.
beforeEach(async () => {
  owner = await registerUser(here());
});
beforeAll(async () => {
  operator = await registerUser(here());
  await setUser(replicas.database, operator.user_id, { platform_role: 'admin' });
  for (const name of ['invoices.read', 'notes.approve']) {
    expect((await send(here(), operator, 'PUT', `/admin/permissions/${name}`, {})).status).toBe(200);
  }
});

const send = (url: string, by: TestUser, method: string, path: string, body?: unknown): Promise<Answer> =>
  createBrowser(url).send(method, path, { ...bearer(by.access_token), ...(body !== undefined && { body }) });

const rolesOf = ({ organization_id }: TestUser) => `/orgs/${organization_id}/roles`;
const createRole = async (body: object): Promise<string> => {
  const { status, json } = await send(here(), owner, 'POST', rolesOf(owner), body);
  expect(status).toBe(201);
  return json.id;
};
const assign = (url: string, by: TestUser, user_id: string, role_ids: string[]) =>
  send(url, by, 'PUT', `/orgs/${by.organization_id}/members/${user_id}/roles`, { role_ids });

/** Blocks inserts of audit rows, so that no request can commit before all have begun. */
async function together(count: number, requests: () => Promise<Answer[]>): Promise<Answer[]> {
  const blocker = await replicas.database.db.startTransaction().execute();
  await sql`lock table audit_events in share mode`.execute(blocker);
  const asked = requests();
  await untilBlocked(replicas.database, count).finally(() => blocker.commit().execute());
  return asked;
}

describe('a role that gains a permission while it is assigned', () => {
  it('is never assigned by a caller who lacks the permission', async () => {
    const acting = await teammate(here(), replicas.database, owner, 'admin');
    const member = await teammate(here(), replicas.database, owner);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await createRole({ name: 'Growing' });
      const grow = () =>
        send(replicas.either(round), owner, 'PATCH', `${rolesOf(owner)}/${id}`, { permissions: ['notes.approve'] });
      const give = () => assign(replicas.either(round + 1), acting, member.user_id, [id]);
      const [grown, given] = await together(2, () =>
        Promise.all(round % 2 ? [grow(), give()] : [give(), grow()]).then((both) =>
          round % 2 ? both : both.reverse(),
        ),
      );
      expect(grown!.status).toBe(200);
      const log = await replicas.database.db
        .selectFrom('audit_events')
        .select(['action', 'id'])
        .where((eb) => eb.or([eb('resource_id', '=', id), eb('resource_id', '=', member.user_id)]))
        .where('action', 'in', ['role.updated', 'member.roles_changed'])
        .orderBy('id', 'desc')
        .limit(2)
        .execute();
      // The role is either assigned before it gets the permission, or the assignment is rejected.
      if (given!.status === 200)
        expect(log.map(({ action }) => action)).toEqual(['role.updated', 'member.roles_changed']);
      else expect(given!.status).toBe(403);
      expect((await assign(here(), owner, member.user_id, [])).status).toBe(200);
    }
  });
});

describe('concurrent role writes', () => {
  it('of concurrent roles with one slug exactly one is created, in the organization or globally', async () => {
    const slug = `raced-${uuid()}`;
    const answers = await replicas.many(4, (url, index) =>
      index % 2
        ? send(url, owner, 'POST', rolesOf(owner), { name: 'X', slug })
        : send(url, operator, 'POST', '/admin/roles', { name: 'X', slug }),
    );
    expect(tally(answers)).toEqual({ 201: 1, 409: 3 });
  });

  it('a deleted permission is in no role, whatever is written at the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `raced.p${round}`;
      await send(here(), operator, 'PUT', `/admin/permissions/${name}`, {});
      const id = await createRole({ name: 'Raced' });
      const [removed, changed] = await Promise.all([
        send(replicas.either(round), operator, 'DELETE', `/admin/permissions/${name}`),
        send(replicas.either(round + 1), owner, 'PATCH', `${rolesOf(owner)}/${id}`, { permissions: [name] }),
      ]);
      expect(removed.status).toBe(204);
      expect([200, 400]).toContain(changed.status);
      const { json } = await send(here(), owner, 'GET', rolesOf(owner));
      expect(json.items.find((role: { id: string }) => role.id === id).permissions).toEqual([]);
    }
  });

  it('a member who loses roles.manage while assigning a role has either assigned it before or gets 403', async () => {
    const acting = await teammate(here(), replicas.database, owner);
    const member = await teammate(here(), replicas.database, owner);
    const [manager, empty] = [
      await createRole({ name: 'M', permissions: ['roles.manage'] }),
      await createRole({ name: 'E' }),
    ];
    expect((await assign(here(), owner, acting.user_id, [manager])).status).toBe(200);
    const [lost, given] = await Promise.all([
      assign(replicas.either(0), owner, acting.user_id, []),
      assign(replicas.either(1), acting, member.user_id, [empty]),
    ]);
    expect(lost.status).toBe(200);
    expect([200, 403]).toContain(given.status);
    expect((await assign(replicas.either(1), acting, member.user_id, [])).status).toBe(403);
  });
});

describe('perms_at', () => {
  /** The latest entry of the member, once the feed of both replicas has it: a feed is read again after a second. */
  const entryOf = async ({ organization_id, user_id }: TestUser): Promise<number> => {
    const key = keyOf(`${organization_id}/${user_id}`);
    const { before } = await replicas.database.db
      .selectFrom('refreshes')
      .select((eb) => eb.fn.max('before').as('before'))
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    for (const url of replicas.urls) {
      const listed = async () => {
        const { json }: { json: RevocationFeed } = await createBrowser(url).get(FEED);
        return json.refreshes.filter((entry) => entry.key === key).map((entry) => entry.before);
      };
      await expect.poll(listed).toEqual([before]);
    }
    return Number(before);
  };

  it('a token whose roles were read before a change was committed is stale; one read later has the change', async () => {
    const member = await teammate(here(), replicas.database, owner);
    const id = await createRole({ name: 'Toggled', permissions: ['invoices.read'] });
    const tokens: string[] = [];
    let done = false;
    const renewing = Array.from({ length: 4 }, async (_, index) => {
      while (!done) {
        const url = replicas.either(index);
        const { organization_id } = member;
        const { status, json } = await send(url, member, 'POST', '/auth/organization', { organization_id });
        if (status === 200) tokens.push(json.access_token);
      }
    });
    const changes: number[] = [];
    for (let round = 0; round < 6; round++) {
      const { status } = await assign(replicas.either(round), owner, member.user_id, round % 2 ? [] : [id]);
      changes.push(status);
    }
    done = true;
    await Promise.all(renewing);
    expect(new Set(changes)).toEqual(new Set([200]));
    // The last change took the role away.
    const before = await entryOf(member);
    expect(before).toBeGreaterThan(0);
    const claims = tokens.map(claimsOf);
    expect(claims.filter(({ perms }) => perms.length > 0).length).toBeGreaterThan(0);
    expect(claims.filter(({ perms, perms_at }) => perms.length > 0 && perms_at >= before)).toEqual([]);
    const { organization_id } = member;
    const { json } = await send(here(), member, 'POST', '/auth/organization', { organization_id });
    expect(claimsOf(json.access_token).perms_at).toBeGreaterThanOrEqual(before);
  });

  it('a change that commits long after it was written is later than every token issued before the commit', async () => {
    const member = await teammate(here(), replicas.database, owner);
    const id = await createRole({ name: `Slow ${uuid()}`, permissions: ['invoices.read'] });
    // The limit is counted last, after everything that the change writes.
    const blocker = await replicas.database.db.startTransaction().execute();
    await sql`lock table rate_counters in share mode`.execute(blocker);
    const changing = assign(replicas.either(1), owner, member.user_id, [id]);
    await untilBlocked(replicas.database, 1);
    const { organization_id } = member;
    const { json } = await send(here(), member, 'POST', '/auth/organization', { organization_id }).finally(() =>
      blocker.commit().execute(),
    );
    expect((await changing).status).toBe(200);
    const overtaken = claimsOf(json.access_token);
    expect(overtaken.perms).toEqual([]);
    expect(await entryOf(member)).toBeGreaterThan(overtaken.perms_at);
  });
});
