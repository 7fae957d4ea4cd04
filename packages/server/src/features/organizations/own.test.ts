import { beforeAll, describe, expect, it } from 'vitest';
import { atOnce, newSlug, registerUser, type TestUser, tally } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, setUser } from '../../../test/records.ts';
import { colleague, findMembership, founder, updateMembership } from '../../../test/team.ts';

const app = useTestApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
});

const pathOf = ({ organization_id }: TestUser) => `/orgs/${organization_id}`;
const read = (user: TestUser) => user.browser.get(pathOf(user));
const change = (user: TestUser, body: unknown) => user.browser.patch(pathOf(user), body);
const changesOf = ({ organization_id }: TestUser) =>
  auditOf(app, { action: 'org.updated', resource_id: organization_id });

async function verifiedUser(): Promise<TestUser> {
  const user = await registerUser(app);
  await setUser(app, user.user_id, { email_verified_at: app.clock.now() });
  return user;
}

describe('GET /orgs/:org_id', () => {
  it('returns the organization with its members, disabled ones included, deleted and removed ones not', async () => {
    const user = await founder(app);
    const [disabled, deleted, removed] = await Promise.all([1, 2, 3].map(() => colleague(app, user)));
    await setUser(app, disabled!.user_id, { status: 'disabled' });
    await setUser(app, deleted!.user_id, { status: 'deleted' });
    await updateMembership(app, deleted!, { revoked_at: app.clock.now() });
    await updateMembership(app, removed!, { revoked_at: app.clock.now() });
    expect((await read(user)).json).toEqual({
      id: user.organization_id,
      name: 'Example',
      slug: expect.any(String),
      created_at: app.clock.now().toISOString(),
      suspended: false,
      member_count: 2,
    });
    expect((await read(await colleague(app, user))).json.member_count).toBe(3);
  });
});

describe('PATCH /orgs/:org_id', () => {
  it('changes name and slug, each alone or both; audited with the fields that changed', async () => {
    const user = await founder(app);
    const [one, two] = [newSlug(), newSlug()];
    expect(await change(user, { name: '  Other  ' })).toMatchObject({ status: 200, json: { name: 'Other' } });
    expect(await change(user, { slug: one })).toMatchObject({ status: 200, json: { name: 'Other', slug: one } });
    const both = await change(user, { name: 'Both', slug: two });
    expect(both.json).toEqual((await read(user)).json);
    expect(both.json).toMatchObject({ name: 'Both', slug: two, member_count: 1 });
    expect(await changesOf(user)).toMatchObject(
      [['name'], ['slug'], ['name', 'slug']].map((fields) => ({
        actor_id: user.user_id,
        organization_id: user.organization_id,
        resource_type: 'organization',
        metadata: { fields },
      })),
    );
  });

  it('is 200 and writes no audit row for an empty body, and for the current values', async () => {
    const user = await founder(app);
    const { json } = await read(user);
    for (const body of [{}, { name: json.name }, { slug: json.slug, name: ` ${json.name} ` }]) {
      expect(await change(user, body)).toMatchObject({ status: 200, json });
    }
    expect(await changesOf(user)).toEqual([]);
  });

  it('is 409 for a slug of another organization, and changes nothing', async () => {
    const { json: other } = await read(await founder(app));
    const { json: before } = await read(owner);
    expect(await change(owner, { name: 'Taken', slug: other.slug })).toMatchObject({
      status: 409,
      json: { error: { code: 'conflict', message: 'organization slug already taken' } },
    });
    expect((await read(owner)).json).toEqual(before);
    expect(await changesOf(owner)).toEqual([]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(121) }, 'name'],
    [{ slug: 'Upper' }, 'slug'],
    [{ slug: 'a' }, 'slug'],
    [{ slug: 'x'.repeat(64) }, 'slug'],
    [{ slug: '-a-' }, 'slug'],
  ])('is 400 for %j and names the field', async (body, field) => {
    const { status, json } = await change(owner, body);
    expect([status, json.error.code]).toEqual([400, 'invalid_input']);
    expect(json.error.message).toContain(field);
  });

  it('is 403 for an owner who has just been demoted', async () => {
    const other = await colleague(app, owner, 'owner');
    expect((await read(other)).status).toBe(200);
    await updateMembership(app, other, { role: 'admin' });
    expect((await change(other, { name: 'Mine' })).status).toBe(403);
    expect(await changesOf(owner)).toEqual([]);
  });

  it('of concurrent changes to one slug exactly one succeeds, without a deadlock', async () => {
    const users = await Promise.all([1, 2, 3].map(() => founder(app)));
    const slug = newSlug();
    expect(tally(await Promise.all(users.map((user) => change(user, { slug }))))).toEqual({ 200: 1, 409: 2 });
    const answers = await atOnce(6, (index) => change(owner, { name: `Name ${index}` }));
    expect(tally(answers)).toEqual({ 200: 6 });
  });
});

