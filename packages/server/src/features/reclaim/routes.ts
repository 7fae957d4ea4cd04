import { sessionBehind } from '../../http/caller.ts';
import { recentEmailCode, signedIn } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { reclaim } from './reclaim.ts';

export const reclaiming: Feature = {
  name: 'Mailbox ownership',
  routes: [
    route({
      method: 'POST',
      path: '/auth/reclaim',
      access: [signedIn, recentEmailCode],
      summary: 'Remove what others may have added to your account',
      description:
        'For a session that began with an emailed code in the last 15 minutes. While the email is not verified: verifies it and removes password, passkeys, identities, second factor, trusted browsers, every other session, and voids pending links, codes and ceremonies. Otherwise nothing changes.',
      responses: { 204: null },
      errors: ['forbidden'],
      handler: async ({ deps, caller, reply }) => {
        await reclaim(deps, caller, sessionBehind(caller));
        return reply.code(204).send();
      },
    }),
  ],
};
