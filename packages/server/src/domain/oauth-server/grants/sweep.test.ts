import { expect, it } from 'vitest';
import { insertApplicationRows } from '../../../../test/application-rows.ts';
import { insertSession, useTestApp } from '../../../../test/harness.ts';
import { after } from '../../../platform/clock.ts';
import { deleteExpiredGrants, deleteUnusedCodes } from './queries.ts';

const app = useTestApp();
const HOUR = 3_600;
const DAY = 24 * HOUR;
const MAX_AGE = 30 * DAY;

it('an unused code is deleted after a day; older grants when none of their tokens can be valid', async () => {
  const { db } = app.database;
  const now = app.deps.clock.now();
  const owner = await insertSession(app);
  const insert = async (age: number, { isUsed = false } = {}): Promise<string> => {
    const made = after(now, -age);
    const { application_id } = await insertApplicationRows(db, owner, { now: made, expires_at: after(now, DAY) });
    const code_used_at = isUsed ? made : null;
    const grant = db.updateTable('application_grants').set({ code_used_at });
    await grant.where('application_id', '=', application_id).execute();
    return application_id;
  };
  const young = await insert(DAY - 1);
  const used = await insert(DAY + 1, { isUsed: true });
  const missed = await insert(DAY + HOUR + 1);
  for (let code = 0; code < 3; code++) await insert(DAY + 1);
  const aged = await insert(MAX_AGE + DAY - 1, { isUsed: true });
  await insert(MAX_AGE + DAY + 1, { isUsed: true });
  await insert(MAX_AGE + DAY + 1);
  const left = async (): Promise<string[]> => {
    const rows = await db.selectFrom('application_grants').select('application_id').execute();
    return rows.map(({ application_id }) => application_id).sort();
  };

  expect(await deleteUnusedCodes(db, now, 2)).toBe(2);
  expect(await deleteUnusedCodes(db, now, 2)).toBe(1);
  expect(await deleteExpiredGrants(db, now, 10, MAX_AGE)).toBe(2);
  expect(await left()).toEqual([young, used, missed, aged].sort());
});
