import { LoginSuccess, RegisterRequest } from '@gatehouse/contract';
import { limited, registrationOpen } from '../../http/guards.ts';
import { newAccountLocale } from '../../http/language.ts';
import { type Feature, route } from '../../http/route.ts';
import { sendSignedIn } from '../../http/sign-in.ts';
import { register } from './register.ts';

export const registration: Feature = {
  name: 'Registration',
  routes: [
    route({
      id: 'register',
      method: 'POST',
      path: '/auth/register',
      limit: limited('registration', (config) => config.LIMIT_REGISTRATION_PER_ADDRESS),
      admits: ['anyone'],
      access: [registrationOpen],
      summary: 'Create an organization and its owner, and sign in',
      description: 'Sends a verification mail. An omitted slug is derived from the name.',
      body: RegisterRequest,
      responses: { 201: LoginSuccess },
      sends: ['Set-Cookie'],
      errors: ['conflict', 'rate_limited'],
      handler: async ({ deps, caller, body, request, reply }) => {
        const locale = newAccountLocale(request, body.locale);
        const answer = await sendSignedIn(reply, deps, await register(deps, caller, { ...body, locale }));
        return answer;
      },
    }),
  ],
};
