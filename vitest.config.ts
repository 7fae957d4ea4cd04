import { defineConfig } from 'vitest/config';
import { PATIENCE, TEST_TIMEOUT } from './packages/server/test/patience.ts';
import { findSystemPostgres } from './packages/server/test/system-postgres.ts';
import { CountReporter } from './scripts/count-reporter.mjs';

const shared = {
  globalSetup: ['packages/server/test/postgres.ts'],
  testTimeout: TEST_TIMEOUT,
  hookTimeout: TEST_TIMEOUT,
  expect: { poll: { timeout: PATIENCE } },
  // Our modules hold no state of their own, so the files of a worker share what they have loaded.
  isolate: false,
};

/**
 * Where the machine has a PostgreSQL of its own, the tests run there once more that take to it, between them, every statement
 * there is. What is new runs there until somebody says that its statements run in the tests beside it.
 */
const onSystem = {
  include: [
    'packages/server/src/**/*.test.ts',
    // Of the races the one whose outcome hangs most on how the server locks; all of them run on the embedded one.
    'packages/server/test/race/audit.test.ts',
    // Locks, and dumps of an older version than the embedded one.
    'packages/server/test/upgrade/*.test.ts',
    'packages/server/test/system/*.test.ts',
  ],
  exclude: [
    '**/platform/db/embedded/**',
    '**/platform/{argon2,config,crypto,mail,metrics,workers}/**',
    '**/platform/{bounded,log,log-output,outbound}.test.ts',
    '**/features/{reference,web,dev-mail,discovery,health}/**',
    '**/{http,openapi}/**',
    '**/{picture,totp,recovery-codes,user-agent,*-refusals}.test.ts',
    // Between us and a third party, before anything is asked of the database.
    '**/features/oauth/{callback,flow,form-post,hostile,options,providers,redirect,start,tenants}.test.ts',
    '**/features/integrations/{access,secrecy,test-provider}.test.ts',
    '**/domain/providers/{apple-secret,key-sets,resolve}.test.ts',
    // Files, hashes and limits; their statements run in the tests beside them.
    '**/cli/{*,commands/*,support/*}.test.ts',
    '**/domain/{users/{initial-owner,platform-role},credentials/passwords}.test.ts',
    '**/domain/credentials/hashes/{decoys,read-hash}.test.ts',
    '**/domain/foreign-users/{formats,hostile,services}.test.ts',
    '**/domain/mail/{transport,worker,templates/render}.test.ts',
    '**/domain/transfer/{check-files,lines,refusals,resume,tables}.test.ts',
    '**/domain/{sessions/access-token,signing-keys/lost-secret,one-time/answer-by-mail,access/administer,providers/states}.test.ts',
    '**/features/audit/{export-clients,list-compared,verify}.test.ts',
    '**/features/email-otp/{attempts,request,verify}.test.ts',
    '**/features/email-verification/{abuse,change}.test.ts',
    '**/features/feature-flags/{hostile-keys,value-rules}.test.ts',
    '**/features/integrations/list.test.ts',
    '**/features/invitations/{accept,accept-unverified,join-by-mail,limits,resend-revoke}.test.ts',
    '**/features/members/remove.test.ts',
    '**/features/mfa/{ceiling,challenge,enrol,takeover,verify}.test.ts',
    '**/features/oauth/{limit,link,meanwhile,registration,second-factor,sign-in,takeover}.test.ts',
    '**/features/organizations/create.test.ts',
    '**/features/passkeys/{begin-login,challenge,login,registration}.test.ts',
    '**/features/password/{forgot,login,reset}.test.ts',
    '**/features/{register/register,trusted-browsers/sign-in}.test.ts',
    '**/features/users/{change-password,change-password-races,change-platform-role,delete,first-password,me,sign-out}.test.ts',
  ],
};

export default defineConfig({
  test: {
    // Two more than the cores of a small machine: much of the time a test waits for a database or for a process of its own.
    maxWorkers: 4,
    reporters: ['default', new CountReporter()],
    projects: [
      {
        test: {
          ...shared,
          name: 'embedded',
          globalSetup: [...shared.globalSetup, 'packages/web/test/chromium.ts'],
          include: [
            'packages/*/{src,test}/**/*.test.ts',
            'examples/test/*.test.ts',
            'scripts/*.test.ts',
            'bench/**/*.test.ts',
            'trust/**/*.test.ts',
          ],
          // What takes long or is timed: `npm run attack`, `faults`, `fuzz`. What needs the programs of a PostgreSQL server.
          exclude: ['**/node_modules/**', 'trust/**/*.full.test.ts', 'packages/server/test/system/**'],
        },
      },
      ...(findSystemPostgres() ? [{ test: { ...shared, name: 'system', ...onSystem } }] : []),
    ],
  },
});
