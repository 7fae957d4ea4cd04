import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { analyzeFilled } from './analyze.ts';

it('ANALYZE runs for tables that have rows, and not for empty ones', async () => {
  const database = await createTestDatabase();
  const { db } = database;
  const known = async () => {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relname in ('milestones', 'oauth_states', 'sessions', 'audit_events') and reltuples >= 0 order by 1`.execute(
      db,
    );
    return rows.map(({ name }) => name);
  };
  const at = new Date('2030-01-15T12:00:00Z');
  await db.insertInto('milestones').values({ name: 'one', reached_at: at }).execute();
  await db
    .insertInto('oauth_states')
    .values({ id: Buffer.from('one'), expires_at: at })
    .execute();
  await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id,
    metadata, outcome) select gen_random_uuid(), ${at}, gen_random_uuid(), 'user', 'a', 'r', 'x', '{}', 'success'`.execute(
    db,
  );
  await analyzeFilled(db, ['oauth_states']);
  expect(await known()).toEqual(['oauth_states']);
  await analyzeFilled(db);
  expect(await known()).toEqual(['audit_events', 'milestones', 'oauth_states']);
  await database.close();
});
