import { expect, it, vi } from 'vitest';
import { insertApplicationRows } from '../../../../test/application-rows.ts';
import { insertSession, useTestApp } from '../../../../test/harness.ts';
import { after } from '../../../platform/clock.ts';
import { createGrantStates } from './states.ts';

const app = useTestApp();

it('a cached grant is read again after a minute, so that a missed event has an effect', async () => {
  const { db } = app.database;
  const { clock, bus } = app.deps;
  const now = clock.now();
  const owner = await insertSession(app);
  const { application_id } = await insertApplicationRows(db, owner, { now, expires_at: after(now, 86_400) });
  const { id } = await db
    .selectFrom('application_grants')
    .select('id')
    .where('application_id', '=', application_id)
    .executeTakeFirstOrThrow();
  const real = performance.now.bind(performance);
  let moved = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => real() + moved);
  const states = createGrantStates(db, clock, { ...bus, isFresh: () => true });

  expect(await states.find(id)).toMatchObject({ id });
  await db.updateTable('application_grants').set({ ended_at: now }).where('id', '=', id).execute();
  expect(await states.find(id)).toMatchObject({ id });
  moved = 60_000;
  expect(await states.find(id)).toBeUndefined();
  moved = 0;
  expect(await states.find(id)).toBeUndefined();
});
