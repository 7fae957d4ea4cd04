import { Overview, OverviewQuery, SetupState } from '@gatehouse/contract';
import { platform } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { findOverview } from './overview.ts';
import { findSetup } from './setup.ts';

/** docs/reference/operations.md#console */
export const consoleFeature: Feature = {
  name: 'Console',
  routes: [
    route({
      id: 'getOverview',
      method: 'GET',
      path: '/admin/overview',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'Get an overview of the service',
      description: 'Counts of users, organizations, sessions and mails, and sign-ins over time.',
      query: OverviewQuery,
      responses: { 200: Overview },
      handler: ({ deps, query }) => findOverview(deps, query),
    }),
    route({
      id: 'getSetupState',
      method: 'GET',
      path: '/auth/setup',
      admits: ['session'],
      summary: 'Get whether the platform has an owner',
      responses: { 200: SetupState },
      handler: ({ deps }) => findSetup(deps),
    }),
  ],
};
