import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type { NewSsoConnection, SsoConnection, SsoConnectionChange, SsoConnectionList, SsoTestStart } from '../wire.ts';

/**
 * Calls for the single sign-on connections of the session's organization. They require an owner; changes also require a
 * recent sign-in.
 */
export const ssoConnectionCalls = (call: Call) => ({
  /** Returns the single sign-on connections of the organization, oldest first. */
  list: (organization_id: string) => call<SsoConnectionList>('GET', path`/orgs/${organization_id}/sso-connections`),
  /** Returns one connection. */
  read: (organization_id: string, id: string) =>
    call<SsoConnection>('GET', path`/orgs/${organization_id}/sso-connections/${id}`),
  /** Creates a connection, which is a draft until it is tested and activated. */
  create: (organization_id: string, body: NewSsoConnection) =>
    call<SsoConnection>('POST', path`/orgs/${organization_id}/sso-connections`, { body }),
  /** Changes a connection. A change of issuer, client or secret makes it a draft and ends its sessions. */
  change: (organization_id: string, id: string, body: SsoConnectionChange) =>
    call<SsoConnection>('PATCH', path`/orgs/${organization_id}/sso-connections/${id}`, { body }),
  /** Deletes a connection. Its sessions end. */
  remove: (organization_id: string, id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/sso-connections/${id}`),
  /** Starts a test: open the returned URL in the same browser. Fails with `conflict` if the metadata can't be read. */
  test: (organization_id: string, id: string) =>
    call<SsoTestStart>('POST', path`/orgs/${organization_id}/sso-connections/${id}/test`),
  /** Activates a connection. Fails with `conflict` unless a test has passed with its current settings. */
  activate: (organization_id: string, id: string) =>
    call<SsoConnection>('POST', path`/orgs/${organization_id}/sso-connections/${id}/activate`),
  /** Deactivates a connection. Its sessions end. */
  deactivate: (organization_id: string, id: string) =>
    call<SsoConnection>('POST', path`/orgs/${organization_id}/sso-connections/${id}/deactivate`),
});
