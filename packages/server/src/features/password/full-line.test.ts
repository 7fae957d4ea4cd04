import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { createBrowser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { tooMany } from '../../domain/kernel/service-error.ts';

const app = useTestApp();

it('a sign-in is rejected before any query if the hash queue is full, and nothing is written', async () => {
  const requireRoom = vi.spyOn(app.deps.passwords, 'requireRoom').mockImplementation(() => {
    throw tooMany(1);
  });
  const query = vi.spyOn(app.deps.db, 'getExecutor');
  const answer = await createBrowser(app).post('/auth/login', { email: 'a@example.com', password: 'correct horse' });
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1']);
  expect(requireRoom).toHaveBeenCalledOnce();
  expect(query).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  const { rows } = await sql<{ count: number }>`select count(*) as count from rate_counters`.execute(app.deps.db);
  expect(rows[0]!.count).toBe(0);
});
