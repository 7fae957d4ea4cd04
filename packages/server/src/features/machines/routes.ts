import {
  ApiKeyList,
  ApiKeyRotation,
  CreatedApiKey,
  NewApiKey,
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountChange,
  ServiceAccountList,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { organizationOf } from '../../domain/kernel/principal.ts';
import { deleteEndedKeys, deleteOldAccounts } from '../../domain/machines/queries.ts';
import { freshAuth, permitted } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { changeServiceAccount } from './change.ts';
import { createServiceAccount } from './create.ts';
import { createApiKey } from './create-key.ts';
import { findServiceAccount, listKeys, listServiceAccounts } from './list.ts';
import { removeServiceAccount } from './remove.ts';
import { revokeApiKey } from './revoke-key.ts';
import { rotateApiKey } from './rotate-key.ts';

const Team = Type.Object({ org_id: Uuid });
const One = Type.Object({ org_id: Uuid, id: Uuid });
const OneKey = Type.Object({ org_id: Uuid, id: Uuid, key_id: Uuid });

const MANAGERS = permitted('machines.manage');

export const machines: Feature = {
  name: 'Machines',
  sweeps: [
    { name: 'API keys', sweep: deleteEndedKeys },
    { name: 'service accounts', sweep: deleteOldAccounts },
  ],
  routes: [
    route({
      id: 'listServiceAccounts',
      method: 'GET',
      path: '/orgs/:org_id/service-accounts',
      admits: ['session', 'sso'],
      access: [MANAGERS],
      summary: 'List the service accounts of the organization',
      description: 'Sorted by name.',
      params: Team,
      responses: { 200: ServiceAccountList },
      handler: ({ deps, principal }) => listServiceAccounts(deps, organizationOf(principal)),
    }),
    route({
      id: 'createServiceAccount',
      method: 'POST',
      path: '/orgs/:org_id/service-accounts',
      admits: ['session', 'sso'],
      access: [MANAGERS],
      summary: 'Create a service account',
      description:
        'It has `org.read`, `members.list` and what its roles allow. Owners can assign every role to it, other callers only roles whose permissions they have themselves.',
      params: Team,
      body: NewServiceAccount,
      responses: { 201: ServiceAccount },
      errors: ['conflict'],
      handler: ({ deps, caller, principal, body }) => createServiceAccount(deps, caller, principal, body),
    }),
    route({
      id: 'getServiceAccount',
      method: 'GET',
      path: '/orgs/:org_id/service-accounts/:id',
      admits: ['session', 'sso'],
      access: [MANAGERS],
      summary: 'Get a service account',
      params: One,
      responses: { 200: ServiceAccount },
      errors: ['not_found'],
      handler: ({ deps, principal, params }) =>
        findServiceAccount(deps, { organization_id: organizationOf(principal), id: params.id }),
    }),
    route({
      id: 'changeServiceAccount',
      method: 'PATCH',
      path: '/orgs/:org_id/service-accounts/:id',
      admits: ['session', 'sso'],
      access: [MANAGERS],
      summary: 'Change, disable or enable a service account',
      description:
        'Fields that are left out stay as they are. Requires every permission of the account, unless you are an owner or only disable it. Disabling rejects its keys and their tokens at once.',
      params: One,
      body: ServiceAccountChange,
      responses: { 200: ServiceAccount },
      errors: ['not_found', 'rate_limited'],
      handler: ({ deps, caller, principal, params, body }) =>
        changeServiceAccount(deps, caller, principal, { ...body, id: params.id }),
    }),
    route({
      id: 'removeServiceAccount',
      method: 'DELETE',
      path: '/orgs/:org_id/service-accounts/:id',
      admits: ['session', 'sso'],
      access: [MANAGERS],
      summary: 'Delete a service account',
      description: 'Ends its keys at once.',
      params: One,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, principal, params }) {
        await removeServiceAccount(deps, caller, principal, params.id);
      },
    }),
    route({
      id: 'listApiKeys',
      method: 'GET',
      path: '/orgs/:org_id/service-accounts/:id/keys',
      admits: ['session', 'sso'],
      access: [MANAGERS],
      summary: 'List the API keys of a service account',
      description: 'Those that have not ended, newest first, without their secret parts.',
      params: One,
      responses: { 200: ApiKeyList },
      errors: ['not_found'],
      handler: ({ deps, principal, params }) =>
        listKeys(deps, { organization_id: organizationOf(principal), id: params.id }),
    }),
    route({
      id: 'createApiKey',
      method: 'POST',
      path: '/orgs/:org_id/service-accounts/:id/keys',
      admits: ['session', 'sso'],
      access: [MANAGERS, freshAuth],
      summary: 'Create an API key',
      description:
        'Only this response contains the key itself. Requires every permission of the account, unless you are an owner.',
      params: One,
      body: NewApiKey,
      responses: { 201: CreatedApiKey },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, params, body }) => {
        const input = { ...body, service_account_id: params.id };
        return createApiKey(deps, caller, input);
      },
    }),
    route({
      id: 'revokeApiKey',
      method: 'DELETE',
      path: '/orgs/:org_id/service-accounts/:id/keys/:key_id',
      admits: ['session', 'sso'],
      access: [MANAGERS],
      summary: 'Revoke an API key',
      description: 'This service rejects the key and its access tokens at once, local verifiers within 5 seconds.',
      params: OneKey,
      responses: { 204: null },
      errors: ['not_found'],
      async handler({ deps, caller, principal, params }) {
        await revokeApiKey(deps, caller, principal, idsIn(params));
      },
    }),
    route({
      id: 'rotateApiKey',
      method: 'POST',
      path: '/orgs/:org_id/service-accounts/:id/keys/:key_id/rotate',
      admits: ['session', 'sso'],
      access: [MANAGERS, freshAuth],
      summary: 'Rotate an API key',
      description:
        'The new key has the same settings and is shown only in this response. The old key ends after `overlap_seconds`. Requires every permission of the account, unless you are an owner.',
      params: OneKey,
      body: ApiKeyRotation,
      responses: { 201: CreatedApiKey },
      errors: ['not_found', 'conflict'],
      handler: async ({ deps, caller, params, body }) => {
        const input = { ...body, ...idsIn(params) };
        return rotateApiKey(deps, caller, input);
      },
    }),
  ],
};

const idsIn = ({ id, key_id }: { id: string; key_id: string }) => ({
  service_account_id: id,
  key_id,
});
