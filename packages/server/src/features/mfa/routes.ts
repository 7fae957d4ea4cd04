import {
  LoginSuccess,
  MfaChallengeRequest,
  MfaEnabled,
  MfaEnableRequest,
  MfaSetup,
  MfaStatus,
  MfaVerified,
  MfaVerifyRequest,
  PasswordConfirmation,
  RecoveryCodes,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { deleteOldMfaTokens } from '../../domain/mfa/queries.ts';
import { freshAuth, platform, secondFactorGiven } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendSignedIn, sendVerified } from '../../http/sign-in.ts';
import { challenge } from './challenge.ts';
import { disable } from './disable.ts';
import { enable } from './enable.ts';
import { regenerate } from './regenerate.ts';
import { reset } from './reset.ts';
import { setUp } from './setup.ts';
import { mfaStatus } from './status.ts';
import { verify } from './verify.ts';

const FIVE_IN_A_ROW = 'Five consecutive wrong attempts lock this check for 15 minutes.';

/** docs/reference/mfa.md#endpoints */
export const mfa: Feature = {
  name: 'Second factor',
  sweeps: [{ name: 'mfa tokens', sweep: deleteOldMfaTokens }],
  routes: [
    route({
      id: 'getMfaStatus',
      method: 'GET',
      path: '/auth/mfa/status',
      admits: ['session', 'restricted'],
      summary: 'Get the MFA status and the number of remaining recovery codes',
      responses: { 200: MfaStatus },
      handler: ({ deps, session }) => mfaStatus(deps, session),
    }),
    route({
      id: 'setUpMfa',
      method: 'POST',
      path: '/auth/mfa/setup',
      admits: ['session', 'restricted'],
      access: [freshAuth],
      summary: 'Start setting up an authenticator app',
      description: 'MFA stays off until a code of the app is sent to `/auth/mfa/enable`, within ten minutes.',
      responses: { 200: MfaSetup },
      errors: ['conflict'],
      handler: ({ deps, session }) => setUp(deps, session),
    }),
    route({
      id: 'enableMfa',
      method: 'POST',
      path: '/auth/mfa/enable',
      admits: ['session', 'restricted'],
      summary: 'Enable MFA with the first code of the app',
      description: `Returns the recovery codes, which are shown only once. Revokes all trusted browsers. ${FIVE_IN_A_ROW}`,
      body: MfaEnableRequest,
      responses: { 200: MfaEnabled },
      sends: ['Set-Cookie'],
      errors: ['conflict', 'rate_limited'],
      handler: async ({ deps, caller, session, body, request, reply }) => {
        const enabled = await enable(deps, caller, session, body);
        return { recovery_codes: enabled.recovery_codes, ...sendVerified(reply, request, deps, enabled) };
      },
    }),
    route({
      id: 'disableMfa',
      method: 'POST',
      path: '/auth/mfa/disable',
      admits: ['session', 'restricted'],
      access: [secondFactorGiven()],
      summary: 'Disable MFA',
      description: `Requires the password. Removes recovery codes and trusted browsers. ${FIVE_IN_A_ROW}`,
      body: PasswordConfirmation,
      responses: { 204: null },
      errors: ['rate_limited', 'mfa_required'],
      handler: async ({ deps, caller, session, body }) => {
        await disable(deps, caller, session, body);
      },
    }),
    route({
      id: 'createRecoveryCodes',
      method: 'POST',
      path: '/auth/mfa/recovery-codes',
      admits: ['session', 'restricted'],
      access: [secondFactorGiven()],
      summary: 'Generate new recovery codes',
      description: `Requires the password. The old codes become invalid. ${FIVE_IN_A_ROW}`,
      body: PasswordConfirmation,
      responses: { 200: RecoveryCodes },
      errors: ['conflict', 'mfa_required', 'rate_limited'],
      handler: async ({ deps, caller, session, body }) => ({
        recovery_codes: await regenerate(deps, caller, session, body),
      }),
    }),
    route({
      id: 'verifyMfa',
      method: 'POST',
      path: '/auth/mfa/verify',
      admits: ['session', 'sso', 'restricted'],
      summary: 'Verify the second factor again (step-up)',
      description: `For endpoints that require a recent second factor. The session becomes \`aal2\`. ${FIVE_IN_A_ROW}`,
      body: MfaVerifyRequest,
      bodyNeeded: true,
      responses: { 200: MfaVerified },
      sends: ['Set-Cookie'],
      errors: ['conflict', 'rate_limited'],
      handler: async ({ deps, caller, session, body, request, reply }) =>
        sendVerified(reply, request, deps, await verify(deps, caller, session, body)),
    }),
    route({
      id: 'completeMfaChallenge',
      method: 'POST',
      path: '/auth/mfa/challenge',
      admits: ['anyone'],
      summary: 'Complete a sign-in with the second factor',
      description: 'Each `mfa_token` allows five attempts; then sign in again. A code can be used once.',
      body: MfaChallengeRequest,
      responses: { 200: LoginSuccess },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'forbidden', 'rate_limited'],
      handler: async ({ deps, caller, body, reply }) => sendSignedIn(reply, deps, await challenge(deps, caller, body)),
    }),
    route({
      id: 'resetUserMfa',
      method: 'POST',
      path: '/admin/users/:id/mfa/reset',
      admits: ['session'],
      access: [platform('admin')],
      summary: "Reset a user's MFA",
      description:
        'For a user who has lost the authenticator app and the recovery codes. Sends the user a notice by mail.',
      params: Type.Object({ id: Uuid }),
      responses: { 204: null },
      errors: ['not_found', 'mfa_required'],
      handler: async ({ deps, caller, principal, params }) => {
        await reset(deps, caller, principal, params.id);
      },
    }),
  ],
};
