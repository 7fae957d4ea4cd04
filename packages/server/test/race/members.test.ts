import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, bearer, createBrowser, registerUser, type TestUser, tally } from '../browser.ts';
import { auditOf, liveSessions } from '../records.ts';
import { isRefusedInTime, isSignedIn, useReplicas } from '../replicas.ts';
import { findMembership, insertMembership, listOwners, teammate, updateMembership } from '../team.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';
import { ROUNDS } from './processes-fixture.ts';

// Processes compute real password hashes, so that sign-ins last long enough to overlap with a change.
const replicas = useReplicas(2, {}, { processes: true });
let first: TestUser;
let second: TestUser;
beforeAll(async () => {
  first = await registerUser(here());
  second = await teammate(there(), replicas.database, first, 'owner');
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

const pathOf = ({ organization_id }: TestUser, { user_id }: TestUser) => `/orgs/${organization_id}/members/${user_id}`;
const demote = (url: string, actor: TestUser, target: TestUser): Promise<Answer> =>
  createBrowser(url).patch(pathOf(actor, target), { role: 'member' }, bearer(actor.access_token));
const remove = (url: string, actor: TestUser, target: TestUser): Promise<Answer> =>
  createBrowser(url).delete(pathOf(actor, target), bearer(actor.access_token));

/** Makes both users owners again and signs them in again, so that no server uses their earlier role. */
async function restore(): Promise<void> {
  for (const user of [first, second]) {
    await updateMembership(replicas.database, user, { role: 'owner', revoked_at: null });
    const { organization_id, email, password } = user;
    const browser = createBrowser(here());
    const { json } = await browser.post('/auth/login', { email, password, organization_id });
    const restored = { ...user, access_token: json.access_token as string };
    if (user === first) first = restored;
    else second = restored;
  }
}

describe('concurrent changes of two owners on two servers: one stays owner', () => {
  type Act = (url: string, actor: TestUser, other: TestUser) => Promise<Answer>;
  const acts: [string, Act, Act][] = [
    ['each demotes the other', demote, demote],
    ['each steps down', (url, actor) => demote(url, actor, actor), (url, actor) => demote(url, actor, actor)],
    ['each removes the other', remove, remove],
    ['each leaves', (url, actor) => remove(url, actor, actor), (url, actor) => remove(url, actor, actor)],
    [
      'one leaves, the other steps down',
      (url, actor) => remove(url, actor, actor),
      (url, actor) => demote(url, actor, actor),
    ],
    ['one demotes the other, who leaves', demote, (url, actor) => remove(url, actor, actor)],
  ];

  it.each(acts)('concurrent changes of two owners on two servers leave one owner: %s', async (_name, one, other) => {
    for (let round = 0; round < ROUNDS; round++) {
      await restore();
      const answers = await Promise.all([one(here(), first, second), other(there(), second, first)]);
      const owners = await listOwners(replicas.database, first.organization_id);
      expect(owners).toHaveLength(1);
      expect(answers.filter(({ status }) => status < 300).length, JSON.stringify(tally(answers))).toBeGreaterThan(0);
      for (const { status } of answers) expect([200, 204, 401, 403, 404, 409]).toContain(status);
    }
  });
});

describe('a member who is removed on one server', () => {
  it('a member who is removed on one server is refused there on the next request, and on the other within 5 seconds', async () => {
    const member = await teammate(here(), replicas.database, first);
    expect(await isSignedIn(there(), member.access_token)).toBe(true);
    await restore();
    expect((await remove(here(), first, member)).status).toBe(204);
    expect(await isSignedIn(here(), member.access_token)).toBe(false);
    expect(await isRefusedInTime(there(), member.access_token)).toBe(true);
  });

  it('a member who is removed cannot escape the removal by signing in or switching: no session is left', async () => {
    await restore();
    const member = await teammate(here(), replicas.database, first);
    const { email, password, organization_id } = member;
    const elsewhere = await registerUser(here());
    await insertMembership(replicas.database, {
      organization_id: elsewhere.organization_id,
      user_id: member.user_id,
    });
    const away = await createBrowser(there()).post('/auth/login', {
      email,
      password,
      organization_id: elsewhere.organization_id,
    });
    const [removed] = await Promise.all([
      remove(here(), first, member),
      replicas.many(6, (url) => createBrowser(url).post('/auth/login', { email, password, organization_id })),
      createBrowser(there()).post('/auth/organization', { organization_id }, bearer(away.json.access_token)),
    ]);
    expect(removed.status).toBe(204);
    expect((await findMembership(replicas.database, member))!.revoked_at).not.toBeNull();
    const left = await replicas.database.db
      .selectFrom('sessions')
      .select('id')
      .where('id', 'in', [...(await liveSessions(replicas.database, member.user_id)), member.session_id])
      .where('organization_id', '=', organization_id)
      .where('revoked_at', 'is', null)
      .execute();
    expect(left).toEqual([]);
  });

  it('20 concurrent removals write one audit row', async () => {
    await restore();
    const member = await teammate(here(), replicas.database, first);
    expect(tally(await replicas.many(20, (url) => remove(url, first, member)))).toEqual({ 204: 20 });
    const events = await auditOf(replicas.database, { resource_id: member.user_id, action: 'member.removed' });
    expect(events).toHaveLength(1);
  });
});

it('two platform owners who leave concurrently on two servers: one can still sign in', async () => {
  await restore();
  const { db } = replicas.database;
  const isOwner = (platform_role: 'owner' | null, users: readonly TestUser[]) =>
    db
      .updateTable('users')
      .set({ platform_role })
      .where(
        'id',
        'in',
        users.map(({ user_id }) => user_id),
      )
      .execute();
  // These users own two other organizations.
  const founders = await Promise.all([registerUser(here()), registerUser(there())]);
  for (let round = 0; round < ROUNDS; round++) {
    const pair = [
      await teammate(here(), replicas.database, founders[0]!),
      await teammate(there(), replicas.database, founders[1]!),
    ] as const;
    // Ends the memberships that were created by their registration.
    for (const { user_id, organization_id } of pair) {
      await db
        .updateTable('memberships')
        .set({ revoked_at: new Date() })
        .where('user_id', '=', user_id)
        .where('organization_id', '<>', organization_id)
        .execute();
    }
    await isOwner('owner', pair);
    const answers = await Promise.all([remove(here(), pair[0], pair[0]), remove(there(), pair[1], pair[1])]);
    expect(tally(answers)).toEqual({ 204: 1, 409: 1 });
    await isOwner(null, pair);
  }
});

it('a role change on one server applies on both: granted at once, revoked within 5 seconds', async () => {
  await restore();
  const member = await teammate(there(), replicas.database, first);
  const path = `/orgs/${first.organization_id}/invitations/${first.user_id}`;
  const asked = () => createBrowser(there()).delete(path, bearer(member.access_token));
  expect((await asked()).status).toBe(403);
  const change = (role: string) =>
    createBrowser(here()).patch(pathOf(first, member), { role }, bearer(first.access_token));
  expect((await change('admin')).status).toBe(200);
  expect((await asked()).status).toBe(404);
  expect((await change('member')).status).toBe(200);
  // Writes check the membership in the database.
  expect((await asked()).status).toBe(403);
  const role = async () =>
    (await createBrowser(there()).get('/auth/session', bearer(member.access_token))).json.capabilities.role;
  await expect.poll(role, { timeout: INVALIDATED_WITHIN_MS, interval: 20 }).toBe('member');
});
