import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { mergeUserCounts } from '../../src/domain/users/queries.ts';
import {
  type Answer,
  bearer,
  createBrowser,
  newEmail,
  newSlug,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../browser.ts';
import { auditOf, findUser, liveSessions, setUser } from '../records.ts';
import { isRefusedInTime, useReplicas } from '../replicas.ts';

// Processes compute real password hashes, so that sign-ins last long enough to overlap with a change.
const replicas = useReplicas(2, {}, { processes: true });
let admin: TestUser;
beforeAll(async () => {
  admin = await withRole('admin');
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

/** Sets the role before any server has cached the user. */
async function withRole(platform_role: 'admin' | 'owner'): Promise<TestUser> {
  const account = await registerUser(here());
  await setUser(replicas.database, account.user_id, { platform_role });
  return account;
}

const send = (url: string, by: TestUser, method: string, path: string, body?: unknown): Promise<Answer> =>
  createBrowser(url).send(method, path, { ...bearer(by.access_token), ...(body !== undefined && { body }) });
const login = (url: string, { email }: TestUser): Promise<Answer> =>
  createBrowser(url).post('/auth/login', { email, password: PASSWORD });
const counted = async () => {
  const { rows } = await sql<{ kept: Record<string, number>; real: Record<string, number> }>`select
    (select jsonb_object_agg(status, n) from (select status, sum(delta) as n from user_counts group by 1 having sum(delta) <> 0) k) as kept,
    (select jsonb_object_agg(status, n) from (select status, count(*) as n from users group by 1) r) as real`.execute(
    replicas.database.db,
  );
  return rows[0]!;
};

describe('concurrent changes of the last two platform owners', () => {
  const ends: Record<string, (url: string, by: TestUser, whom: TestUser) => Promise<Answer>> = {
    disable: (url, by, { user_id }) => send(url, by, 'PATCH', `/admin/users/${user_id}`, { status: 'disabled' }),
    demote: (url, by, { user_id }) => send(url, by, 'PUT', `/admin/users/${user_id}/platform-role`, { role: null }),
    delete: (url, by, { user_id }) => send(url, by, 'DELETE', `/admin/users/${user_id}`),
  };

  const twoOwners = async (): Promise<[TestUser, TestUser]> => {
    const { db } = replicas.database;
    await db.updateTable('users').set({ platform_role: null }).where('platform_role', '=', 'owner').execute();
    return [await withRole('owner'), await withRole('owner')];
  };

  it.each([
    ['disable', 'disable'],
    ['demote', 'demote'],
    ['disable', 'delete'],
  ])('two owners concurrently %s and %s each other or themselves: one owner stays', async (one, other) => {
    for (const each of ['other', 'self']) {
      const [first, second] = await twoOwners();
      const answers = await Promise.all([
        ends[one]!(here(), first, each === 'self' ? first : second),
        ends[other]!(there(), second, each === 'self' ? second : first),
      ]);
      const responses = JSON.stringify(answers.map(({ status, text }) => [status, text]));
      expect(
        answers.filter(({ status }) => status < 300),
        responses,
      ).toHaveLength(1);
      // The other caller is the last owner now, or is no longer an owner.
      expect(
        answers.filter(({ status }) => [401, 403, 409].includes(status)),
        responses,
      ).toHaveLength(1);
      const accounts = await Promise.all([first, second].map(({ user_id }) => findUser(replicas.database, user_id)));
      expect(accounts.filter((row) => row.status === 'active' && row.platform_role === 'owner')).toHaveLength(1);
    }
  });
});

/** Starts eight concurrent sign-ins and runs `happens` after the first has completed. */
async function during<T>(account: TestUser, happens: () => Promise<T>): Promise<[T, Answer[]]> {
  const signingIn = Array.from({ length: 8 }, (_, index) => login(replicas.either(index), account));
  await Promise.race(signingIn);
  return [await happens(), await Promise.all(signingIn)];
}

describe('administration during sign-ins', () => {
  it('a suspension during sign-ins leaves no session in that organization', async () => {
    const account = await registerUser(there());
    const path = `/admin/orgs/${account.organization_id}`;
    const [suspended, answers] = await during(account, () => send(here(), admin, 'PATCH', path, { suspended: true }));
    expect(suspended.json).toMatchObject({ suspended: true });
    expect([200, 401, 403]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)));
    const { rows } = await sql<{ id: string }>`select id from sessions
      where organization_id = ${account.organization_id} and revoked_at is null`.execute(replicas.database.db);
    expect(rows).toEqual([]);
    const opened = answers.flatMap(({ json }) => json.access_token ?? []);
    for (const token of [account.access_token, ...opened]) expect(await isRefusedInTime(there(), token)).toBe(true);
    const [event] = await auditOf(replicas.database, {
      resource_id: account.organization_id,
      action: 'org.suspended',
    });
    expect(event!.metadata).toEqual({ sessions_revoked: 1 + opened.length });
  });

  it.each(['disable', 'delete'])('%s during sign-ins leaves no session of that user', async (how) => {
    const account = await registerUser(there());
    const path = `/admin/users/${account.user_id}`;
    const end = () =>
      how === 'disable'
        ? send(here(), admin, 'PATCH', path, { status: 'disabled' })
        : send(here(), admin, 'DELETE', path);
    const [ended, answers] = await during(account, end);
    expect(ended.status).toBe(how === 'disable' ? 200 : 204);
    expect([200, 401]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)));
    expect(await liveSessions(replicas.database, account.user_id)).toEqual([]);
    for (const { json } of answers) {
      if (json.access_token) expect(await isRefusedInTime(here(), json.access_token)).toBe(true);
    }
  });

  it('a session ended at one server is refused at the other within seconds', async () => {
    const account = await registerUser(there());
    expect((await send(there(), account, 'GET', '/auth/session')).status).toBe(200);
    await send(here(), admin, 'DELETE', `/admin/users/${account.user_id}/sessions`);
    expect(await isRefusedInTime(there(), account.access_token)).toBe(true);
  });
});

