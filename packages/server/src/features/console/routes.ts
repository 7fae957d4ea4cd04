import { Overview, OverviewQuery, SetupState } from '@gatehouse/contract';
import { platform, signedIn } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { findOverview } from './overview.ts';
import { findSetup } from './setup.ts';

export const consoleFeature: Feature = {
  name: 'Console',
  routes: [
    route({
      method: 'GET',
      path: '/admin/overview',
      access: [signedIn, platform('viewer')],
      summary: 'How the service is doing',
      description: 'How much there is of everything, and sign-ins over time, also at millions of users.',
      query: OverviewQuery,
      responses: { 200: Overview },
      handler: ({ deps, query }) => findOverview(deps, query),
    }),
    route({
      method: 'GET',
      path: '/auth/setup',
      access: [signedIn],
      summary: 'Whether the platform has an owner yet',
      responses: { 200: SetupState },
      handler: ({ deps }) => findSetup(deps),
    }),
  ],
};
