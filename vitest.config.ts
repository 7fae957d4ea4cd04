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
  include: [
    'packages/server/src/**/*.test.ts',
    // Of the races those whose outcome hangs most on how the server locks; all of them run on the embedded one.
    'packages/server/test/race/{audit,sessions}.test.ts',
  ],
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
    // Files, hashes and limits; their statements run in the tests beside them.
    '**/cli/**',
    '**/domain/accounts/{initial-owner,passwords}.test.ts',
    '**/domain/accounts/hashes/{decoys,read-hash}.test.ts',
    '**/domain/foreign-users/{formats,hostile,services}.test.ts',
    '**/domain/transfer/{lines,refusals,resume}.test.ts',
    '**/domain/{sessions/access-token,signing-keys/lost-secret,one-time/answer-by-mail,access/administer}.test.ts',
    '**/features/audit/export-clients.test.ts',
    '**/features/{mfa/ceiling,mfa/takeover,mfa/verify,password/reset,trusted-browsers/sign-in}.test.ts',
    '**/features/{users/change-password,users/change-password-races,email-otp/attempts,email-verification/abuse,email-verification/change}.test.ts',
    '**/features/{invitations/limits,oauth/registration,oauth/takeover,feature-flags/hostile-keys,feature-flags/value-rules}.test.ts',
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
