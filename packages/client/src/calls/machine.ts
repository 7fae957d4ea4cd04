import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type {
  ApiKeyList,
  ApiKeyRotation,
  CreatedApiKey,
  NewApiKey,
  NewServiceAccount,
  ServiceAccount,
  ServiceAccountChange,
  ServiceAccountList,
} from '../wire.ts';

/** Calls for the organization of the session. All require the permission `machines.manage`. */
export const serviceAccountCalls = (call: Call) => ({
  /** Returns the service accounts of the organization, sorted by name. */
  list: (organization_id: string) => call<ServiceAccountList>('GET', path`/orgs/${organization_id}/service-accounts`),
  /** Returns one service account. */
  read: (organization_id: string, id: string) =>
    call<ServiceAccount>('GET', path`/orgs/${organization_id}/service-accounts/${id}`),
  /** Creates a service account. It can do nothing until it has a key: create one with `apiKeys.create`. */
  create: (organization_id: string, body: NewServiceAccount) =>
    call<ServiceAccount>('POST', path`/orgs/${organization_id}/service-accounts`, { body }),
  /**
   * Changes a service account. Fields that are left out stay as they are. With `disabled: true`, its keys and their
   * tokens are rejected at once. Requires every permission of the account, unless only `disabled` becomes true.
   */
  change: (organization_id: string, id: string, body: ServiceAccountChange) =>
    call<ServiceAccount>('PATCH', path`/orgs/${organization_id}/service-accounts/${id}`, { body }),
  /** Deletes a service account. Its keys end at once. */
  remove: (organization_id: string, id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/service-accounts/${id}`),
});

/** The keys of a service account, which is the second argument of each call. */
export const apiKeyCalls = (call: Call) => ({
  /** Returns the keys that have not ended, newest first, without their secret parts. */
  list: (organization_id: string, account_id: string) =>
    call<ApiKeyList>('GET', path`/orgs/${organization_id}/service-accounts/${account_id}/keys`),
  /**
   * Creates a key. `key` of the response is the key itself; no other response contains it. Requires a recent sign-in or
   * second factor.
   */
  create: (organization_id: string, account_id: string, body: NewApiKey) =>
    call<CreatedApiKey>('POST', path`/orgs/${organization_id}/service-accounts/${account_id}/keys`, { body }),
  /**
   * Replaces a key by a new one with the same settings. The old key ends after `overlap_seconds`, by default at once.
   * Fails with `conflict` if the key has ended or was already rotated. Requires a recent sign-in or second factor.
   */
  rotate: (organization_id: string, account_id: string, key_id: string, body: ApiKeyRotation = {}) =>
    call<CreatedApiKey>('POST', path`/orgs/${organization_id}/service-accounts/${account_id}/keys/${key_id}/rotate`, {
      body,
    }),
  /** Revokes a key. Local verifiers reject its tokens within 5 seconds. */
  revoke: (organization_id: string, account_id: string, key_id: string) =>
    call<void>('DELETE', path`/orgs/${organization_id}/service-accounts/${account_id}/keys/${key_id}`),
});
