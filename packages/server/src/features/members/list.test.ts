import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { recorded, setUser } from '../../../test/records.ts';
import { colleague, findMembership, founder, insertMembership, updateMembership } from '../../../test/team.ts';
import { listMembers } from '../../domain/memberships/queries.ts';

const app = useTestApp();

const list = (user: TestUser, query = '', organization_id = user.organization_id) =>
  user.browser.get(`/orgs/${organization_id}/members${query}`);
const idsIn = ({ json }: { json: { items: { user_id: string }[] } }) => json.items.map(({ user_id }) => user_id);

const insertMember = async (owner: TestUser, display_name: string | null = null): Promise<string> => {
  const { user_id } = await colleague(app, owner);
  await setUser(app, user_id, { display_name });
  return user_id;
};

describe('GET /orgs/:org_id/members', () => {
  it('the list has the documented fields and no others', async () => {
    const owner = await registerUser(app, { display_name: 'Ada' });
    const { status, json } = await list(owner);
    expect(status).toBe(200);
    expect(json).toEqual({
      items: [
        {
          user_id: owner.user_id,
          email: owner.email,
          display_name: 'Ada',
          avatar_url: null,
          role: 'owner',
          status: 'active',
          mfa_enabled: false,
          joined_at: app.clock.now().toISOString(),
          roles: [],
        },
      ],
      total: 1,
      page: 1,
      page_size: 1000,
    });
  });

  it('the list is sorted by joining time, then by id; it has disabled members, but no removed or deleted ones', async () => {
    const owner = await founder(app);
    app.clock.advance(60);
    const [first, second] = [await insertMember(owner), await insertMember(owner)].sort();
    const [removed, deleted] = [await insertMember(owner), await insertMember(owner)];
    await owner.browser.delete(`/orgs/${owner.organization_id}/members/${removed}`);
    await setUser(app, deleted!, { status: 'deleted' });
    await setUser(app, second!, { status: 'disabled', mfa_enabled_at: app.clock.now() });
    const answer = await list(owner);
    expect(idsIn(answer)).toEqual([owner.user_id, first, second]);
    expect(answer.json.items[2]).toMatchObject({ status: 'disabled', mfa_enabled: true });
    expect(answer.json.total).toBe(3);
  });

  it('any member can list; 401 without a session', async () => {
    const owner = await founder(app);
    const member = await colleague(app, owner);
    expect((await list(member)).status).toBe(200);
    expect((await createBrowser(app).get(`/orgs/${owner.organization_id}/members`)).status).toBe(401);
  });

  it('403 for every organization other than that of the session, for platform roles too', async () => {
    const [owner, outsider] = [await founder(app), await founder(app)];
    await setUser(app, owner.user_id, { platform_role: 'owner' });
    await app.deps.bus.deliver([{ topic: 'user', key: owner.user_id }]);
    const answers = [];
    for (const id of [outsider.organization_id, uuid(), 'nothing', '%00', `${owner.organization_id}x`]) {
      answers.push(await list(owner, '', id));
    }
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await list(owner, '', owner.organization_id.toUpperCase())).status).toBe(200);
  });

  it('403 for an organization of the caller that is not that of the session', async () => {
    const owner = await founder(app);
    const [other, member] = [await founder(app), await colleague(app, owner)];
    await insertMembership(app, { organization_id: other.organization_id, user_id: member.user_id }, { role: 'owner' });
    expect((await list(member, '', other.organization_id)).status).toBe(403);
  });
});

