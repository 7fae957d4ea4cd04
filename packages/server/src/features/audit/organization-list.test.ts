import { NIL_UUID } from '@gatehouse/contract';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { newEmail, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { plansOf } from '../../../test/plan.ts';
import { auditOf } from '../../../test/records.ts';
import { colleague, founder, insertMembership } from '../../../test/team.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import { COMMAND_LINE, SYSTEM } from '../../domain/kernel/caller.ts';
import { transact } from '../../platform/db/transact.ts';
import { FIELDS } from './audit-fixture.ts';

const app = useTestApp();
let platform: Administrator;
beforeAll(async () => {
  platform = await insertAdministrator(app, 'owner', app.clock.now());
});

const list = async (user: TestUser, query: Record<string, string> = {}) =>
  (await user.browser.get(`/orgs/${user.organization_id}/audit-logs?${new URLSearchParams(query)}`)).json;
const actionsSeenBy = async (user: TestUser): Promise<string[]> => {
  const { items, total } = await list(user, { page_size: '100' });
  expect(total).toBe(items.length);
  return items.map(({ action }: { action: string }) => action).reverse();
};

const REDACTED = { actor_id: null, ip_address: null, user_agent: null, request_id: null };

describe('GET /orgs/:org_id/audit-logs', () => {
  it('returns the rows of this organization, newest first, in the shape of §2.3; pages and filters apply', async () => {
    const owner = await founder(app);
    const admin = await colleague(app, owner, 'admin');
    await (await founder(app)).browser.patch(`/orgs/${owner.organization_id}`, { name: 'Not mine' });
    await owner.browser.patch(`/orgs/${owner.organization_id}`, { name: 'One' });
    app.clock.advance(60);
    const body = { email: newEmail(), role: 'member' };
    await admin.browser.post(`/orgs/${owner.organization_id}/invitations`, body);
    const { items, ...rest } = await list(admin);
    expect(rest).toEqual({ total: 2, page: 1, page_size: 25 });
    expect(items.map(Object.keys)).toEqual([FIELDS, FIELDS]);
    expect(items).toMatchObject([
      { action: 'invitation.created', actor_id: admin.user_id, ip_address: '127.0.0.1' },
      { action: 'org.updated', actor_id: owner.user_id, organization_id: owner.organization_id },
    ]);
    const from = app.clock.now().toISOString();
    const cases: [Record<string, string>, number[], number][] = [
      [{ page_size: '1', page: '2' }, [1], 2],
      [{ user_id: owner.user_id }, [1], 1],
      [{ action: 'invitation.created' }, [0], 1],
      [{ from }, [0], 1],
      [{ to: from, user_id: owner.user_id }, [1], 1],
      [{ from, action: 'org.updated' }, [], 0],
      [{ user_id: uuid() }, [], 0],
    ];
    for (const [query, rows, total] of cases) {
      expect(await list(owner, query), JSON.stringify(query)).toMatchObject({
        items: rows.map((row) => ({ id: items[row].id })),
        total,
      });
    }
    expect((await owner.browser.get(`/orgs/${owner.organization_id}/audit-logs?from=today`)).status).toBe(400);
  });

  it('is 403 for members', async () => {
    const owner = await founder(app);
    const member = await colleague(app, owner);
    expect((await member.browser.get(`/orgs/${owner.organization_id}/audit-logs`)).status).toBe(403);
  });

  it('omits rows written by /admin/* except org.suspended and org.restored, whose actor is hidden, also from the user_id filter', async () => {
    const owner = await registerUser(app, { password: PASSWORD });
    const second = await colleague(app, owner, 'owner');
    const id = owner.organization_id;
    await platform.patch(`/admin/orgs/${id}`, { name: 'Renamed' });
    await platform.patch(`/admin/orgs/${id}`, { suspended: true });
    await platform.patch(`/admin/orgs/${id}`, { suspended: false });
    await platform.delete(`/admin/users/${second.user_id}/sessions`);
    await platform.put('/admin/feature-flags', { flag_key: 'beta', organization_id: id, enabled: true });
    const login = { email: owner.email, password: PASSWORD };
    await owner.browser.post('/auth/login', login);
    expect(await actionsSeenBy(owner)).toEqual([
      'auth.register',
      'org.created',
      'org.suspended',
      'org.restored',
      'auth.login',
    ]);
    const { items } = await list(owner);
    expect(items[2]).toMatchObject({ action: 'org.suspended', actor_type: 'user', outcome: 'success', ...REDACTED });
    expect(items[1]).toMatchObject({ action: 'org.restored', ...REDACTED });
    expect(await list(owner, { user_id: platform.user_id })).toMatchObject({ items: [], total: 0 });
    const { json } = await platform.get(`/audit-logs?user_id=${platform.user_id}&action=org.suspended`);
    expect(json.items[0]).toMatchObject({ actor_id: platform.user_id, ip_address: '127.0.0.1' });
  });

  it('omits rows of the command line, and includes rows of the service itself', async () => {
    const owner = await founder(app);
    const write = (caller: typeof SYSTEM) =>
      transact(app.deps.db, (tx) =>
        recordAudit(tx, caller, {
          action: 'platform_role.changed',
          now: app.clock.now(),
          resource_type: 'user',
          resource_id: owner.user_id,
          organization_id: owner.organization_id,
          metadata: { from: null, to: null },
        }),
      );
    await write(COMMAND_LINE);
    expect(await actionsSeenBy(owner)).toEqual([]);
    await write(SYSTEM);
    expect((await list(owner)).items).toMatchObject([{ actor_type: 'system' }]);
  });

  it('an account that is disabled, enabled and deleted by an administrator is reported in each organization', async () => {
    const owners = await Promise.all([founder(app), founder(app)]);
    const user = await founder(app);
    for (const { organization_id } of owners) await insertMembership(app, { ...user, organization_id });
    const removed = await founder(app);
    await insertMembership(app, { ...user, organization_id: removed.organization_id });
    await removed.browser.delete(`/orgs/${removed.organization_id}/members/${user.user_id}`);
    for (const status of ['disabled', 'disabled', 'active']) {
      expect((await platform.patch(`/admin/users/${user.user_id}`, { status })).status).toBe(200);
    }
    for (const _ of [1, 2]) expect((await platform.delete(`/admin/users/${user.user_id}`)).status).toBe(204);
    const about = { resource_type: 'member', resource_id: user.user_id, ...REDACTED };
    for (const owner of owners) {
      const { items } = await list(owner);
      expect(items).toMatchObject([
        { ...about, action: 'member.removed', metadata: { role: 'member', left: false, reason: 'account' } },
        { ...about, action: 'member.enabled', metadata: { reason: 'account' } },
        { ...about, action: 'member.disabled', metadata: { reason: 'account' } },
      ]);
      expect(items).toHaveLength(3);
      expect(await list(owner, { user_id: platform.user_id })).toMatchObject({ total: 0 });
    }
    expect(await actionsSeenBy(removed)).toEqual(['member.removed']);
    expect(await auditOf(app, { action: 'member.disabled', resource_id: user.user_id })).toHaveLength(3);
  });

  it('an account that deletes itself is reported with the actor', async () => {
    const owner = await founder(app);
    const user = await colleague(app, owner);
    expect((await user.browser.delete('/users/me')).status).toBe(204);
    expect(await list(owner, { action: 'member.removed', user_id: user.user_id })).toMatchObject({
      items: [{ actor_id: user.user_id, metadata: { role: 'member', left: true, reason: 'account' } }],
      total: 1,
    });
  });
});

describe('audit rows of the previous version, which have no visibility', () => {
  const insert = (
    organization_id: string,
    action: string,
    more: { request_id?: string | null; metadata?: object } = {},
  ) =>
    sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
        resource_id, ip_address, request_id, metadata, outcome)
      values (${uuid()}, ${app.clock.now()}, ${organization_id}, ${platform.user_id}, 'user', ${action}, 'x', 'x',
        '192.0.2.1', ${more.request_id === undefined ? uuid() : more.request_id}, ${JSON.stringify(more.metadata ?? {})}::jsonb,
        'success')`.execute(app.deps.db);

  it('are hidden from the organization if the platform or the command line may have written them', async () => {
    const owner = await founder(app);
    const id = owner.organization_id;
    for (const action of [
      'org.created',
      'org.updated',
      'user.disabled',
      'user.deleted',
      'mfa.reset',
      'feature_flag.updated',
    ])
      await insert(id, action);
    await insert(id, 'auth.register', { request_id: null });
    await insert(id, 'auth.session.revoked', { metadata: { reason: 'administrator', count: 1 } });
    await insert(id, 'org.suspended');
    await insert(id, 'auth.session.revoked', { metadata: { reason: 'user', count: 1 } });
    await insert(id, 'auth.login');
    const { items, total } = await list(owner);
    expect(total).toBe(3);
    expect(items).toMatchObject([
      { action: 'auth.login', actor_id: platform.user_id, ip_address: '192.0.2.1' },
      { action: 'auth.session.revoked', actor_id: platform.user_id },
      { action: 'org.suspended', ...REDACTED },
    ]);
    expect((await list(owner, { user_id: platform.user_id })).total).toBe(2);
  });
});

describe('the audit list of one organization among many', () => {
  it('reads page and total by an index alone, for every filter', async () => {
    const database = await createTestDatabase({ poolSize: 1 });
    const alone = await startTestApp({ database });
    const owner = await founder(alone);
    await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
        resource_id, request_id, metadata, outcome, visibility)
      select gen_random_uuid(), ${alone.clock.now()}, case n % 50 when 0 then ${owner.organization_id}::uuid when 1 then ${NIL_UUID}::uuid
        else gen_random_uuid() end, gen_random_uuid(), 'user', 'auth.login', 'x', 'x', gen_random_uuid(), '{}', 'success', 'full'
      from generate_series(1, 20000) n`.execute(database.db);
    const from = alone.clock.now().toISOString();
    // All rows are in the partition of this month.
    const month = `audit_events_${from.slice(0, 7).replace('-', '')}`;
    // Repeats the vacuum, because it does not mark a page as all-visible while an older snapshot is open.
    const visible = async () => {
      await sql`vacuum analyze audit_events`.execute(database.db);
      const { rows } = await sql<{ all: boolean }>`select relallvisible >= relpages as all
        from pg_class where relname = ${month}`.execute(database.db);
      return rows[0]!.all;
    };
    await expect.poll(visible).toBe(true);
    for (const query of ['', `user_id=${owner.user_id}`, 'action=auth.login', `from=${from}`]) {
      const { status } = await owner.browser.get(`/orgs/${owner.organization_id}/audit-logs?${query}`);
      expect(status).toBe(200);
    }
    const scans = await plansOf(database, /organization_id <> '0/);
    await alone.close();
    await database.close();
    const used = scans.filter(({ table }) => table === month).map(({ node, index }) => `${node} ${index}`);
    const kinds = new Set(used.map((scan) => scan.replace(/_organization_id_.*_idx/, '_organization_idx')));
    // Only the rows of the page are read from the table, by their ids.
    expect([...kinds].sort()).toEqual([`Index Only Scan ${month}_organization_idx`, `Index Scan ${month}_pkey`]);
  });
});
