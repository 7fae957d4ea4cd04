import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, newEmail, registerUser, signInAgain } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { endMemberships, join, setUser } from '../../../test/records.ts';

const app = useTestApp();
let viewer: Administrator;
beforeAll(async () => {
  viewer = await insertAdministrator(app, 'viewer');
});

type Changes = {
  email?: string;
  display_name?: string | null;
  status?: 'active' | 'disabled' | 'deleted';
  created_at?: Date;
};
const insert = async ({
  email = newEmail(),
  display_name = null,
  status = 'active',
  created_at = app.clock.now(),
}: Changes = {}): Promise<string> => {
  const id = uuid();
  const now = app.clock.now();
  await app.deps.db
    .insertInto('users')
    .values({
      id,
      email,
      display_name,
      status,
      email_verified_at: null,
      locale: null,
      platform_role: null,
      created_at,
      updated_at: now,
    })
    .execute();
  return id;
};
const list = (query: Record<string, string> = {}) => viewer.get(`/admin/users?${new URLSearchParams(query)}`);
const ids = async (query: Record<string, string>) =>
  (await list({ page_size: '100', ...query })).json.items.map(({ id }: { id: string }) => id);
const totalOf = async (query: Record<string, string> = {}) => (await list(query)).json.total;

describe('GET /admin/users', () => {
  it('200: full records, newest first, of all organizations, with total, page and page_size', async () => {
    const first = await registerUser(app, { display_name: 'First' });
    const second = await registerUser(app);
    const { status, json } = await list({ page_size: '2' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ total: 3, page: 1, page_size: 2 });
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual([second.user_id, first.user_id]);
    expect(json.items[1]).toEqual((await first.browser.get('/users/me')).json);
    expect(json.items[1].memberships).toMatchObject([{ organization_id: first.organization_id, role: 'owner' }]);
  });

  it('pages have no gaps; a page past the end is empty and has the total', async () => {
    for (let index = 0; index < 4; index++) await insert();
    const all = (await list({ page_size: '100' })).json;
    const pages = await Promise.all(['1', '2', '3', '4'].map((page) => list({ page, page_size: '2' })));
    expect(pages.flatMap(({ json }) => json.items)).toEqual(all.items.slice(0, 8));
    expect((await list({ page: '99' })).json).toEqual({ items: [], total: all.total, page: 99, page_size: 25 });
    expect((await list({ page: '99', q: 'person' })).json.items).toEqual([]);
  });

  it('lists all statuses, or the requested one; totals are exact, also after a sweep', async () => {
    const before = await totalOf();
    const active = await insert();
    const disabled = await insert({ status: 'disabled' });
    const deleted = await insert({ status: 'deleted' });
    for (let round = 0; round < 2; round++) {
      expect(await totalOf()).toBe(before + 3);
      expect(await list({ status: 'disabled' })).toMatchObject({ json: { total: 1, items: [{ id: disabled }] } });
      expect(await list({ status: 'deleted' })).toMatchObject({ json: { total: 1, items: [{ id: deleted }] } });
      expect(await totalOf({ status: 'active' })).toBe(before + 1);
      await app.sweeper.pass();
    }
    await setUser(app, active, { status: 'disabled' });
    expect(await totalOf({ status: 'disabled' })).toBe(2);
    expect((await ids({})).slice(0, 3)).toEqual([deleted, disabled, active]);
    await app.deps.db.deleteFrom('users').where('id', '=', deleted).execute();
    expect(await totalOf()).toBe(before + 2);
    expect(await list({ status: 'deleted' })).toMatchObject({ json: { total: 0, items: [] } });
  });

  it('q searches email and name, ignoring case; blank lists all', async () => {
    const byEmail = await insert({ email: 'grace.hopper@navy.example' });
    const byName = await insert({ display_name: 'Grace Änderung' });
    expect(await ids({ q: 'GRACE' })).toEqual([byName, byEmail]);
    expect(await ids({ q: ' Hopper@NAVY ' })).toEqual([byEmail]);
    expect(await ids({ q: 'e ÄND' })).toEqual([byName]);
    expect(await list({ q: 'grace', page_size: '1' })).toMatchObject({ json: { total: 2, items: [{ id: byName }] } });
    expect(await ids({ q: 'nobody has this' })).toEqual([]);
    for (const q of ['', '  ']) expect(await totalOf({ q })).toBe(await totalOf());
    await setUser(app, byEmail, { status: 'disabled' });
    expect(await ids({ q: 'grace', status: 'disabled' })).toEqual([byEmail]);
    expect(await ids({ q: 'grace', status: 'active' })).toEqual([byName]);
  });

  it('q takes %, _ and \\ literally', async () => {
    const percent = await insert({ display_name: '100% sure' });
    const underscore = await insert({ email: 'snake_case@example.com' });
    const backslash = await insert({ display_name: 'back\\slash' });
    expect(await ids({ q: '%' })).toEqual([percent]);
    expect(await ids({ q: '_' })).toEqual([underscore]);
    expect(await ids({ q: 'snake_case' })).toEqual([underscore]);
    expect(await ids({ q: 'snakexcase' })).toEqual([]);
    expect(await ids({ q: '\\' })).toEqual([backslash]);
  });

  it('organization_id filters by active members, alone or with other filters; an unknown one yields an empty list', async () => {
    const user = await registerUser(app, { display_name: 'Member One' });
    const other = await insert({ display_name: 'Member Two', status: 'disabled' });
    const organization_id = await join(app, user.user_id);
    const membership = { organization_id, role: 'member', joined_at: app.clock.now(), revoked_at: null } as const;
    await app.deps.db
      .insertInto('memberships')
      .values({ ...membership, user_id: other })
      .execute();
    const left = await insert({ display_name: 'Member Three' });
    await app.deps.db
      .insertInto('memberships')
      .values({ ...membership, user_id: left })
      .execute();
    await endMemberships(app, left);
    expect(await list({ organization_id })).toMatchObject({ json: { total: 2 } });
    expect(await ids({ organization_id })).toEqual([other, user.user_id]);
    expect(await ids({ organization_id: organization_id.toUpperCase(), q: 'member' })).toEqual([other, user.user_id]);
    expect(await ids({ organization_id, q: 'two' })).toEqual([other]);
    expect(await ids({ organization_id, status: 'active' })).toEqual([user.user_id]);
    expect(await ids({ organization_id, status: 'deleted' })).toEqual([]);
    expect((await list({ organization_id: uuid() })).json).toMatchObject({ items: [], total: 0 });
  });

  it.each([
    [{ organization_id: 'x' }, 'organization_id: must be a UUID'],
    [{ organization_id: '' }, 'organization_id: must be a UUID'],
    [{ status: 'gone' }, 'status: must be one of active, disabled, deleted'],
    [{ page: 'one' }, 'page: must be a whole number'],
    [{ q: 'a\0b' }, 'q: must not contain control characters'],
    [{ q: 'x'.repeat(255) }, 'q: must be at most 254 characters'],
  ])('400 for the query %j', async (query: Record<string, string>, message) => {
    const answer = await list(query);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_input']);
    expect(answer.json.error.message).toContain(message);
  });

  it('400 for a repeated parameter', async () => {
    expect((await viewer.get('/admin/users?q=a&q=b')).status).toBe(400);
  });

  it('401 without a session, 403 without a platform role, before the query is validated', async () => {
    expect((await createBrowser(app).get('/admin/users')).status).toBe(401);
    const nobody = await insertAdministrator(app, null);
    expect((await nobody.get('/admin/users?page=x')).status).toBe(403);
  });
});

