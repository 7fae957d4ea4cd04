import type { Guard } from './guard.ts';

/** Guards of docs/reference/mfa.md#step-up. */
export const ASSURANCE: readonly Guard[] = [
  {
    name: 'fresh authentication for a platform role, in the transaction',
    file: 'features/users/change-platform-role.ts',
    find: '    requireFreshAuth(deps, current.session, current.owner);\n',
    put: '',
    tests: ['features/users/change-platform-role.test.ts'],
  },
  {
    name: 'fresh authentication for a platform role, before the body',
    file: 'features/users/routes.ts',
    find: "access: [platform('owner'), freshAuth]",
    put: "access: [platform('owner')]",
    tests: ['features/users/change-platform-role.test.ts'],
  },
  {
    name: 'fresh authentication for a trusted browser',
    file: 'features/trusted-browsers/trust.ts',
    find: '    requireFreshAuth(deps, current.session, current.owner);\n',
    put: '',
    tests: ['features/trusted-browsers/trust.test.ts'],
  },
  {
    name: 'a second factor for a password change, in the transaction',
    file: 'features/users/change-password.ts',
    find: '    requireSecondFactor(current.session, current.owner);\n',
    put: '',
    tests: ['features/mfa/takeover.test.ts'],
  },
  {
    name: 'a second factor before the password is verified, at a password change',
    file: 'features/users/routes.ts',
    find: 'access: [secondFactorGiven(FRESH_AUTH_WINDOW)]',
    put: 'access: []',
    tests: ['features/mfa/takeover.test.ts'],
  },
  {
    name: 'a second factor for an email change',
    file: 'features/email-verification/change.ts',
    find: '    requireSecondFactor(current.session, current.owner);\n',
    put: '',
    tests: ['features/mfa/takeover.test.ts'],
  },
  {
    name: 'signing out everywhere revokes trusted browsers',
    file: 'features/sessions/revoke.ts',
    find: '    if (including) await forgetBrowsers(tx, caller, user_id, now);\n',
    put: '',
    tests: ['features/sessions/sessions.test.ts'],
  },
  {
    name: 'an MFA reset lowers sessions to aal1',
    file: 'domain/sessions/queries.ts',
    find: "update sessions s set aal = 'aal1', mfa_verified_at = null,",
    put: 'update sessions s set mfa_verified_at = null,',
    tests: ['features/mfa/manage.test.ts'],
  },
  {
    name: 'the last credential of an account cannot be removed',
    file: 'domain/endings/remove-credential.ts',
    find: '  if (wasUsable && !(await hasCredential(tx, user_id, relyingParty))) throw lastCredential();\n',
    put: '',
    tests: ['features/passkeys/manage.test.ts', 'features/social/identities.test.ts'],
  },
  {
    name: 'a passkey of another relying party id is no method',
    file: 'domain/kernel/statements.ts',
    find: 'rpIdOfPasskey(relyingParty)} = ',
    put: "rpIdOfPasskey(relyingParty)} is distinct from '' or '' = ",
    tests: ['features/passkeys/relying-party.test.ts'],
  },
  {
    name: 'no new account for a third-party sign-in to a named organization',
    file: 'features/social/sign-in.ts',
    find: "  if (organization_id !== undefined) throw new Failed('account_refused');\n",
    put: '',
    tests: ['features/social/sign-in.test.ts'],
  },
];
