import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser, registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { endMemberships, setUser } from '../../../test/records.ts';

const app = useTestApp();
let viewer: Administrator;
beforeAll(async () => {
  viewer = await insertAdministrator(app, 'viewer');
});

const insert = async (name: string, slug: string, suspended_at: Date | null = null): Promise<string> => {
  const id = uuid();
  await app.deps.db
    .insertInto('organizations')
    .values({ id, name, slug, created_at: app.clock.now(), suspended_at })
    .execute();
  return id;
};
const list = (query: Record<string, string> = {}) => viewer.get(`/admin/orgs?${new URLSearchParams(query)}`);
const slugs = async (q: string) => (await list({ q })).json.items.map(({ slug }: { slug: string }) => slug);

describe('§4.12 GET /admin/orgs', () => {
  it('200: rows of §2.7, newest first, with total, page and page_size', async () => {
    const first = await insert('First', 'first-of-two');
    const second = await insert('Second', 'second-of-two', app.clock.now());
    const { status, json } = await list({ page_size: '2' });
    const created_at = app.clock.now().toISOString();
    expect(status).toBe(200);
    expect(json).toEqual({
      items: [
        { id: second, name: 'Second', slug: 'second-of-two', created_at, suspended: true, member_count: 0 },
        { id: first, name: 'First', slug: 'first-of-two', created_at, suspended: false, member_count: 0 },
      ],
      total: 3,
      page: 1,
      page_size: 2,
    });
  });

  it('pages have no gaps; a page past the end is empty and has the total', async () => {
    for (let index = 0; index < 5; index++) await insert(`Page ${index}`, `page-${index}`);
    const all = (await list({ page_size: '100' })).json;
    const pages = await Promise.all(['1', '2', '3'].map((page) => list({ page, page_size: '3' })));
    expect(pages.flatMap(({ json }) => json.items)).toEqual(all.items);
    expect((await list({ page: '4', page_size: '3' })).json).toEqual({
      items: [],
      total: all.total,
      page: 4,
      page_size: 3,
    });
    const none = await list({ q: 'page', page: '9' });
    expect(none.json).toMatchObject({ items: [], total: 5 });
  });

  it.each([
    [{ page: '0' }, { page: 1, page_size: 25 }],
    [
      { page: '-7', page_size: '0' },
      { page: 1, page_size: 1 },
    ],
    [{ page_size: '1000' }, { page: 1, page_size: 100 }],
    [{}, { page: 1, page_size: 25 }],
  ])('clamps page and page_size %j into range', async (query: Record<string, string>, expected) => {
    expect((await list(query)).json).toMatchObject(expected);
  });

  it.each([
    [{ page: '1.5' }, 'page: must be a whole number'],
    [{ page_size: 'all' }, 'page_size: must be a whole number'],
    [{ q: 'a\0b' }, 'q: must not contain control characters'],
    [{ q: 'x'.repeat(121) }, 'q: must be at most 120 characters'],
  ])('400 for the query %j', async (query, message) => {
    const answer = await list(query);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_input']);
    expect(answer.json.error.message).toContain(message);
  });

  it('q searches name and slug, ignoring case; blank lists all', async () => {
    await insert('Müller & Söhne', 'mueller');
    await insert('Something else', 'sub-mueller-two');
    expect(await slugs('MUELLER')).toEqual(['sub-mueller-two', 'mueller']);
    expect(await slugs(' MÜLLER ')).toEqual(['mueller']);
    expect(await slugs('er & sö')).toEqual(['mueller']);
    expect(await slugs('nobody has this')).toEqual([]);
    const { total } = (await list()).json;
    for (const q of ['', '   ']) expect((await list({ q })).json.total).toBe(total);
    expect((await list({ q: 'mueller', page_size: '1' })).json).toMatchObject({ total: 2, items: [{}] });
  });

  it('q takes %, _ and \\ literally', async () => {
    await insert('100% sure', 'percent');
    await insert('snake_case', 'underscore');
    await insert('back\\slash', 'backslash');
    expect(await slugs('%')).toEqual(['percent']);
    expect(await slugs('0% s')).toEqual(['percent']);
    expect(await slugs('_')).toEqual(['underscore']);
    expect(await slugs('snake_c')).toEqual(['underscore']);
    expect(await slugs('snakexc')).toEqual([]);
    expect(await slugs('\\')).toEqual(['backslash']);
    expect(await slugs('back\\slash')).toEqual(['backslash']);
    expect(await slugs("'; --")).toEqual([]);
  });

  it('401 without a session, 403 without a platform role', async () => {
    expect((await createBrowser(app).get('/admin/orgs')).status).toBe(401);
    const nobody = await insertAdministrator(app, null);
    expect((await nobody.get('/admin/orgs')).status).toBe(403);
    expect((await nobody.get('/admin/orgs?page=x')).status).toBe(403);
  });
});

