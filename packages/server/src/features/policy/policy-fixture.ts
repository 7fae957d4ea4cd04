import type { Policy } from '@gatehouse/contract';
import type { TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { DEFAULT_POLICY, storedPolicy } from '../../domain/policy/policy.ts';

/** Sets the policy directly in the database: the service keeps the session states that it has cached. */
export const givePolicy = ({ deps }: TestApp, organization_id: string, policy: Partial<Policy>) =>
  deps.db
    .updateTable('organizations')
    .set({ policy: storedPolicy({ ...DEFAULT_POLICY, ...policy }) })
    .where('id', '=', organization_id)
    .execute();

export const putPolicy = (owner: TestUser, body: unknown, headers: Record<string, string> = {}) =>
  owner.browser.send('PUT', `/orgs/${owner.organization_id}/policy`, { body, headers });

/** A request from this address; the test's service trusts the loopback proxy. */
export const from = (address: string) => ({ 'x-forwarded-for': address });
