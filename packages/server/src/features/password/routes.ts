import {
  AddressRequest,
  LoginRequest,
  LoginResponse,
  PasswordResetPreview,
  PasswordResetPreviewRequest,
  PasswordResetRequest,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { requireAttemptsLeft } from '../../domain/limits/failed-attempts.ts';
import { mergePasswordCounts } from '../../domain/passwords/hashes/queries.ts';
import { platform } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendSignedIn, trustHashOf } from '../../http/sign-in.ts';
import { forgotPassword } from './forgot.ts';
import { login } from './login.ts';
import { previewReset, resetPassword } from './reset.ts';
import { sendReset } from './send-reset.ts';

export const password: Feature = {
  name: 'Passwords',
  sweeps: [{ name: 'password counts', sweep: mergePasswordCounts }],
  routes: [
    route({
      id: 'signInWithPassword',
      method: 'POST',
      path: '/auth/login',
      admits: ['anyone'],
      summary: 'Sign in with email and password',
      description: 'Returns `mfa_required` if the user has a second factor: continue at `/auth/mfa/challenge`.',
      body: LoginRequest,
      responses: { 200: LoginResponse },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'forbidden', 'rate_limited'],
      handler: async ({ deps, caller, body, request, reply }) =>
        sendSignedIn(reply, deps, await login(deps, caller, { ...body, trust_hash: trustHashOf(request) })),
      onInvalid: ({ deps, caller, request }) => requireAttemptsLeft(deps, caller, trustHashOf(request)),
    }),
    route({
      id: 'requestPasswordReset',
      method: 'POST',
      path: '/auth/password/forgot',
      admits: ['anyone'],
      summary: 'Request a password reset link',
      description: 'Always returns 204, whether or not the account exists. A new link invalidates the previous one.',
      bodyKind: 'any',
      body: AddressRequest,
      responses: { 204: null },
      handler: async ({ deps, caller, body }) => {
        await forgotPassword(deps, caller, body);
      },
    }),
    route({
      id: 'previewPasswordReset',
      method: 'POST',
      path: '/auth/password/reset/preview',
      admits: ['anyone'],
      summary: 'Get the email address that a password reset token belongs to',
      description:
        'Does not consume the token. Pages use it to check a link before they show the form, and to give the email address to password managers.',
      body: PasswordResetPreviewRequest,
      responses: { 200: PasswordResetPreview },
      errors: ['authentication_required', 'not_found', 'rate_limited'],
      handler: ({ deps, caller, body, request }) =>
        previewReset(deps, caller, { ...body, trust_hash: trustHashOf(request) }),
      onInvalid: ({ deps, caller, request }) => requireAttemptsLeft(deps, caller, trustHashOf(request)),
    }),
    route({
      id: 'resetPassword',
      method: 'POST',
      path: '/auth/password/reset',
      admits: ['anyone'],
      summary: 'Reset the password with a mailed token',
      description:
        'Ends every session and revokes every trusted browser of the user. Marks the email as verified; if it was not verified before, passkeys and identities are removed, and with `disown` the second factor too.',
      body: PasswordResetRequest,
      responses: { 204: null },
      errors: ['authentication_required', 'not_found', 'rate_limited'],
      handler: async ({ deps, caller, body, request }) => {
        await resetPassword(deps, caller, { ...body, trust_hash: trustHashOf(request) });
      },
      onInvalid: ({ deps, caller, request }) => requireAttemptsLeft(deps, caller, trustHashOf(request)),
    }),
    route({
      id: 'sendPasswordReset',
      method: 'POST',
      path: '/admin/users/:id/send-reset',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Send a user a link to reset the password',
      description:
        'Replaces earlier links. Returns 403 for a user with a higher platform role than your own, 409 for a disabled user.',
      params: Type.Object({ id: Uuid }),
      responses: { 204: null },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, principal, params }) => {
        await sendReset(deps, caller, principal, params.id);
      },
    }),
  ],
};
