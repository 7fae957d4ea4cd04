import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { insertSession, useTestApp } from '../../../test/harness.ts';
import { setSession } from '../../../test/records.ts';
import { countLiveSessions } from './queries.ts';

const app = useTestApp();

it('countLiveSessions returns the planner estimate for a large table of sessions', async () => {
  const { db } = app.deps;
  for (let index = 0; index < 30; index++) {
    const { session_id } = await insertSession(app, {});
    if (index % 3 === 0) await setSession(app, session_id, { expires_at: app.clock.now() });
  }
  await sql`analyze sessions`.execute(db);
  expect(await countLiveSessions(db, app.clock.now())).toEqual({ count: 20, estimated: false });
  const { count, estimated } = await countLiveSessions(db, app.clock.now(), 0);
  expect(estimated).toBe(true);
  expect(Math.abs(count - 20)).toBeLessThanOrEqual(2);
});