describe('GET /users/:id', () => {
  it('one user: 200 for any platform role and any user, including deleted ones', async () => {
    const user = await registerUser(app);
    const own = (await user.browser.get('/users/me')).json;
    const answer = await viewer.get(`/users/${user.user_id.toUpperCase()}`);
    expect([answer.status, answer.json]).toEqual([200, own]);
    await setUser(app, user.user_id, { status: 'deleted' });
    expect((await viewer.get(`/users/${user.user_id}`)).json).toMatchObject({
      status: 'deleted',
      email: user.email,
    });
  });

  it('one user: 200 for oneself', async () => {
    const user = await registerUser(app);
    const own = (await user.browser.get('/users/me')).json;
    for (const id of [user.user_id, user.user_id.toUpperCase()]) {
      expect((await user.browser.get(`/users/${id}`)).json).toEqual(own);
    }
  });

  it('one user: 403 for other users, whether or not the user exists', async () => {
    const [user, other] = [await registerUser(app), await registerUser(app)];
    const answers = [];
    for (const id of [other.user_id, uuid(), 'x']) answers.push(await user.browser.get(`/users/${id}`));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('one user: 404 with a platform role for an unknown id, 401 without a session', async () => {
    for (const id of [uuid(), 'x']) expect((await viewer.get(`/users/${id}`)).status).toBe(404);
    expect((await createBrowser(app).get(`/users/${viewer.user_id}`)).status).toBe(401);
  });
});

const addMember = (organization_id: string, user_id: string) =>
  app.deps.db
    .insertInto('memberships')
    .values({ organization_id, user_id, role: 'member', joined_at: app.clock.now(), revoked_at: null })
    .execute();

describe('GET /admin/users?sort', () => {
  const MARK = 'sorted';
  const names = new Map<string, string>();
  beforeAll(async () => {
    const add = async (name: string, created: string, login: string | null, status: Changes['status'] = 'active') => {
      const id = await insert({ email: `${name}.${MARK}@example.com`, created_at: new Date(created), status });
      const last_login_at = login && new Date(login);
      if (last_login_at) await app.deps.db.updateTable('users').set({ last_login_at }).where('id', '=', id).execute();
      names.set(id, name);
    };
    await add('b', '2029-01-03T00:00:00Z', '2029-03-01T00:00:00Z');
    await add('d', '2029-01-01T00:00:00Z', null);
    await add('a', '2029-01-04T00:00:00Z', '2029-03-03T00:00:00Z', 'disabled');
    await add('c', '2029-01-02T00:00:00Z', '2029-03-02T00:00:00Z');
    await add('e', '2029-01-05T00:00:00Z', null, 'disabled');
  });
  const sorted = async (query: Record<string, string>) =>
    (await ids(query)).flatMap((id: string) => names.get(id) ?? []).join('');

  it.each([
    ['created_at', 'dcbae'],
    ['-created_at', 'eabcd'],
    ['email', 'abcde'],
    ['-email', 'edcba'],
    ['last_login_at', 'bcade'],
    ['-last_login_at', 'acbed'],
  ])('sort=%s orders the users as %s, also with search, status and organization', async (sort, expected) => {
    expect(await sorted({ sort })).toBe(expected);
    expect(await sorted({ sort, q: MARK })).toBe(expected);
    const disabled = [...expected].filter((name) => 'ae'.includes(name)).join('');
    expect(await sorted({ sort, status: 'disabled' })).toBe(disabled);
    expect(await sorted({ sort, status: 'disabled', q: MARK })).toBe(disabled);
    const { organization_id } = await registerUser(app);
    for (const id of names.keys()) await addMember(organization_id, id);
    expect(await sorted({ sort, organization_id })).toBe(expected);
    const pages = await Promise.all(['1', '2', '3'].map((page) => list({ sort, q: MARK, page, page_size: '2' })));
    const listed = pages.flatMap(({ json }) => json.items).map(({ id }: { id: string }) => names.get(id));
    expect([listed.join(''), pages[2]!.json.total]).toEqual([expected, 5]);
    await app.deps.db
      .deleteFrom('memberships')
      .where('user_id', 'in', [...names.keys()])
      .execute();
  });

  it('sort=-last_login_at returns a user first after a new sign-in', async () => {
    const user = await registerUser(app);
    app.clock.advance(60);
    await signInAgain(app, user);
    expect((await ids({ sort: '-last_login_at' }))[0]).toBe(user.user_id);
  });

  it.each(['name', '+email', 'Email', '--email', '-', 'email,id', 'id; drop table users', ''])(
    '400 for sort=%j',
    async (sort) => {
      const answer = await list({ sort });
      expect(answer.status).toBe(400);
      expect(answer.json.error.message).toMatch(/^sort: /);
    },
  );
});
