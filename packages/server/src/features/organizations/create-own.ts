import { LIMITS, type Organization, type OwnOrganizationRequest } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn, ServiceError, tooMany } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { countOtherMemberships, upsertMembership } from '../../domain/memberships/queries.ts';
import { withFreeSlug } from '../../domain/organizations/free-slug.ts';
import { insertOrganization } from '../../domain/organizations/queries.ts';
import { lockActiveUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { isOver, updateCounters } from '../../platform/limiter/queries.ts';
import { describeOrganization } from './describe.ts';

/**
 * docs/reference/organizations.md#own-organizations: POST /orgs: the caller becomes the owner. The session stays in its
 * organization.
 */
export async function createOwnOrganization(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { name, slug: given }: OwnOrganizationRequest,
): Promise<Organization> {
  const now = deps.clock.now();
  const { user_id } = session;
  const organization = { id: uuid(), name: name.trim(), created_at: now };
  return withFreeSlug({ name, slug: given }, (slug) =>
    transactAs({ deps, caller }, { locks: (tx) => lockActiveUser(tx, user_id) }, async (tx, { locked }) => {
      await requireFounder(tx, deps, locked, organization.id);
      await insertOrganization(tx, { ...organization, slug });
      await upsertMembership(tx, { organization_id: organization.id, user_id, role: 'owner', now });
      await recordAudit(tx, caller, {
        action: 'org.created',
        now,
        resource_type: 'organization',
        resource_id: organization.id,
        organization_id: organization.id,
        metadata: { owner_user_id: user_id },
      });
      return describeOrganization({ ...organization, slug, suspended_at: null, member_count: 1 });
    }),
  );
}

type LockedUser = Awaited<ReturnType<typeof lockActiveUser>>;

/** Checks the user, and counts the creation. If the transaction rolls back, nothing is counted. */
async function requireFounder(tx: Tx, deps: Deps, user: LockedUser, organization_id: string): Promise<void> {
  if (!user) throw notSignedIn();
  const { id: user_id } = user;
  if (user.email_verified_at === null) throw new ServiceError('forbidden', 'verify your email first');
  if ((await countOtherMemberships(tx, { user_id, organization_id })) >= LIMITS.membershipsPerUser) {
    const most = LIMITS.membershipsPerUser;
    throw new ServiceError('conflict', `you are a member of ${most} organizations, which is the maximum`);
  }
  const now = deps.clock.now();
  const counter = deps.limiter.counter('organizations created', user_id, deps.config.LIMIT_ORGANIZATIONS_PER_USER);
  const over = (await updateCounters(tx, [counter], now)).find((count) => isOver([counter], count));
  if (over) throw tooMany(secondsUntil(over.resets_at, now));
}
