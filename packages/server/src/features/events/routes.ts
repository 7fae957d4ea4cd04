import { EventPage, EventQuery, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { organizationOf } from '../../domain/kernel/principal.ts';
import { permitted, platform } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { listEvents } from './list.ts';

const STREAM =
  'Pages follow one fixed order, without gaps or repetitions: pass `next` as `after`, also after an empty page. An event appears when every earlier transaction has ended. After an import or a restore, older cursors are rejected with 400: start again without `after`. With `types`, a page may be empty although more events follow.';

export const events: Feature = {
  name: 'Events',
  routes: [
    route({
      id: 'listEvents',
      method: 'GET',
      path: '/orgs/:org_id/events',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('audit.read')],
      summary: 'Read the events of the organization in order',
      description: `The events that webhooks of the organization receive. ${STREAM}`,
      params: Type.Object({ org_id: Uuid }),
      query: EventQuery,
      responses: { 200: EventPage },
      handler: ({ deps, principal, query }) => listEvents(deps, query, organizationOf(principal)),
    }),
    route({
      id: 'listPlatformEvents',
      method: 'GET',
      path: '/admin/events',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'Read the events of all organizations in order',
      description: STREAM,
      query: EventQuery,
      responses: { 200: EventPage },
      handler: ({ deps, query }) => listEvents(deps, query, undefined),
    }),
  ],
};
