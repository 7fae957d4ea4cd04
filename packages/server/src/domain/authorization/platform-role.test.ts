import { beforeEach, describe, expect, it } from 'vitest';
import { bearer, createBrowser } from '../../../test/browser.ts';
import { insertSession, useTestApp } from '../../../test/harness.ts';
import { auditOf, findUser, setUser } from '../../../test/records.ts';
import { transact } from '../../platform/db/transact.ts';
import { SYSTEM } from '../kernel/caller.ts';
import type { PlatformRole } from '../kernel/permissions.ts';
import { countPlatformOwners } from '../users/queries.ts';
import { changePlatformRole } from './platform-role.ts';

const app = useTestApp();
beforeEach(async () => {
  await app.deps.db.updateTable('users').set({ platform_role: null }).execute();
});

const change = (user_id: string, role: PlatformRole | null) =>
  transact(app.deps.db, (tx) => changePlatformRole(tx, app.deps, SYSTEM, { user_id, role }));
type NewSession = Awaited<ReturnType<typeof insertSession>>;
const newUser = () => insertSession(app);
const owner = () => insertSession(app, { platform_role: 'owner' });
const roleOf = async ({ user_id }: NewSession) => (await findUser(app, user_id)).platform_role;
const trail = ({ user_id }: NewSession) => auditOf(app, { resource_id: user_id, action: 'platform_role.changed' });

const LAST = { code: 'conflict', message: 'this is the last platform owner; add another one first' };

describe('the platform role', () => {
  it('a platform role is granted, changed and revoked, audited each time, and the session shows it at once', async () => {
    await owner();
    const user = await newUser();
    const shown = async () =>
      (await createBrowser(app).get('/auth/session', bearer(user.access_token))).json.capabilities.platform_role;
    expect(await shown()).toBeNull();
    for (const role of ['viewer', 'owner', 'admin', null] as const) {
      expect(await change(user.user_id, role)).toBe(true);
      expect(await shown()).toBe(role);
    }
    const rows = await trail(user);
    expect(rows.map(({ metadata }) => metadata)).toEqual([
      { from: null, to: 'viewer' },
      { from: 'viewer', to: 'owner' },
      { from: 'owner', to: 'admin' },
      { from: 'admin', to: null },
    ]);
    expect(rows[0]).toMatchObject({ actor_id: null, actor_type: 'system', resource_type: 'user', outcome: 'success' });
  });

  it('a platform role is neither changed nor audited if it is already set', async () => {
    const user = await owner();
    expect(await change(user.user_id, 'owner')).toBe(false);
    const plain = await newUser();
    expect(await change(plain.user_id, null)).toBe(false);
    expect([...(await trail(user)), ...(await trail(plain))]).toEqual([]);
  });

  it.each([null, 'viewer', 'admin'] as const)('the last active owner cannot become %s', async (role) => {
    const user = await owner();
    await expect(change(user.user_id, role)).rejects.toMatchObject(LAST);
    expect(await roleOf(user)).toBe('owner');
    expect(await trail(user)).toEqual([]);
  });

  it('the owner role can be revoked while there is another owner', async () => {
    const [first, second] = [await owner(), await owner()];
    expect(await change(first.user_id, null)).toBe(true);
    await expect(change(second.user_id, null)).rejects.toMatchObject(LAST);
  });

  it.each(['disabled', 'deleted'] as const)('a %s owner does not count as another owner', async (status) => {
    const [user, gone] = [await owner(), await owner()];
    await setUser(app, gone.user_id, { status });
    expect(await countPlatformOwners(app.deps.db)).toBe(1);
    await expect(change(user.user_id, null)).rejects.toMatchObject(LAST);
  });

  it('the owner role can be revoked from a disabled owner even if there is no other', async () => {
    const gone = await owner();
    await setUser(app, gone.user_id, { status: 'disabled' });
    expect(await change(gone.user_id, null)).toBe(true);
  });

  it('a platform role cannot be granted to a deleted account: 404', async () => {
    const gone = await newUser();
    await setUser(app, gone.user_id, { status: 'deleted' });
    await expect(change(gone.user_id, 'owner')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('two concurrent demotions of the last two owners: one of them fails', async () => {
    for (let round = 0; round < 2; round++) {
      await app.deps.db.updateTable('users').set({ platform_role: null }).execute();
      const [first, second] = [await owner(), await owner()];
      const results = await Promise.allSettled([change(first.user_id, null), change(second.user_id, 'admin')]);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: LAST });
      expect(await countPlatformOwners(app.deps.db)).toBe(1);
    }
  });

  it('during many concurrent changes of roles there is always an owner, and no deadlock', async () => {
    const users = [await owner(), await owner(), await owner()];
    const results = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) =>
        change(users[index % 3]!.user_id, index % 4 === 0 ? 'owner' : index % 2 === 0 ? null : 'viewer'),
      ),
    );
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(LAST);
    expect(await countPlatformOwners(app.deps.db)).toBeGreaterThanOrEqual(1);
  });
});

