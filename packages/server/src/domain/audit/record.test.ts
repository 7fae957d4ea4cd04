import { NIL_UUID } from '@gatehouse/contract';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTestDatabase, useTestDatabase } from '../../../test/database.ts';
import { startTestApp } from '../../../test/harness.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { transact } from '../../platform/db/transact.ts';
import { SYSTEM } from '../kernel/caller.ts';
import { ensureAuditMonths } from './queries.ts';
import { recordAudit } from './record.ts';

const database = useTestDatabase();

const event = (now: Date) =>
  ({ action: 'auth.logout', now, resource_type: 'session', resource_id: 'x', metadata: {} }) as const;
const write = (now: Date) => transact(database.db, (tx) => recordAudit(tx, SYSTEM, event(now)));
const partitions = async () => {
  const { rows } = await sql<{ partition: string; timestamp: Date }>`
    select tableoid::regclass::text as partition, timestamp from audit_events order by id`.execute(database.db);
  return rows.map(({ partition }) => partition);
};

describe('§2.3 the audit trail', () => {
  it('a row has every field, and the nil organization if it belongs to no tenant', async () => {
    await write(new Date('2031-05-05T05:05:05.123Z'));
    const row = await database.db.selectFrom('audit_events').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      organization_id: NIL_UUID,
      actor_id: null,
      actor_type: 'system',
      action: 'auth.logout',
      outcome: 'success',
      metadata: {},
      request_id: null,
    });
    expect(row.timestamp.toISOString()).toBe('2031-05-05T05:05:05.123Z');
    expect(row.event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('a row is rolled back with its transaction', async () => {
    const before = (await partitions()).length;
    const work = transact(database.db, async (tx) => {
      await recordAudit(tx, SYSTEM, event(new Date()));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow();
    expect(await partitions()).toHaveLength(before);
  });

  it('the audit trail can be neither changed nor emptied', async () => {
    for (const statement of [
      `update audit_events set action = 'x'`,
      'delete from audit_events',
      'truncate audit_events',
      'truncate audit_events_rest',
      'delete from audit_events_rest',
    ]) {
      await expect(sql.raw(statement).execute(database.db), statement).rejects.toThrow('append-only');
    }
  });

  it('stores a row in the partition of its month, which is created ahead and once', async () => {
    const december = new Date('2032-12-31T23:59:59.999Z');
    await Promise.all([1, 2, 3, 4].map(() => ensureAuditMonths(database.db, december)));
    await write(december);
    await write(new Date('2033-01-01T00:00:00.000Z'));
    expect((await partitions()).slice(-2)).toEqual(['audit_events_203212', 'audit_events_203301']);
    await expect(sql`truncate audit_events_203212`.execute(database.db)).rejects.toThrow('append-only');
  });

  it('keeps rows of a month without a partition, and they cause no error when partitions are created', async () => {
    await write(new Date('2050-06-01T00:00:00Z'));
    await ensureAuditMonths(database.db, new Date('2050-06-15T00:00:00Z'));
    expect((await partitions()).at(-1)).toBe('audit_events_rest');
  });

  it('has a monthly partition for the first rows of a new service', async () => {
    const fresh = await createTestDatabase({ empty: true });
    await migrate(fresh.address, new Date());
    const app = await startTestApp({ database: fresh });
    const { rows } = await sql<{ name: string; action: string }>`select tableoid::regclass::text as name, action
      from audit_events`.execute(fresh.db);
    await app.close();
    await fresh.close();
    const month = app.clock.now().toISOString().slice(0, 7).replace('-', '');
    const created = { name: `audit_events_${month}`, action: 'signing_key.created' };
    expect(rows).toEqual([created, created]);
  });
});
