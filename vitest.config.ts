import { defineConfig } from 'vitest/config';
import { findSystemPostgres } from './packages/server/test/system-postgres.ts';
import { CountReporter } from './scripts/count-reporter.mjs';

const shared = {
  globalSetup: ['packages/server/test/postgres.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Our modules hold no state of their own, so the files of a worker share what they have loaded.
  isolate: false,
};

/** Where the machine has a PostgreSQL of its own, all whose statements could meet another version runs there once more. */
const onSystem = {
  include: ['packages/server/src/**/*.test.ts', 'packages/server/test/race/*.test.ts'],
  exclude: [
    '**/platform/db/embedded/**',
    '**/platform/{config,crypto,mail}/**',
    '**/features/{reference,web,dev-mail,discovery,health}/**',
    '**/{http,openapi}/**',
    '**/{picture,totp,recovery-codes,user-agent,*-refusals}.test.ts',
    // Between us and a third party, before anything is asked of the database.
    '**/features/oauth/{callback,flow,form-post,hostile,options,providers,redirect,start,tenants}.test.ts',
    '**/features/integrations/{access,secrecy,test-provider}.test.ts',
    '**/domain/providers/{apple-secret,key-sets,resolve}.test.ts',
  ],
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ['default', new CountReporter()],
    projects: [
      { test: { ...shared, name: 'embedded', include: ['packages/*/{src,test}/**/*.test.ts', 'scripts/*.test.ts'] } },
      ...(findSystemPostgres() ? [{ test: { ...shared, name: 'system', ...onSystem } }] : []),
    ],
  },
});