describe('GET /admin/orgs/:id', () => {
  it('one organization: 200 with the row of §2.7, also if it is suspended', async () => {
    const created_at = app.clock.now().toISOString();
    const id = await insert('Alone', 'alone');
    expect(await viewer.get(`/admin/orgs/${id.toUpperCase()}`)).toMatchObject({
      status: 200,
      json: { id, name: 'Alone', slug: 'alone', created_at, suspended: false, member_count: 0 },
    });
    const suspended = await insert('Asleep', 'asleep', app.clock.now());
    const { json } = await viewer.get(`/admin/orgs/${suspended}`);
    expect(json).toEqual({
      id: suspended,
      name: 'Asleep',
      slug: 'asleep',
      created_at,
      suspended: true,
      member_count: 0,
    });
  });

  it.each([uuid(), 'x', '%00'])('one organization: 404 for %s', async (id) => {
    const answer = await viewer.get(`/admin/orgs/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.json.error.code).toBe('not_found');
  });
});

describe('GET /admin/orgs?sort', () => {
  const namesBy = async (sort: string, q = 'Sorted') =>
    (await list({ sort, q, page_size: '100' })).json.items.map(({ name }: { name: string }) => name[0]).join('');
  beforeAll(async () => {
    for (const [name, day] of [
      ['b', 3],
      ['A', 1],
      ['C', 2],
    ] as const) {
      const created_at = new Date(Date.UTC(2029, 0, day));
      const row = { id: uuid(), name: `${name} Sorted`, slug: `sorted-${day}`, created_at, suspended_at: null };
      await app.deps.db.insertInto('organizations').values(row).execute();
    }
  });

  it.each([
    ['created_at', 'ACb'],
    ['-created_at', 'bCA'],
    ['name', 'AbC'],
    ['-name', 'CbA'],
  ])('sort=%s returns the organizations in the order %s', async (sort, expected) => {
    expect(await namesBy(sort)).toBe(expected);
    const all = (await list({ sort, page_size: '100' })).json.items.map(({ name }: { name: string }) => name);
    const mine = all.filter((name: string) => name.endsWith(' Sorted')).map((name: string) => name[0]);
    expect(mine.join('')).toBe(expected);
  });

  it.each(['slug', 'Name', '--name', ''])('400 for sort=%j', async (sort) => {
    const answer = await list({ sort });
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toMatch(/^sort: /);
  });
});

const addMember = (organization_id: string, user_id: string) =>
  app.deps.db
    .insertInto('memberships')
    .values({ organization_id, user_id, role: 'member', joined_at: app.clock.now(), revoked_at: null })
    .execute();

describe('member_count', () => {
  it('counts members, disabled users included, but not former members; in lists and single records', async () => {
    const owner = await registerUser(app);
    const { organization_id } = owner;
    const [second, former] = [await registerUser(app), await registerUser(app)];
    for (const { user_id } of [second, former]) await addMember(organization_id, user_id);
    await setUser(app, second.user_id, { status: 'disabled' });
    await endMemberships(app, former.user_id);
    const found = (await viewer.get(`/admin/orgs/${organization_id}`)).json;
    expect(found.member_count).toBe(2);
    const { items } = (await list({ page_size: '100' })).json;
    expect(items.find(({ id }: { id: string }) => id === organization_id)).toEqual(found);
    const admin = await insertAdministrator(app);
    const renamed = await admin.patch(`/admin/orgs/${organization_id}`, { name: 'Renamed' });
    expect(renamed.json).toEqual({ ...found, name: 'Renamed' });
  });
});
