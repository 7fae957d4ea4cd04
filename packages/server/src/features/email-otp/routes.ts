import { AddressRequest, EmailCodeVerifyRequest, LoginResponse } from '@gatehouse/contract';
import { badCredentials } from '../../domain/kernel/service-error.ts';
import { requireAttemptsLeft } from '../../domain/limits/failed-attempts.ts';
import { deleteExpiredOneTimeTokens } from '../../domain/one-time/queries.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendSignedIn, trustHashOf } from '../../http/sign-in.ts';
import { requestCode } from './request.ts';
import { verifyCode } from './verify.ts';

export const emailOtp: Feature = {
  name: 'Emailed codes',
  sweeps: [{ name: 'one-time tokens', sweep: deleteExpiredOneTimeTokens }],
  routes: [
    route({
      id: 'requestEmailCode',
      method: 'POST',
      path: '/auth/email-otp/request',
      admits: ['anyone'],
      summary: 'Request a sign-in code by mail',
      description: 'Always returns 204, whether or not the account exists. A new code invalidates the previous one.',
      bodyKind: 'any',
      body: AddressRequest,
      responses: { 204: null },
      handler: async ({ deps, caller, body }) => {
        await requestCode(deps, caller, body);
      },
    }),
    route({
      id: 'signInWithEmailCode',
      method: 'POST',
      path: '/auth/email-otp/verify',
      admits: ['anyone'],
      summary: 'Sign in with an emailed code',
      description:
        'Each code allows five attempts. Returns `mfa_required` if the user has a second factor: continue at `/auth/mfa/challenge`.',
      body: EmailCodeVerifyRequest,
      responses: { 200: LoginResponse },
      sends: ['Set-Cookie'],
      errors: ['authentication_required', 'forbidden'],
      handler: async ({ deps, caller, body, request, reply }) =>
        sendSignedIn(reply, deps, await verifyCode(deps, caller, { ...body, trust_hash: trustHashOf(request) })),
      onInvalid: ({ deps, caller, request }) => requireAttemptsLeft(deps, caller, trustHashOf(request), badCredentials),
    }),
  ],
};
