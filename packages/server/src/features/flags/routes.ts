import { FeatureFlag, FlagChange, FlagKey, FlagMap, FlagScope } from '@gatehouse/contract';
import { Type } from 'typebox';
import { organizationOf } from '../../domain/kernel/principal.ts';
import { platform } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { listAllFlags } from './list.ts';
import { removeFlag } from './remove.ts';
import { saveFlag } from './save.ts';

export const featureFlags: Feature = {
  name: 'Feature flags',
  routes: [
    route({
      id: 'getFeatureFlags',
      method: 'GET',
      path: '/feature-flags',
      admits: ['session', 'sso', 'machine'],
      summary: 'Get the feature flags of your organization',
      description: 'A map by key, with the overrides of your organization applied.',
      responses: { 200: FlagMap },
      handler: ({ deps, principal }) => deps.flags.find(organizationOf(principal)),
    }),
    route({
      id: 'listFeatureFlags',
      method: 'GET',
      path: '/admin/feature-flags',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List feature flags',
      description:
        'The defaults for all organizations and, with `organization_id`, the overrides of that organization. Sorted by key; a default comes before its override.',
      query: FlagScope,
      responses: { 200: Type.Array(FeatureFlag) },
      handler: ({ deps, query }) => listAllFlags(deps, query.organization_id),
    }),
    route({
      id: 'setFeatureFlag',
      method: 'PUT',
      path: '/admin/feature-flags',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Set a feature flag',
      description:
        'Sets the default for all organizations or, with `organization_id`, the override of one. Replaces the row: an omitted `value` is null. Takes effect immediately here, and on other replicas within seconds.',
      body: FlagChange,
      responses: { 200: FeatureFlag },
      handler: ({ deps, caller, body }) => saveFlag(deps, caller, body),
    }),
    route({
      id: 'removeFeatureFlag',
      method: 'DELETE',
      path: '/admin/feature-flags/:flag_key',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Remove a feature flag',
      description:
        'Removes the default or, with `organization_id`, the override of that organization. Other rows of the key remain. Returns 204 even if there is no such row.',
      params: Type.Object({ flag_key: FlagKey }),
      query: FlagScope,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, params, query }) {
        await removeFlag(deps, caller, { flag_key: params.flag_key, organization_id: query.organization_id });
      },
    }),
  ],
};
