import { recentEmailCode } from '../../../http/guards.ts';
import { type Feature, route } from '../../../http/route.ts';
import { reclaim } from './reclaim.ts';

export const reclaiming: Feature = {
  name: 'Mailbox ownership',
  routes: [
    route({
      id: 'reclaimAccount',
      method: 'POST',
      path: '/auth/reclaim',
      admits: ['session'],
      access: [recentEmailCode],
      summary: 'Remove credentials that others may have added to your account',
      description:
        'For a session that began with an emailed code within the last 15 minutes. If the email is not verified: verifies it, removes the password, passkeys, identities, second factor, trusted browsers and every other session, invalidates pending links, codes and passkey ceremonies, and resets the policies of organizations in which you are the owner and the only member. Otherwise nothing changes.',
      responses: { 204: null },
      errors: ['forbidden'],
      handler: async ({ deps, caller, session }) => {
        await reclaim(deps, caller, session);
      },
    }),
  ],
};
