import type { Policy, PolicyChange, PolicyPreview } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listDomains } from '../../domain/email-domains/queries.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import { DEFAULT_POLICY, readPolicy } from '../../domain/policy/policy.ts';
import { countAffected, findPolicy } from '../../domain/policy/queries.ts';
import { firstFactorsOf } from '../../domain/policy/refusal.ts';
import { noSuchOrganization } from './reset.ts';

export async function showPolicy({ db }: Deps, organization_id: string): Promise<Policy> {
  const found = await findPolicy(db, organization_id);
  if (!found) throw noSuchOrganization();
  return found.policy ?? DEFAULT_POLICY;
}

/** POST /orgs/:org_id/policy/preview: counts whom the policy would affect. Changes nothing. */
export async function previewPolicy(
  { config, db, clock }: Deps,
  organization_id: string,
  body: PolicyChange,
): Promise<PolicyPreview> {
  const policy = readPolicy(body);
  const verified = (await listDomains(db, organization_id)).filter(({ verified_at }) => verified_at !== null);
  return countAffected(db, {
    relyingParty: relyingPartyOf(config),
    organization_id,
    policy,
    first_factors: firstFactorsOf(policy),
    domains: verified.map(({ domain }) => domain),
    now: clock.now(),
  });
}
