import { expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { MIGRATIONS } from '../../platform/db/migrations/list.ts';
import { whileNotImporting } from '../support/unfinished-import.ts';

it('replicas that start at the same time, each with the lock that blocks imports, build an index once', async () => {
  const database = await createTestDatabase();
  const index = { version: 1000, name: 'quicker', indexes: [{ name: 'quicker_idx', on: 'milestones (reached_at)' }] };
  const start = () =>
    whileNotImporting(database, () => migrate(database.address, new Date(), undefined, [...MIGRATIONS, index]));
  const runs = await Promise.all([start(), start(), start()]);
  expect(runs.flat()).toHaveLength(1);
  await database.close();
});
