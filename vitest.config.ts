import { defineConfig } from 'vitest/config';
import { findSystemPostgres } from './packages/server/test/postgres.ts';
import { CountReporter } from './scripts/count-reporter.mjs';

const shared = {
  globalSetup: ['packages/server/test/postgres.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Our modules hold no state of their own, so the files of a worker share what they have loaded.
  isolate: false,
};

/** What leans on PostgreSQL itself runs once more on the machine's own server, where it has one. */
const onSystem = ['packages/server/src/platform/{bus,db,limiter}/*.test.ts', 'packages/server/test/race/*.test.ts'];

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', new CountReporter()],
    projects: [
      { test: { ...shared, name: 'embedded', include: ['packages/*/{src,test}/**/*.test.ts', 'scripts/*.test.ts'] } },
      ...(findSystemPostgres() ? [{ test: { ...shared, name: 'system', include: onSystem } }] : []),
    ],
  },
});
