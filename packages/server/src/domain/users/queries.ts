import { NIL_UUID } from '@gatehouse/contract';
import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { mergeCounts } from '../../platform/db/merge-counts.ts';
import type { MembershipKey } from '../kernel/membership-key.ts';
import type { OrganizationRole, PlatformRole } from '../kernel/permissions.ts';
import { ServiceError } from '../kernel/service-error.ts';

export const noSuchUser = () => new ServiceError('not_found', 'there is no such user');

/**
 * Locks users, in the order of their ids (`kernel/lock-order.ts`), until the transaction ends. Returns users of every
 * status, including deleted.
 */
export const lockUsers = (tx: Tx, ids: readonly string[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'email', 'email_verified_at', 'display_name', 'locale', 'status', 'platform_role'])
    .select(['password_hash', 'mfa_enabled_at', 'last_organization_id'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();

export async function lockUser(tx: Tx, user_id: string) {
  const [user] = await lockUsers(tx, [user_id]);
  return user;
}

export async function lockActiveUser(tx: Tx, user_id: string) {
  const user = await lockUser(tx, user_id);
  return user?.status === 'active' ? user : undefined;
}

/** Locks the row in share mode until the transaction ends; other transactions may hold the same lock. */
export const shareUser = (tx: Tx, user_id: string) =>
  tx.selectFrom('users').select('id').where('id', '=', user_id).forShare().execute();

export async function countPlatformOwners(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('platform_role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  return count;
}

/** Finds no deleted user. The status is a literal: with a parameter, the partial index on emails is not used. */
export const findUserByEmail = (db: Db, email: string) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'email_verified_at', 'status', 'locale', 'platform_role'])
    .where('email', '=', email)
    .where('status', '<>', sql.lit('deleted'))
    .executeTakeFirst();

export const listPlatformOwners = (tx: Tx, { except, limit }: { except?: string | undefined; limit: number }) =>
  tx
    .selectFrom('users')
    .select(['email', 'locale', 'email_verified_at'])
    .where('platform_role', '=', 'owner')
    .where('status', '=', 'active')
    .where('id', '<>', except ?? NIL_UUID)
    .orderBy('id')
    .limit(limit)
    .execute();

export const findRecipient = (tx: Tx, user_id: string) =>
  tx.selectFrom('users').select(['email', 'locale']).where('id', '=', user_id).executeTakeFirstOrThrow();

export const updatePlatformRole = (
  tx: Tx,
  { user_id, role, now }: { user_id: string; role: PlatformRole | null; now: Date },
) => tx.updateTable('users').set({ platform_role: role, updated_at: now }).where('id', '=', user_id).execute();

export async function hasChangedEmail(db: Db, user_id: string): Promise<boolean> {
  const row = await db
    .selectFrom('audit_events')
    .select('id')
    .where('action', '=', 'auth.email.changed')
    .where('outcome', '=', 'success')
    .where('resource_id', '=', user_id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns true only for the first call per database and name. */
export async function insertMilestone(tx: Tx, name: string, reached_at: Date): Promise<boolean> {
  const row = await tx
    .insertInto('milestones')
    .values({ name, reached_at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

/** The rows for `describeUser`, with memberships in the same query. The caller adds conditions and order. */
export const userRecords = (db: Db) =>
  db.selectFrom('users as u').select((eb) => [
    'u.id',
    'u.email',
    'u.email_verified_at',
    'u.display_name',
    'u.locale',
    'u.avatar_id',
    'u.status',
    sql<boolean>`u.password_hash is not null`.as('has_password'),
    'u.mfa_enabled_at',
    'u.platform_role',
    'u.created_at',
    'u.updated_at',
    'u.last_password_change_at',
    'u.last_login_at',
    // Includes memberships in suspended organizations.
    jsonArrayFrom(
      eb
        .selectFrom('memberships as m')
        .innerJoin('organizations as o', 'o.id', 'm.organization_id')
        .select(['o.id as organization_id', 'o.name as organization_name', 'o.slug as organization_slug'])
        .select(['m.role', 'm.joined_at'])
        .whereRef('m.user_id', '=', 'u.id')
        .where('m.revoked_at', 'is', null)
        .orderBy('m.joined_at')
        .orderBy('o.id'),
    ).as('memberships'),
  ]);

export type UserRecord = NonNullable<Awaited<ReturnType<typeof findUserRecord>>>;

export const findUserRecord = (db: Db, user_id: string) =>
  userRecords(db).where('u.id', '=', user_id).executeTakeFirst();

export async function isMilestoneReached(db: Db, name: string): Promise<boolean> {
  const row = await db.selectFrom('milestones').select('name').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

interface VerifiedUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date;
  readonly last_organization_id: string | null;
  readonly was_verified: boolean;
}

/** Verifies the address that the link was sent to. Undefined if the account is not active or has another address. */
export async function updateEmailVerified(
  tx: Tx,
  { user_id, email, now }: { user_id: string; email: string; now: Date },
): Promise<VerifiedUser | undefined> {
  const { rows } = await sql<VerifiedUser>`
    with before as materialized (
      select id, email_verified_at from users
      where id = ${user_id}::uuid and status = 'active' and email = ${email}::text for no key update
    )
    update users u set
      email_verified_at = coalesce(before.email_verified_at, ${now}::timestamptz),
      updated_at = case when before.email_verified_at is null then ${now}::timestamptz else u.updated_at end
    from before where u.id = before.id
    returning u.id, u.email, u.email_verified_at, u.last_organization_id,
      before.email_verified_at is not null as was_verified`.execute(tx);
  return rows[0];
}

interface ProfileUpdate {
  readonly user_id: string;
  readonly display_name: string | null;
  readonly locale: string | null;
  readonly now: Date;
}

export const updateProfile = (tx: Tx, { user_id, display_name, locale, now }: ProfileUpdate) =>
  tx.updateTable('users').set({ display_name, locale, updated_at: now }).where('id', '=', user_id).execute();

export const mergeUserCounts = (db: Db, _now: Date, limit: number): Promise<number> =>
  mergeCounts(db, { table: 'user_counts', key: 'status', limit });

export const updateStatus = (
  tx: Tx,
  { user_id, status, now }: { user_id: string; status: 'active' | 'disabled'; now: Date },
) => tx.updateTable('users').set({ status, updated_at: now }).where('id', '=', user_id).execute();

/** The row and its email are kept; everything that could be used to sign in is removed. */
export const updateDeleted = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('users')
    .set({
      status: 'deleted',
      password_hash: null,
      platform_role: null,
      last_organization_id: null,
      avatar_id: null,
      mfa_enabled_at: null,
      updated_at: now,
    })
    .where('id', '=', user_id)
    .execute();

export const findUnverifiedUser = (db: Db, user_id: string) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'locale'])
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .where('email_verified_at', 'is', null)
    .executeTakeFirst();

interface ConfirmedAddress {
  readonly user_id: string;
  readonly email: string;
  readonly now: Date;
}

/** Sets the new address as verified. Violates `users_email_key` if another account took it in the meantime. */
export const updateEmail = (tx: Tx, { user_id, email, now }: ConfirmedAddress) =>
  tx
    .updateTable('users')
    .set({ email, email_verified_at: now, updated_at: now })
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .returning(['id', 'email', 'email_verified_at', 'last_organization_id'])
    .executeTakeFirst();

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly display_name: string | null;
  readonly locale: string | null;
  /** Null: the user signs in by single sign-on. */
  readonly password_hash: string | null;
  readonly organization_id: string;
  readonly role: OrganizationRole;
  readonly now: Date;
}

/** Inserts the user and the membership. Violates `users_email_key` if the address was registered in the meantime. */
export async function insertInvitedUser(tx: Tx, { organization_id, role, now, ...user }: NewUser): Promise<void> {
  await tx
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      display_name: user.display_name,
      password_hash: user.password_hash,
      email_verified_at: now,
      locale: user.locale,
      status: 'active',
      platform_role: null,
      created_at: now,
      updated_at: now,
      last_password_change_at: user.password_hash === null ? null : now,
      last_organization_id: organization_id,
    })
    .execute();
  await tx
    .insertInto('memberships')
    .values({ organization_id, user_id: user.id, role, joined_at: now, revoked_at: null })
    .execute();
}

export async function isPlatformOwner(tx: Tx, user_id: string): Promise<boolean> {
  const user = await tx.selectFrom('users').select('platform_role').where('id', '=', user_id).executeTakeFirst();
  return user?.platform_role === 'owner';
}

/** Called when a user leaves the organization: later audit rows of the user must not name it. */
export const clearLastOrganization = (tx: Tx, { organization_id, user_id }: MembershipKey) =>
  tx
    .updateTable('users')
    .set({ last_organization_id: null })
    .where('id', '=', user_id)
    .where('last_organization_id', '=', organization_id)
    .execute();
