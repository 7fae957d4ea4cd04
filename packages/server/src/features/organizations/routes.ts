import {
  CreatedOrganization,
  NewOrganizationRequest,
  Organization,
  OrganizationChange,
  OrganizationPage,
  OrganizationQuery,
  OwnOrganizationChange,
  OwnOrganizationRequest,
  Uuid,
} from '@gatehouse/contract';
import { Type } from 'typebox';
import { organizationOf } from '../../domain/kernel/principal.ts';
import { permitted, platform, registrationOpen, verifiedEmail } from '../../http/guards.ts';
import { readPaging } from '../../http/page-query.ts';
import { type Feature, route } from '../../http/route.ts';
import { changeOrganization } from './change.ts';
import { changeOwn } from './change-own.ts';
import { createOrganization } from './create.ts';
import { createOwnOrganization } from './create-own.ts';
import { findOne } from './find.ts';
import { listAll } from './list.ts';
import { findOwn } from './own.ts';

const Own = Type.Object({ org_id: Uuid });

export const organizations: Feature = {
  name: 'Organizations',
  routes: [
    route({
      id: 'createOwnOrganization',
      method: 'POST',
      path: '/orgs',
      admits: ['session'],
      access: [registrationOpen, verifiedEmail],
      summary: 'Create an organization of your own',
      description:
        'You become its owner. Your session stays in its organization. An omitted slug is derived from the name.',
      body: OwnOrganizationRequest,
      responses: { 201: Organization },
      errors: ['conflict', 'rate_limited'],
      handler: ({ deps, caller, session, body }) => createOwnOrganization(deps, caller, session, body),
    }),
    route({
      id: 'getOwnOrganization',
      method: 'GET',
      path: '/orgs/:org_id',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('org.read')],
      summary: 'Get your organization',
      params: Own,
      responses: { 200: Organization },
      handler: ({ deps, principal }) => findOwn(deps, organizationOf(principal)),
    }),
    route({
      id: 'changeOwnOrganization',
      method: 'PATCH',
      path: '/orgs/:org_id',
      admits: ['session', 'sso'],
      access: [permitted('org.update')],
      summary: 'Change name or slug of your organization',
      description: 'An omitted field is unchanged.',
      params: Own,
      body: OwnOrganizationChange,
      responses: { 200: Organization },
      errors: ['conflict'],
      handler: ({ deps, caller, principal, body }) => changeOwn(deps, caller, principal, body),
    }),
    route({
      id: 'listOrganizations',
      method: 'GET',
      path: '/admin/orgs',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List organizations, newest first or in another order',
      query: OrganizationQuery,
      responses: { 200: OrganizationPage },
      handler: ({ deps, query }) => listAll(deps, { q: query.q, sort: query.sort, ...readPaging(query) }),
    }),
    route({
      id: 'createOrganization',
      method: 'POST',
      path: '/admin/orgs',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Create an organization and its first owner',
      description:
        'Works even if registration is closed. Sends a verification mail to the owner. An omitted slug is derived from the name.',
      body: NewOrganizationRequest,
      responses: { 201: CreatedOrganization },
      errors: ['conflict', 'rate_limited'],
      handler: ({ deps, caller, body }) => createOrganization(deps, caller, body),
    }),
    route({
      id: 'getOrganization',
      method: 'GET',
      path: '/admin/orgs/:id',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'Get an organization',
      params: Type.Object({ id: Uuid }),
      responses: { 200: Organization },
      errors: ['not_found'],
      handler: ({ deps, params }) => findOne(deps, params.id),
    }),
    route({
      id: 'changeOrganization',
      method: 'PATCH',
      path: '/admin/orgs/:id',
      admits: ['session'],
      access: [platform('admin')],
      summary: 'Rename, suspend or restore an organization',
      description:
        'Suspending ends the sessions of the organization and prevents sign-in to it. Returns 409 for the organization of your own session, and for the last one that a platform owner can sign in to.',
      params: Type.Object({ id: Uuid }),
      body: OrganizationChange,
      responses: { 200: Organization },
      errors: ['not_found', 'conflict'],
      handler: ({ deps, caller, principal, params, body }) =>
        changeOrganization(deps, caller, principal, { ...body, id: params.id }),
    }),
  ],
};
