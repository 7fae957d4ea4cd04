import type { Policy, PolicyChange } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { ensureRestrictedKey } from '../../domain/endings/ensure-key.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { type RelyingParty, relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import { notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { DEFAULT_POLICY, isSamePolicy, readPolicy, storedPolicy } from '../../domain/policy/policy.ts';
import { canBreakGlass, findCheckedSession, findPolicyForUpdate, updatePolicy } from '../../domain/policy/queries.ts';
import { breakGlassMethods, type PolicyRule, policyRefusal } from '../../domain/policy/refusal.ts';
import { markStale } from '../../domain/sessions/role-changes/mark.ts';
import { hasUsableConnection } from '../../domain/sso/queries.ts';
import { lockUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';

/**
 * Stores the policy (docs/reference/policy-and-sso.md#policy). It applies to sessions at refresh or switch, to networks
 * at once.
 */
export async function changePolicy(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  body: PolicyChange,
): Promise<Policy> {
  const now = deps.clock.now();
  const { organization_id, user_id } = session;
  const policy = readPolicy(body);
  // Creates the key for restricted sessions before the first session needs it, so that all replicas have loaded it.
  if (policy.require_mfa) await ensureRestrictedKey(deps);
  const locks = async (tx: Tx) => {
    // The user first: a concurrent change of the second factor either commits before the check or waits. Then the
    // organization: the check of the permission locks it in share mode only, and raising that lock could deadlock.
    await lockUser(tx, user_id);
    return findPolicyForUpdate(tx, organization_id);
  };
  await transactAs({ deps, caller }, { locks }, async (tx, { locked: found }) => {
    await requireOwnSession(tx, caller, session, { policy, now });
    if (policy.sso_required)
      await requireUsableSignIn(tx, { organization_id, relyingParty: relyingPartyOf(deps.config) }, policy);
    const old = found?.policy ?? DEFAULT_POLICY;
    if (isSamePolicy(old, policy)) return;
    await updatePolicy(tx, organization_id, storedPolicy(policy));
    await recordAudit(tx, caller, {
      action: 'policy.updated',
      now,
      resource_type: 'organization',
      resource_id: organization_id,
      metadata: { old, new: policy },
    });
    await markStale(tx, deps, { whole_organization_id: organization_id }, now);
  });
  return policy;
}

interface Organization {
  readonly organization_id: string;
  readonly relyingParty: RelyingParty;
}

/**
 * docs/reference/policy-and-sso.md#required-single-sign-on: throws unless members can sign in by SSO, and an owner
 * without it.
 */
async function requireUsableSignIn(tx: Tx, organization: Organization, policy: Policy): Promise<void> {
  if (!(await hasUsableConnection(tx, organization.organization_id))) {
    throw new ServiceError(
      'conflict',
      'sso_required: the organization has no active single sign-on connection with a verified domain',
    );
  }
  if (!(await canBreakGlass(tx, organization, breakGlassMethods(policy)))) {
    throw new ServiceError(
      'conflict',
      'sso_required: no owner could sign in while the provider is down; an owner needs a passkey, or a password and a second factor, and the policy must allow it',
    );
  }
}

const WOULD_LOCK_OUT: Readonly<Record<PolicyRule, string>> = {
  sso_required:
    'your own session would be rejected; first sign in with single sign-on, with a passkey, or with password and second factor',
  require_mfa: 'your own session has no second factor; set one up or verify it first',
  allowed_methods:
    'must include the method that you signed in with; to leave it out, sign in with another method first',
  session_max_age_seconds: 'your own sign-in is older; sign in again first',
  allowed_networks: 'must include the address that you use now',
};

/** Throws if the policy would reject the caller's own session: the author must be able to undo the change. */
async function requireOwnSession(
  tx: Tx,
  { ip_address }: Caller,
  { session_id }: SessionState,
  { policy, now }: { policy: Policy; now: Date },
): Promise<void> {
  const own = await findCheckedSession(tx, session_id, now);
  if (!own) throw notSignedIn();
  const rule = policyRefusal(policy, { ...own, ip_address }, now);
  if (rule) throw new ServiceError('invalid_input', `${rule}: ${WOULD_LOCK_OUT[rule]}`);
}