describe('a platform role that is granted', () => {
  const emailOf = ({ user_id }: NewSession) => `${user_id}@example.com`;
  const mailsTo = (user: NewSession) => app.mailbox.take(emailOf(user));

  it('a granted platform role is announced by mail to its user and to every other active platform owner', async () => {
    const [user, first, second, disabled, viewer] = [
      await newUser(),
      await owner(),
      await owner(),
      await owner(),
      await insertSession(app, { platform_role: 'viewer' }),
    ];
    await setUser(app, disabled.user_id, { status: 'disabled' });
    await change(user.user_id, 'owner');
    const [own, ...rest] = await mailsTo(user);
    expect(rest).toEqual([]);
    expect(own).toMatchObject({
      subject: 'You now have a platform role',
      text: expect.stringContaining('now has the platform role “owner”'),
    });
    for (const other of [first, second]) {
      expect(await mailsTo(other)).toMatchObject([
        {
          subject: 'A platform role was granted',
          text: expect.stringContaining(`The account ${emailOf(user)} now has the platform role “owner”`),
        },
      ]);
    }
    for (const other of [disabled, viewer]) expect(await mailsTo(other)).toEqual([]);
  });

  it('a platform role that is revoked or already set sends no mail', async () => {
    const [user, other] = [await insertSession(app, { platform_role: 'admin' }), await owner()];
    await change(user.user_id, 'admin');
    await change(user.user_id, null);
    for (const one of [user, other]) expect(await mailsTo(one)).toEqual([]);
  });

  it('a granted platform role queues its mails in the transaction of the change', async () => {
    const [user, other] = [await newUser(), await owner()];
    const failing = transact(app.deps.db, async (tx) => {
      await changePlatformRole(tx, app.deps, SYSTEM, { user_id: user.user_id, role: 'admin' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    for (const one of [user, other]) expect(await mailsTo(one)).toEqual([]);
  });

  it('a granted platform role is announced to at most a hundred owners, and to each of them ten times in ten minutes for one user and role', async () => {
    const user = await newUser();
    const owners = await Promise.all(Array.from({ length: 101 }, owner));
    await change(user.user_id, 'viewer');
    const sent = (await app.mailbox.takeAll()).map(({ to }) => to);
    const counts = owners.map((one) => sent.filter((to) => to === emailOf(one)).length);
    expect(counts.sort()).toEqual([0, ...Array(100).fill(1)]);
    await app.deps.db.updateTable('users').set({ platform_role: null }).execute();
    const last = await owner();
    for (let round = 0; round < 24; round++) await change(user.user_id, round % 2 === 0 ? 'viewer' : 'admin');
    expect(await mailsTo(last)).toHaveLength(20);
    // Mails about one user are not counted for another.
    await change((await newUser()).user_id, 'owner');
    expect(await mailsTo(last)).toHaveLength(1);
  });
});
