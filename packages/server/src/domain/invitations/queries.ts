import { type InvitationStatus, LIMITS } from '@gatehouse/contract';
import { sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { HeldRoles, OrganizationRole } from '../kernel/permissions.ts';
import { accountRoles } from '../machines/queries.ts';
import { policyDomains } from '../policy/queries.ts';
import { heldRoles } from '../roles/queries.ts';
import type { SealedToken } from './invitation-mail-id.ts';

/** A closed invitation had expired when a newer one replaced it, even if the clock of this replica is behind. */
const statusAt = (now: Date) => sql<InvitationStatus>`case
  when i.accepted_at is not null then 'accepted'
  when i.revoked_at is not null then 'revoked'
  when i.closed_at is not null or i.expires_at <= ${now}::timestamptz then 'expired'
  else 'pending' end`;

interface Search {
  readonly organization_id: string;
  readonly status?: InvitationStatus | undefined;
  readonly now: Date;
}

const invitationsOf = (db: Db, { organization_id, status, now }: Search) => {
  const rows = db.selectFrom('invitations as i').where('i.organization_id', '=', organization_id);
  return status === undefined ? rows : rows.where(statusAt(now), '=', status);
};

const DESCRIBED = [
  'i.id',
  'i.organization_id',
  'i.email',
  'i.role',
  'i.inviter_email',
  'i.created_at',
  'i.expires_at',
] as const;

/** The roles that the invitation offers, without those that were deleted since. */
const offeredRoles = sql<string[]>`array(
  select r.id from roles r where r.id = any (i.role_ids) and r.deleted_at is null order by r.id)`;

const described = (db: Db, search: Search) =>
  invitationsOf(db, search)
    .select(DESCRIBED)
    .select([statusAt(search.now).as('status'), offeredRoles.as('role_ids')]);

export type InvitationRow = Awaited<ReturnType<typeof listInvitations>>[number];

/** Newest first: ids begin with the time of creation. */
export const listInvitations = (db: Db, { limit, offset, ...search }: Search & { limit: number; offset: number }) =>
  described(db, search).orderBy('i.id', 'desc').limit(limit).offset(offset).execute();

export async function countInvitations(db: Db, search: Search): Promise<number> {
  const { count } = await invitationsOf(db, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

interface InvitationKey {
  readonly id: string;
  readonly organization_id: string;
  readonly now: Date;
}

export const findInvitation = (db: Db, { id, organization_id, now }: InvitationKey) =>
  described(db, { organization_id, now }).where('i.id', '=', id).executeTakeFirst();

interface Addressed {
  readonly organization_id: string;
  readonly email: string;
}

export async function isMember(tx: Tx, { organization_id, email }: Addressed): Promise<boolean> {
  const row = await tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('m.user_id')
    .where('m.organization_id', '=', organization_id)
    .where('m.revoked_at', 'is', null)
    .where('u.email', '=', email)
    .where('u.status', '<>', sql.lit('deleted'))
    .executeTakeFirst();
  return row !== undefined;
}

/** Closes an expired invitation, so that another one to the same address can be inserted. */
export const closeExpiredInvitation = (tx: Tx, { organization_id, email, now }: Addressed & { now: Date }) =>
  tx
    .updateTable('invitations')
    .set({ closed_at: now })
    .where('organization_id', '=', organization_id)
    .where('email', '=', email)
    .where('closed_at', 'is', null)
    .where('expires_at', '<=', now)
    .execute();

interface NewInvitation extends Addressed {
  readonly id: string;
  readonly role: OrganizationRole;
  readonly inviter_id: string | null;
  readonly service_account_id: string | null;
  readonly inviter_email: string;
  readonly token_hash: Buffer;
  readonly role_ids: string[];
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Violates `invitations_open_key` if an open invitation to the same address exists. */
export const insertInvitation = (tx: Tx, invitation: NewInvitation) =>
  tx.insertInto('invitations').values(invitation).execute();

interface Renewal {
  readonly id: string;
  readonly organization_id: string;
  readonly inviter_id: string | null;
  readonly service_account_id: string | null;
  readonly inviter_email: string;
  readonly token_hash: Buffer;
  readonly expires_at: Date;
}

/** Returns the current token and locks the row until the transaction ends. */
export const lockInvitation = (tx: Tx, { id, organization_id }: Pick<Renewal, 'id' | 'organization_id'>) =>
  tx
    .selectFrom('invitations')
    .select(['token_hash', 'expires_at'])
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Reopens an invitation with a new token; undefined if accepted or revoked. May violate `invitations_open_key`. */
export const updateInvitation = (tx: Tx, { id, organization_id, ...renewed }: Renewal) =>
  tx
    .updateTable('invitations')
    .set({ ...renewed, closed_at: null })
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();

/** Returns undefined if accepted or already revoked. The token is kept, so that its link can report the revocation. */
export const revokeInvitation = (tx: Tx, { id, organization_id, now }: InvitationKey) =>
  tx
    .updateTable('invitations')
    .set({ revoked_at: now, closed_at: sql<Date>`coalesce(closed_at, ${now}::timestamptz)` })
    .where('id', '=', id)
    .where('organization_id', '=', organization_id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning(['token_hash', 'expires_at'])
    .executeTakeFirst();

/** Whether the account has an active membership in any organization that is not suspended. */
const canSignIn = sql<boolean>`exists (select from memberships membership join organizations home on home.id = membership.organization_id
  where membership.user_id = account.id and membership.revoked_at is null and home.suspended_at is null)`;

/** A service account ranks as `member`. Null: the inviter is no longer active. */
const inviterRole = sql<OrganizationRole | null>`case when a.id is not null then 'member' else m.role end`;
const inviterHeld = sql<HeldRoles | null>`case when a.id is not null then ${accountRoles} else ${heldRoles} end`;

export type OpenInvitation = NonNullable<Awaited<ReturnType<typeof findInvitationByToken>>>;

/** The token is the only credential. Returns all that determines whether the invitation is valid, in one query. */
export const findInvitationByToken = (db: Db, { token_hash, now }: { token_hash: Buffer; now: Date }) =>
  db
    .selectFrom('invitations as i')
    .innerJoin('organizations as o', 'o.id', 'i.organization_id')
    .leftJoin('users as inviter', 'inviter.id', 'i.inviter_id')
    .leftJoin('service_accounts as a', (join) =>
      join.onRef('a.id', '=', 'i.service_account_id').on('a.disabled_at', 'is', null).on('a.deleted_at', 'is', null),
    )
    .leftJoin('memberships as m', (join) =>
      join
        .onRef('m.organization_id', '=', 'i.organization_id')
        .onRef('m.user_id', '=', 'i.inviter_id')
        .on('m.revoked_at', 'is', null)
        .on('inviter.status', '=', 'active'),
    )
    .leftJoin('users as account', (join) =>
      join.onRef('account.email', '=', 'i.email').on('account.status', '<>', sql.lit('deleted')),
    )
    .select(['i.id', 'i.organization_id', 'i.email', 'i.role', 'i.inviter_id', 'i.inviter_email', 'i.expires_at'])
    .select('i.service_account_id')
    .select([
      'o.name as organization_name',
      'o.suspended_at',
      'o.policy',
      policyDomains.as('domains'),
      inviterRole.as('inviter_role'),
      inviterHeld.as('inviter_held'),
    ])
    .select([statusAt(now).as('status'), 'i.role_ids'])
    .select(['account.id as account_id', 'account.status as account_status'])
    .select(['account.email_verified_at as account_verified_at', canSignIn.as('account_can_sign_in')])
    .where('i.token_hash', '=', token_hash)
    .executeTakeFirst();

interface Claim {
  readonly id: string;
  readonly token_hash: Buffer;
  readonly now: Date;
}

/** Returns undefined if the invitation was already accepted, or resent with another token. */
export const claimInvitation = (tx: Tx, { id, token_hash, now }: Claim) =>
  tx
    .updateTable('invitations')
    .set({ accepted_at: now, closed_at: now })
    .where('id', '=', id)
    .where('token_hash', '=', token_hash)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst();

export const deleteOldInvitations = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'invitations',
    where: sql`coalesce(closed_at, expires_at) < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`coalesce(closed_at, expires_at)`,
    limit,
  });

/**
 * Revokes the open invitations from this user, and from service accounts that this user created. Finds them by the
 * organizations of both, which have an index. Tokens are kept, so that their links can report the revocation.
 */
export async function revokeInvitationsFrom(tx: Tx, inviter_id: string, now: Date): Promise<SealedToken[]> {
  const { rows } = await sql<SealedToken>`
    with created_accounts as materialized (
      select id, organization_id from service_accounts where created_by = ${inviter_id}::uuid)
    update invitations set revoked_at = ${now}::timestamptz, closed_at = ${now}::timestamptz
    where organization_id in (
        select organization_id from memberships where user_id = ${inviter_id}::uuid
        union select organization_id from created_accounts)
      and (inviter_id = ${inviter_id}::uuid or service_account_id in (select id from created_accounts))
      and closed_at is null
    returning token_hash, expires_at`.execute(tx);
  return rows;
}

export const revokeInvitationsTo = (tx: Tx, organization_ids: readonly string[], now: Date) =>
  tx
    .updateTable('invitations')
    .set({ revoked_at: now, closed_at: now })
    .where(sql<boolean>`organization_id = any (${organization_ids}::uuid[])`)
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['id', 'organization_id', 'token_hash', 'expires_at'])
    .execute();

interface InvitationsQuery {
  readonly user_id: string;
  /** The email of the user; null if it is not verified. */
  readonly verified_email: string | null;
  readonly now: Date;
  /** Only invitations with lower ids. Left out: from the newest. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The invitations that a user sent or, at a verified address, received; newest first. */
export const listInvitationsOf = (db: Db, { user_id, verified_email, now, before, limit }: InvitationsQuery) =>
  db
    .selectFrom('invitations as i')
    .select(DESCRIBED)
    .select([statusAt(now).as('status'), offeredRoles.as('role_ids')])
    .where((eb) => eb.or([eb('i.inviter_id', '=', user_id), eb('i.email', '=', verified_email)]))
    .$if(before !== undefined, (found) => found.where('i.id', '<', before!))
    .orderBy('i.id', 'desc')
    .limit(limit)
    .execute();
