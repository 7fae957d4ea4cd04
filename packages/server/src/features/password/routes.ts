import { LoginRequest, LoginResponse } from '@gatehouse/contract';
import { open } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendSignedIn, trustTokenOf } from '../../http/sign-in.ts';
import { login } from './login.ts';

export const password: Feature = {
  name: 'Passwords',
  routes: [
    route({
      method: 'POST',
      path: '/auth/login',
      access: [open],
      summary: 'Sign in with email and password',
      description: 'Answers `mfa_required` when a second factor is on: go on at `/auth/mfa/challenge`.',
      body: LoginRequest,
      responses: { 200: LoginResponse },
      errors: ['authentication_required', 'forbidden', 'rate_limited'],
      handler: async ({ deps, caller, body, request, reply }) =>
        sendSignedIn(reply, deps, await login(deps, caller, { ...body, trust_token: trustTokenOf(request) })),
    }),
  ],
};
