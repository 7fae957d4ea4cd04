import { Domain, DomainList, NewDomain, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { deleteOldDomains } from '../../domain/email-domains/queries.ts';
import { freshAuth, permitted } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { addDomain } from './add.ts';
import { listAllDomains } from './list.ts';
import { removeDomain } from './remove.ts';
import { verifyDomain } from './verify.ts';

const Own = Type.Object({ org_id: Uuid });
const One = Type.Object({ org_id: Uuid, id: Uuid });

const WRITE = [permitted('sso.manage'), freshAuth];

export const domains: Feature = {
  name: 'Domains',
  sweeps: [{ name: 'domains', sweep: deleteOldDomains }],
  routes: [
    route({
      id: 'listDomains',
      method: 'GET',
      path: '/orgs/:org_id/domains',
      admits: ['session', 'sso'],
      access: [permitted('sso.manage')],
      summary: 'List the domains of your organization',
      description: 'Sorted by name.',
      params: Own,
      responses: { 200: DomainList },
      handler: ({ deps, session }) => listAllDomains(deps, session.organization_id),
    }),
    route({
      id: 'addDomain',
      method: 'POST',
      path: '/orgs/:org_id/domains',
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Add a domain to your organization',
      description:
        'The domain is pending until it is verified: add the `record` of the response to its DNS, then call `verify`. Public suffixes and the domains of public mail services are not accepted.',
      params: Own,
      body: NewDomain,
      responses: { 201: Domain },
      errors: ['conflict'],
      handler: ({ deps, caller, session, body }) => addDomain(deps, caller, session, body),
    }),
    route({
      id: 'verifyDomain',
      method: 'POST',
      path: '/orgs/:org_id/domains/:id/verify',
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Verify a domain of your organization',
      description:
        'Looks up the TXT record. Returns 409 if it is not found, or if another organization has verified the domain. A verified domain is checked daily; after 7 days without the record it is pending again.',
      params: One,
      responses: { 200: Domain },
      errors: ['not_found', 'conflict', 'rate_limited'],
      handler: ({ deps, caller, session, params: { id } }) => verifyDomain(deps, caller, session, id),
    }),
    route({
      id: 'removeDomain',
      method: 'DELETE',
      path: '/orgs/:org_id/domains/:id',
      admits: ['session', 'sso'],
      access: WRITE,
      summary: 'Remove a domain from your organization',
      description:
        'Ends the sessions of the single sign-on connection that has the domain. Returns 409 if the policy requires single sign-on and this is the last domain of an active connection.',
      params: One,
      responses: { 204: null },
      errors: ['not_found', 'conflict'],
      async handler({ deps, caller, session, params: { id } }) {
        await removeDomain(deps, caller, session, id);
      },
    }),
  ],
};
