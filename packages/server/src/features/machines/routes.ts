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
import { deleteEndedKeys, deleteOldAccounts } from '../../domain/machines/queries.ts';
import { organizationBehind, principalBehind } from '../../http/caller.ts';
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
      handler: ({ deps, caller }) => listServiceAccounts(deps, organizationBehind(caller)),
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
      handler: async ({ deps, caller, body, reply }) =>
        reply.code(201).send(await createServiceAccount(deps, caller, principalBehind(caller), body)),
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
      handler: ({ deps, caller, params }) =>
        findServiceAccount(deps, { organization_id: organizationBehind(caller), id: params.id.toLowerCase() }),
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
      handler: ({ deps, caller, params, body }) =>
        changeServiceAccount(deps, caller, principalBehind(caller), { ...body, id: params.id.toLowerCase() }),
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
      async handler({ deps, caller, params, reply }) {
        await removeServiceAccount(deps, caller, principalBehind(caller), params.id.toLowerCase());
        return reply.code(204).send();
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
      handler: ({ deps, caller, params }) =>
        listKeys(deps, { organization_id: organizationBehind(caller), id: params.id.toLowerCase() }),
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
      handler: async ({ deps, caller, params, body, reply }) => {
        const input = { ...body, service_account_id: params.id.toLowerCase() };
        return reply.code(201).send(await createApiKey(deps, caller, principalBehind(caller), input));
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
      async handler({ deps, caller, params, reply }) {
        await revokeApiKey(deps, caller, principalBehind(caller), idsIn(params));
        return reply.code(204).send();
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
      handler: async ({ deps, caller, params, body, reply }) => {
        const input = { ...body, ...idsIn(params) };
        return reply.code(201).send(await rotateApiKey(deps, caller, principalBehind(caller), input));
      },
    }),
  ],
};

const idsIn = ({ id, key_id }: { id: string; key_id: string }) => ({
  service_account_id: id.toLowerCase(),
  key_id: key_id.toLowerCase(),
});
