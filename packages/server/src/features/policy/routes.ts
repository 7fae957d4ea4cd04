import { Policy, PolicyChange, PolicyPreview, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { freshAuth, permitted, platform, steppedUp } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { changePolicy } from './change.ts';
import { resetPolicy } from './reset.ts';
import { previewPolicy, showPolicy } from './show.ts';

const Own = Type.Object({ org_id: Uuid });
const One = Type.Object({ id: Uuid });

export const policy: Feature = {
  name: 'Policy',
  routes: [
    route({
      id: 'getOwnPolicy',
      method: 'GET',
      path: '/orgs/:org_id/policy',
      admits: ['session', 'sso'],
      access: [permitted('org.read')],
      summary: 'Get the policy of your organization',
      params: Own,
      responses: { 200: Policy },
      handler: ({ deps, session }) => showPolicy(deps, session.organization_id),
    }),
    route({
      id: 'setOwnPolicy',
      method: 'PUT',
      path: '/orgs/:org_id/policy',
      admits: ['session', 'sso'],
      access: [permitted('policy.manage'), freshAuth],
      summary: 'Replace the policy of your organization',
      description:
        'A field that is left out gets its default. Applies to sessions when they are opened, switched or refreshed; `allowed_networks` applies to the next request. Returns 400 if your own session would be rejected or restricted.',
      params: Own,
      body: PolicyChange,
      responses: { 200: Policy },
      errors: ['conflict'],
      handler: ({ deps, caller, session, body }) => changePolicy(deps, caller, session, body),
    }),
    route({
      id: 'previewOwnPolicy',
      method: 'POST',
      path: '/orgs/:org_id/policy/preview',
      admits: ['session', 'sso'],
      access: [permitted('policy.manage')],
      summary: 'Count the members that a policy would affect',
      description:
        'Changes nothing. The counts are based on the second factors and the current sessions of the members.',
      params: Own,
      body: PolicyChange,
      responses: { 200: PolicyPreview },
      handler: ({ deps, session, body }) => previewPolicy(deps, session.organization_id, body),
    }),
    route({
      id: 'getPolicy',
      method: 'GET',
      path: '/admin/orgs/:id/policy',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'Get the policy of an organization',
      params: One,
      responses: { 200: Policy },
      errors: ['not_found'],
      handler: ({ deps, params }) => showPolicy(deps, params.id),
    }),
    route({
      id: 'resetPolicy',
      method: 'DELETE',
      path: '/admin/orgs/:id/policy',
      admits: ['session'],
      access: [platform('admin'), steppedUp],
      summary: 'Reset the policy of an organization',
      description:
        'For owners who are locked out by their own policy. Every rule gets its default; the owners are notified by mail.',
      params: One,
      responses: { 204: null },
      errors: ['not_found'],
      handler: async ({ deps, caller, params }) => {
        await resetPolicy(deps, caller, params.id);
      },
    }),
  ],
};
