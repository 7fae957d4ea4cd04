import { defineConfig } from 'vitest/config';
import { findSystemPostgres } from './packages/server/test/system-postgres.ts';
import { TEST_TIMEOUT_MS, TIMEOUT_MS } from './packages/server/test/timeouts.ts';
import { CountReporter } from './scripts/count-reporter.mjs';
import { LongFilesFirst } from './scripts/long-files-first.ts';

const shared = {
  globalSetup: ['packages/server/test/postgres.ts'],
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  expect: { poll: { timeout: TIMEOUT_MS } },
  // Our modules hold no state of their own, so the files of a worker share what they have loaded.
  isolate: false,
};

/** Also on an installed PostgreSQL, usually an older version: tests that depend on the server version. */
const onSystem = {
  include: [
    // Parse every statement that the other tests sent; execute those of background tasks and of sign-in.
    'packages/server/test/system/*.test.ts',
    'packages/server/test/{sweeps,plans}.test.ts',
    // Create, lock, change and dump tables, indexes and partitions.
    'packages/migrate/src/*.test.ts',
    'packages/server/src/platform/db/{,migrations/}*.test.ts',
    'packages/server/test/upgrade/{release,beside}.test.ts',
    'packages/server/src/domain/export/move.test.ts',
    // LISTEN and NOTIFY, row locks, `skip locked`, transaction ids, advisory locks, counters under contention.
    'packages/server/src/platform/{bus,limiter,queue}/*.test.ts',
    'packages/server/src/platform/sweeper.test.ts',
    'packages/server/src/domain/sessions/feed/feed.test.ts',
    'packages/server/src/domain/audit/**/*.test.ts',
    'packages/server/test/race/audit.test.ts',
    // Queries on the server's own state, and the export, which reads with a cursor.
    '**/doctor/queries.test.ts',
    'packages/server/src/features/audit/export.test.ts',
  ],
  // After the tests on the embedded PostgreSQL, which record their statements.
  sequence: { groupOrder: 1 },
  // Each worker loads the service again, which takes longer than most of these few files.
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    // One more than the cores of a small machine: tests often wait for the database or for a process they started. Each
    // worker loads the service and compiles its schemas, which takes ten seconds.
    maxWorkers: 3,
    sequence: { sequencer: LongFilesFirst },
    reporters: ['default', new CountReporter()],
    projects: [
      {
        test: {
          ...shared,
          name: 'embedded',
          setupFiles: ['packages/server/test/statements.ts'],
          globalSetup: [...shared.globalSetup, 'packages/web/test/chromium.ts'],
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'examples/test/*.test.ts',
            'scripts/*.test.ts',
            'bench/**/*.test.ts',
            'trust/**/*.test.ts',
          ],
          // Long or timed tests: `npm run attack`, `faults`, `fuzz`. Tests that need a PostgreSQL server's programs.
          exclude: ['**/node_modules/**', 'trust/**/*.full.test.ts', 'packages/server/test/system/**'],
        },
      },
      ...(findSystemPostgres() ? [{ test: { ...shared, name: 'system', ...onSystem } }] : []),
    ],
  },
});
