import {
  LoginSuccess,
  Passkey,
  PasskeyList,
  PasskeyLoginBeginRequest,
  PasskeyLoginRequest,
  PasskeyOptions,
  PasskeyRegisterRequest,
  PasskeyRenameRequest,
  RelatedOrigins,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { badCredentials, ServiceError } from '../../domain/kernel/service-error.ts';
import { requireAttemptsLeft } from '../../domain/limits/failed-attempts.ts';
import { deleteOldChallenges, deleteOldPasskeys } from '../../domain/passkeys/queries.ts';
import { freshAuth } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendSignedIn, trustHashOf } from '../../http/sign-in.ts';
import { beginLogin } from './begin-login.ts';
import { beginRegistration } from './begin-registration.ts';
import { completeLogin, discardChallenge } from './complete-login.ts';
import { completeRegistration } from './complete-registration.ts';
import { listOwnPasskeys } from './list.ts';
import { removePasskey } from './remove.ts';
import { renamePasskey } from './rename.ts';

export const passkeys: Feature = {
  name: 'Passkeys',
  sweeps: [
    { name: 'passkey challenges', sweep: deleteOldChallenges },
    { name: 'passkeys', sweep: deleteOldPasskeys },
  ],
  routes: [
    route({
      id: 'getPasskeyOrigins',
      method: 'GET',
      path: '/.well-known/webauthn',
      atBase: true,
      admits: ['anyone'],
      summary: 'Other origins whose pages may use the passkeys of this host',
      description: 'Browsers read it at the domain that the passkeys belong to.',
      responses: { 200: RelatedOrigins },
      errors: ['not_found'],
      handler: ({ deps }) => {
        const origins = [...deps.config.PASSKEY_ORIGINS];
        if (origins.length === 0) throw new ServiceError('not_found', 'there are no related origins');
        return { origins };
      },
    }),
    route({
      id: 'beginPasskeyRegistration',
      method: 'POST',
      path: '/users/me/passkeys/register/begin',
      admits: ['session', 'restricted'],
      access: [freshAuth],
      summary: 'Start adding a passkey',
      description:
        'Requires a sign-in or a second factor within the last 15 minutes and, with MFA enabled, a session that has verified the second factor.',
      responses: { 200: PasskeyOptions },
      errors: ['conflict'],
      handler: ({ deps, session }) => beginRegistration(deps, session),
    }),
    route({
      id: 'completePasskeyRegistration',
      method: 'POST',
      path: '/users/me/passkeys/register/complete',
      admits: ['session', 'restricted'],
      access: [freshAuth],
      summary: 'Add the passkey that the browser created',
      description: 'Must be called within five minutes of the start, and only once. Sends a notice by mail.',
      body: PasskeyRegisterRequest,
      responses: { 201: Passkey },
      errors: ['conflict'],
      handler: async ({ deps, caller, session, body }) => {
        return completeRegistration(deps, caller, session, body);
      },
    }),
    route({
      id: 'listPasskeys',
      method: 'GET',
      path: '/users/me/passkeys',
      admits: ['session'],
      summary: 'List your passkeys',
      responses: { 200: PasskeyList },
      handler: ({ deps, session }) => listOwnPasskeys(deps, session),
    }),
    route({
      id: 'renamePasskey',
      method: 'PATCH',
      path: '/users/me/passkeys/:id',
      admits: ['session'],
      summary: 'Rename one of your passkeys',
      params: Type.Object({ id: Uuid }),
      body: PasskeyRenameRequest,
      responses: { 200: Passkey },
      errors: ['not_found'],
      handler: ({ deps, caller, session, params, body: { name } }) =>
        renamePasskey(deps, caller, session, { id: params.id, name }),
    }),
    route({
      id: 'removePasskey',
      method: 'DELETE',
      path: '/users/me/passkeys/:id',
      admits: ['session'],
      summary: 'Remove one of your passkeys',
      description: 'The last usable passkey cannot be removed if you have neither a password nor a linked identity.',
      params: Type.Object({ id: Uuid }),
      responses: { 204: null },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, session, params }) => {
        await removePasskey(deps, caller, session, params.id);
      },
    }),
    route({
      id: 'beginPasskeySignIn',
      method: 'POST',
      path: '/auth/passkey/login/begin',
      admits: ['anyone'],
      summary: 'Start signing in with a passkey',
      description:
        'The response does not reveal whether the account exists. Without `email`, the browser offers its passkeys for this site.',
      body: PasskeyLoginBeginRequest,
      responses: { 200: PasskeyOptions },
      handler: ({ deps, body }) => beginLogin(deps, body),
    }),
    route({
      id: 'signInWithPasskey',
      method: 'POST',
      path: '/auth/passkey/login/complete',
      admits: ['anyone'],
      summary: 'Sign in with a passkey',
      description: 'Must be called within five minutes of the start, and only once. A passkey counts as both factors.',
      body: PasskeyLoginRequest,
      responses: { 200: LoginSuccess },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'forbidden'],
      handler: async ({ deps, caller, body, request, reply }) =>
        sendSignedIn(reply, deps, await completeLogin(deps, caller, { ...body, trust_hash: trustHashOf(request) })),
      onInvalid: async ({ deps, caller, body, request }) => {
        await discardChallenge(deps, body);
        await requireAttemptsLeft(deps, caller, trustHashOf(request), badCredentials);
      },
    }),
  ],
};