describe('unique values', () => {
  it('deleting a user while the same email registers leaves at most one active account and the deleted one', async () => {
    const account = await registerUser(here());
    const { email, user_id } = account;
    const register = (url: string) =>
      createBrowser(url).post('/auth/register', { email, password: PASSWORD, organization_name: 'Example' });
    const [ended, answers] = await Promise.all([
      send(there(), admin, 'DELETE', `/admin/users/${user_id}`),
      replicas.many(6, register),
    ]);
    expect(ended.status).toBe(204);
    expect([201, 409]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)));
    const rows = await replicas.database.db
      .selectFrom('users')
      .select(['id', 'status'])
      .where('email', '=', email)
      .execute();
    const made = answers.filter(({ status }) => status === 201).map(({ json }) => json.user.user_id);
    expect(made.length).toBeLessThanOrEqual(1);
    expect(rows.filter(({ status }) => status !== 'deleted').map(({ id }) => id)).toEqual(made);
    expect(rows.find(({ id }) => id === user_id)).toEqual({ id: user_id, status: 'deleted' });
    expect((await register(here())).status).toBe(made.length === 1 ? 409 : 201);
  });

  it('concurrent requests with one slug create one organization', async () => {
    const organization_slug = newSlug();
    const body = () => ({
      organization_name: 'Example',
      organization_slug,
      owner_email: newEmail('owner'),
      owner_password: PASSWORD,
    });
    const answers = await replicas.many(6, (url) => send(url, admin, 'POST', '/admin/orgs', body()));
    expect(tally(answers)).toEqual({ 201: 1, 409: 5 });
  });
});

describe('the stored number of users', () => {
  it('is exact during registrations, status changes and merges by the sweeper', async () => {
    const { db } = replicas.database;
    const accounts = await replicas.many(4, (url) => registerUser(url));
    let done = false;
    const seen: number[] = [];
    const sweeping = (async () => {
      while (!done) {
        await db.transaction().execute((tx) => mergeUserCounts(tx, new Date(), 7));
        const { kept } = await counted();
        seen.push(Object.values(kept).reduce((sum, count) => sum + count, 0));
      }
    })();
    await replicas.many(24, async (url, index) => {
      if (index % 3 === 0) return registerUser(url);
      const status = index % 2 === 0 ? 'disabled' : 'active';
      return send(url, admin, 'PATCH', `/admin/users/${accounts[index % 4]!.user_id}`, { status });
    });
    done = true;
    await sweeping;
    const { kept, real } = await counted();
    expect(kept).toEqual(real);
    // The sum never decreases: a merge is visible completely or not at all.
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    while ((await mergeUserCounts(db, new Date(), 1000)) > 3);
    expect((await counted()).kept).toEqual(real);
    const { json } = await send(there(), admin, 'GET', '/admin/users');
    expect(json.total).toBe(Object.values(real).reduce((sum, count) => sum + count, 0));
  });
});
