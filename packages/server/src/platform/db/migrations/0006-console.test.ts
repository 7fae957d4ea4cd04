import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../../test/database.ts';
import { compareCounts, countAll, insertEvents } from '../../../domain/audit/counts/trail-fixture.ts';
import { consoleCounts } from './0006-console.ts';

const database = useTestDatabase();

it('migration 0006 recounts rows stored without sign-ins, and stops the previous version from counting', async () => {
  const { db } = database;
  await insertEvents(db, [
    { timestamp: '2026-03-01T10:30:00Z' },
    { timestamp: '2026-03-01T10:40:00Z', outcome: 'failure' },
    { timestamp: '2026-03-01T11:00:00Z', metadata: { mfa_pending: true } },
  ]);
  await countAll(db);
  const { kept } = await compareCounts(db);
  // The state after migration 5.
  await sql`alter table audit_hours drop column sign_ins, drop column failed_sign_ins`.execute(db);
  await sql`drop index mails_dead_idx`.execute(db);

  await db.transaction().execute((tx) => sql.raw(consoleCounts.sql).execute(tx));
  expect((await compareCounts(db)).kept).toEqual([]);
  const asBefore = sql`insert into audit_hours (action, hour, count, least_id, greatest_id)
    values ('', '2026-03-01T10:00:00Z', 2, 1, 2)`.execute(db);
  await expect(asBefore).rejects.toThrow('sign_ins');
  await countAll(db);
  expect((await compareCounts(db)).kept).toEqual(kept);
  expect(kept).toMatchObject([
    { action: '', count: 2, sign_ins: 1, failed_sign_ins: 1 },
    { action: '', count: 1, sign_ins: 0, failed_sign_ins: 0 },
    { action: 'auth.login', count: 2, sign_ins: 1, failed_sign_ins: 1 },
    { action: 'auth.login', count: 1, sign_ins: 0, failed_sign_ins: 0 },
  ]);
});
