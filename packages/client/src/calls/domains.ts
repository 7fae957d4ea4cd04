import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type { Domain, DomainList, NewDomain } from '../wire.ts';

/**
 * Calls for the domains of the session's organization. They require an owner; changes also require a recent sign-in.
 */
export const domainCalls = (call: Call) => ({
  /** Returns the domains of the organization, sorted by name. */
  list: (organization_id: string) => call<DomainList>('GET', path`/orgs/${organization_id}/domains`),
  /** Adds a domain. It is pending: add its `record` to the DNS of the domain, then call `verify`. */
  add: (organization_id: string, body: NewDomain) =>
    call<Domain>('POST', path`/orgs/${organization_id}/domains`, { body }),
  /** Verifies a domain. Fails with `conflict` if its record is not found, or if another organization has the domain. */
  verify: (organization_id: string, id: string) =>
    call<Domain>('POST', path`/orgs/${organization_id}/domains/${id}/verify`),
  /** Removes a domain. Sessions of the single sign-on connection that has it end. */
  remove: (organization_id: string, id: string) => call<void>('DELETE', path`/orgs/${organization_id}/domains/${id}`),
});