describe('POST /orgs', () => {
  const create = (user: TestUser, body: unknown) => user.browser.post('/orgs', body);

  it('201 organization row; the caller is its owner; audited in the new organization; the session stays in its organization', async () => {
    const user = await verifiedUser();
    const slug = newSlug();
    const { status, json } = await create(user, { name: ' Second ', slug });
    expect([status, json]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Second',
        slug,
        created_at: app.clock.now().toISOString(),
        suspended: false,
        member_count: 1,
      },
    ]);
    expect(await findMembership(app, { ...user, organization_id: json.id })).toMatchObject({ role: 'owner' });
    expect(await auditOf(app, { action: 'org.created', resource_id: json.id })).toMatchObject([
      { actor_id: user.user_id, organization_id: json.id, metadata: { owner_user_id: user.user_id } },
    ]);
    const { json: session } = await user.browser.get('/auth/session');
    expect(session.user.organization_id).toBe(user.organization_id);
    const { status: switched } = await user.browser.post('/auth/organization', { organization_id: json.id });
    expect(switched).toBe(200);
  });

  it('derives the slug from the name, with a suffix if it is taken; 409 for a given slug that is taken', async () => {
    const user = await verifiedUser();
    const { json: first } = await create(user, { name: 'Grüne Wiese' });
    const { json: second } = await create(user, { name: 'Grüne Wiese' });
    expect(first.slug).toBe('gruene-wiese');
    expect(second.slug).toMatch(/^gruene-wiese-[0-9a-f]{6}$/);
    expect((await create(user, { name: 'Third', slug: first.slug })).status).toBe(409);
  });

  it.each([[{}], [{ name: ' ' }], [{ name: 'x', slug: 'NO' }], [{ slug: 'only' }]])('is 400 for %j', async (body) => {
    expect((await create(await verifiedUser(), body)).status).toBe(400);
  });

  it('is 403 without a verified email, even if the cached session says that the email is verified', async () => {
    const user = await verifiedUser();
    expect((await create(user, { name: 'One' })).status).toBe(201);
    await setUser(app, user.user_id, { email_verified_at: null });
    expect(await create(user, { name: 'Two' })).toMatchObject({
      status: 403,
      json: { error: { code: 'forbidden', message: 'verify your email first' } },
    });
    expect((await create(await registerUser(app), {})).status).toBe(403);
  });

  it('is 403 while registration is closed', async () => {
    const user = await verifiedUser();
    const closed = await startTestApp({
      environment: { REGISTRATION: 'closed' },
      database: app.database,
      clock: app.clock,
    });
    const { status, json } = await closed.server
      .inject({
        method: 'POST',
        url: '/v1/orgs',
        headers: { authorization: `Bearer ${user.access_token}` },
        body: { name: 'New' },
      })
      .then(({ statusCode, body }) => ({ status: statusCode, json: JSON.parse(body) }));
    await closed.close();
    expect([status, json.error.code]).toEqual([403, 'forbidden']);
  });

  it('a user can create 10 organizations a day, also with concurrent requests; rejected requests and the registration do not count', async () => {
    const user = await verifiedUser();
    const slug = newSlug();
    expect((await create(user, { name: 'First', slug })).status).toBe(201);
    expect((await create(user, { name: 'Same', slug })).status).toBe(409);
    const answers = await atOnce(14, (index) => create(user, { name: `Many ${index}` }));
    expect(tally(answers)).toEqual({ 201: 9, 429: 5 });
    const { headers } = await create(user, { name: 'More' });
    expect(Number(headers['retry-after'])).toBe(86_400);
    expect((await create(await verifiedUser(), { name: 'Other' })).status).toBe(201);
    app.clock.advance(86_400);
    const renewed = await user.browser.post('/auth/refresh');
    expect(renewed.status).toBe(200);
    expect((await create(user, { name: 'Next day' })).status).toBe(201);
  });
});