describe('GET /orgs/:org_id/members?q=', () => {
  let owner: TestUser;
  const named: Record<string, string> = {};
  const NAMES = ['100% Özgür', '100x Özgür', 'under_score', 'underXscore', 'back\\slash', 'Straße 7', null];
  beforeAll(async () => {
    owner = await registerUser(app, { display_name: 'Grace Hopper' });
    for (const name of NAMES) named[String(name)] = await insertMember(owner, name);
  });
  const find = async (q: string) => idsIn(await list(owner, `?q=${encodeURIComponent(q)}`));
  const those = (...names: string[]) => names.map((name) => named[name]!).sort();

  it('q searches email and display name, ignoring case, also for Unicode', async () => {
    expect(await find('HOPPER')).toEqual([owner.user_id]);
    expect(await find(owner.email.toUpperCase())).toEqual([owner.user_id]);
    expect((await find('öZGÜR')).sort()).toEqual(those('100% Özgür', '100x Özgür'));
    expect(await find('  straße ')).toEqual(those('Straße 7'));
    expect(await find(named.null!)).toEqual(those('null'));
    expect(await find('nobody is called this')).toEqual([]);
  });

  it('q takes %, _ and \\ literally', async () => {
    expect(await find('100% ö')).toEqual(those('100% Özgür'));
    expect(await find('%')).toEqual(those('100% Özgür'));
    expect(await find('r_s')).toEqual(those('under_score'));
    expect(await find('k\\s')).toEqual(those('back\\slash'));
    expect(await find('\\')).toEqual(those('back\\slash'));
    expect(await find("'; drop table users --")).toEqual([]);
  });

  it('a blank q lists all members; `total` counts the matches', async () => {
    expect(await find('   ')).toHaveLength(NAMES.length + 1);
    expect((await list(owner, '?q=%C3%B6zg%C3%BCr')).json.total).toBe(2);
  });

  it('400 if q has control characters or is too long', async () => {
    for (const q of ['%00', 'a%0Ab', '%E2%80%AE', 'x'.repeat(321)]) {
      const answer = await list(owner, `?q=${q}`);
      expect(answer.status, q).toBe(400);
      expect(answer.json.error.message).toMatch(/^q: /);
    }
    expect((await list(owner, '?q=a&q=b')).status).toBe(400);
  });

  it('q finds no members of another organization', async () => {
    const outsider = await registerUser(app, { display_name: 'Grace Hopper' });
    expect(await find(outsider.email)).toEqual([]);
    expect(await find('Grace')).toEqual([owner.user_id]);
  });

  it('pages contain each member once and the `total`; page_size is at most 1,000', async () => {
    const pages = [];
    for (let page = 1; page <= 3; page++) pages.push(await list(owner, `?page=${page}&page_size=3`));
    expect(pages.flatMap(idsIn)).toEqual(idsIn(await list(owner)));
    expect(pages.map(({ json }) => [json.total, json.page, json.page_size])).toEqual([
      [8, 1, 3],
      [8, 2, 3],
      [8, 3, 3],
    ]);
    expect((await list(owner, '?page=0&page_size=5000')).json).toMatchObject({ page: 1, page_size: 1000 });
    expect((await list(owner, '?page=99')).json).toMatchObject({ items: [], total: 8 });
    for (const query of ['page=x', 'page_size=1.5', 'page=']) {
      expect((await list(owner, `?${query}`)).status, query).toBe(400);
    }
  });
});

it('sweeps keep an ended membership, by which single sign-on recognizes a former member', async () => {
  const owner = await founder(app);
  const membership = { organization_id: owner.organization_id, user_id: await insertMember(owner) };
  await updateMembership(app, membership, { revoked_at: app.clock.now() });
  app.clock.advance(400 * 86_400);
  await app.sweeper.pass();
  expect(await findMembership(app, membership)).toBeDefined();
});

it('a page of a large organization is read from an index, without sorting', async () => {
  const owner = await founder(app);
  const { db } = app.deps;
  await sql`insert into users (id, email, status, created_at, updated_at)
    select gen_random_uuid(), 'large-' || n || '@example.com', 'active', now(), now() from generate_series(1, 3000) n`.execute(
    db,
  );
  await sql`insert into memberships (organization_id, user_id, role, joined_at)
    select ${owner.organization_id}::uuid, id, 'member', now() from users where email like 'large-%'`.execute(db);
  await sql`analyze users, memberships`.execute(db);
  const page = { organization_id: owner.organization_id, limit: 50, offset: 0 };
  const { result, statements } = await recorded(app, () => listMembers(app.deps.db, page));
  expect(result).toHaveLength(50);
  const asked = sql.raw(
    statements[0]!.replace(/\$(\d)/g, (_, n) => [`'${owner.organization_id}'`, "'deleted'", '50', '0'][n - 1]!),
  );
  const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${asked}`.execute(db);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('memberships_joined_idx');
  expect(plan).not.toContain('Sort');
});
