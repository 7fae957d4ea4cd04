import { PasswordChangeRequest, ProfileChange, User } from '@gatehouse/contract';
import { sessionBehind } from '../../http/caller.ts';
import { signedIn } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { changePassword } from './change-password.ts';
import { findMe } from './me.ts';
import { updateOwnProfile } from './update-profile.ts';

export const users: Feature = {
  name: 'Users',
  routes: [
    route({
      method: 'GET',
      path: '/users/me',
      access: [signedIn],
      summary: 'Your own record, with your memberships',
      responses: { 200: User },
      handler: ({ deps, caller }) => findMe(deps, sessionBehind(caller).user_id),
    }),
    route({
      method: 'PATCH',
      path: '/users/me',
      access: [signedIn],
      summary: 'Change your name or language',
      description: 'A field that is left out stays as it is; null clears it, and so does a blank name.',
      body: ProfileChange,
      responses: { 200: User },
      handler: ({ deps, caller, body }) => updateOwnProfile(deps, caller, sessionBehind(caller), body),
    }),
    route({
      method: 'POST',
      path: '/users/me/password',
      access: [signedIn],
      summary: 'Change your password, or set a first one',
      description:
        'Ends every other session and forgets every trusted browser. An account without a password sends no `current_password`; it needs a sign-in or a second factor of the last 15 minutes.',
      body: PasswordChangeRequest,
      responses: { 204: null },
      errors: ['mfa_required', 'rate_limited'],
      handler: async ({ deps, caller, body, reply }) => {
        await changePassword(deps, caller, sessionBehind(caller), body);
        return reply.code(204).send();
      },
    }),
  ],
};
