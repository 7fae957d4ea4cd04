import type { UnprovenCredential } from '@gatehouse/contract';
import { NIL_UUID } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { PlatformRole } from '../access/roles.ts';

export async function countPlatformOwners(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('platform_role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  return count;
}

/** The status stands in the text, not beside it: only so the planner knows that the index on emails holds every row asked for. */
export const findUserByEmail = (db: Db, email: string) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'email_verified_at', 'status', 'locale', 'platform_role'])
    .where('email', '=', email)
    .where('status', '<>', sql.lit('deleted'))
    .executeTakeFirst();

export const findCredentials = (db: Db, user_id: string) =>
  db
    .selectFrom('users')
    .select(['password_hash', 'mfa_enabled_at', 'locale'])
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .executeTakeFirst();

/** Active ones, the oldest account first. */
export const listPlatformOwners = (tx: Tx, { except, limit }: { except?: string | undefined; limit: number }) =>
  tx
    .selectFrom('users')
    .select(['email', 'locale'])
    .where('platform_role', '=', 'owner')
    .where('status', '=', 'active')
    .where('id', '<>', except ?? NIL_UUID)
    .orderBy('id')
    .limit(limit)
    .execute();

/** The recipient of a mail about this account. */
export const findRecipient = (tx: Tx, user_id: string) =>
  tx.selectFrom('users').select(['email', 'locale']).where('id', '=', user_id).executeTakeFirstOrThrow();

export const findUserForRole = (tx: Tx, user_id: string) =>
  tx
    .selectFrom('users')
    .select(['platform_role', 'status', 'last_organization_id', 'email', 'locale'])
    .where('id', '=', user_id)
    .where('status', '<>', 'deleted')
    .forNoKeyUpdate()
    .executeTakeFirst();

export const updatePlatformRole = (
  tx: Tx,
  { user_id, role, now }: { user_id: string; role: PlatformRole | null; now: Date },
) => tx.updateTable('users').set({ platform_role: role, updated_at: now }).where('id', '=', user_id).execute();

/** The trail remembers it. */
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

/** True for the one who comes first, for ever. */
export async function insertMilestone(tx: Tx, name: string, reached_at: Date): Promise<boolean> {
  const row = await tx
    .insertInto('milestones')
    .values({ name, reached_at })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .executeTakeFirst();
  return row !== undefined;
}

export interface NewTenant {
  readonly now: Date;
  readonly organization: { readonly id: string; readonly name: string; readonly slug: string };
  readonly owner: {
    readonly id: string;
    readonly email: string;
    readonly email_verified_at: Date | null;
    readonly display_name: string | null;
    readonly locale: string | null;
    readonly password_hash: string | null;
  };
}

/** An organization with its first owner. A taken email or slug is told by the constraint it hits. */
export const insertTenant = (tx: Tx, { now, organization, owner }: NewTenant) =>
  sql`
  with person as (
    insert into users (id, email, email_verified_at, display_name, locale, status, created_at, updated_at, password_hash,
      last_password_change_at, last_organization_id)
    values (${owner.id}::uuid, ${owner.email}, ${owner.email_verified_at}::timestamptz, ${owner.display_name}::text,
      ${owner.locale}::text, 'active', ${now}::timestamptz, ${now}::timestamptz, ${owner.password_hash}::text,
      case when ${owner.password_hash}::text is null then null else ${now}::timestamptz end, ${organization.id}::uuid)
    returning id
  ), tenant as (
    insert into organizations (id, name, slug, created_at)
    select ${organization.id}::uuid, ${organization.name}::text, ${organization.slug}::text, ${now}::timestamptz from person
    returning id
  )
  insert into memberships (organization_id, user_id, role, joined_at)
  select tenant.id, person.id, 'owner', ${now}::timestamptz from tenant, person`.execute(tx);

/** What `describeUser` makes the user record of, memberships and all in one trip. Whoever asks says which, and in which order. */
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
    // A suspended organization is one's own all the same.
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

export const deletePassword = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('users')
    .set({ password_hash: null, updated_at: now })
    .where('id', '=', user_id)
    .where('password_hash', 'is not', null)
    .execute();

const hasPasskey = (but: RawBuilder<unknown>) => sql`exists (select from passkeys p
  where p.user_id = u.id and p.revoked_at is null and ${but})`;
const hasIdentity = (but: RawBuilder<unknown>) => sql`exists (select from identities i
  where i.user_id = u.id and i.revoked_at is null and ${but})`;

const NAMES = ['identity', 'passkey', 'password', 'totp'] as const satisfies readonly UnprovenCredential[];
type Has = Readonly<Record<UnprovenCredential, boolean>>;

/** Sorted, as the contract has it. */
const namesOf = (has: Has | undefined): UnprovenCredential[] => NAMES.filter((name) => has?.[name]);

/**
 * Returns the credentials of the user that this session, which began with an emailed code, has neither proved nor
 * added; none once the email is verified. A second factor counts as proved if it was given after it was switched on.
 */
export async function findUnprovenCredentials(db: Db, session_id: string): Promise<UnprovenCredential[]> {
  const { rows } = await sql<Has>`
    select u.password_hash is not null and 'password' <> all (s.own_credentials) as password,
      u.mfa_enabled_at is not null and (s.mfa_verified_at is null or s.mfa_verified_at < u.mfa_enabled_at) as totp,
      ${hasPasskey(sql`p.id::text <> all (s.own_credentials)`)} as passkey,
      ${hasIdentity(sql`i.id::text <> all (s.own_credentials)`)} as identity
    from sessions s join users u on u.id = s.user_id
    where s.id = ${session_id}::uuid and u.email_verified_at is null`.execute(db);
  return namesOf(rows[0]);
}

interface Origin {
  readonly created_at: Date;
  /** Null: not known. */
  readonly user_agent: string | null;
  readonly email_verified_at: Date | null;
  readonly credentials: UnprovenCredential[];
}

/**
 * When and with which device an account was created, and which credentials it has. The browser is in the audit trail,
 * where a registration is among the first rows of its user; an import or an administrator writes none there.
 */
export async function findOrigin(db: Db, user_id: string): Promise<Origin> {
  const { rows } = await sql<Omit<Origin, 'credentials'> & Has>`
    select u.created_at, u.email_verified_at, u.password_hash is not null as password, u.mfa_enabled_at is not null as totp,
      ${hasPasskey(sql`true`)} as passkey, ${hasIdentity(sql`true`)} as identity,
      (select first.user_agent from (
        select id, action, user_agent from audit_events where actor_id = u.id order by id limit 10
      ) as first where first.action = 'auth.register' order by first.id limit 1) as user_agent
    from users u where u.id = ${user_id}::uuid`.execute(db);
  const { created_at, user_agent, email_verified_at, ...has } = rows[0]!;
  return { created_at, user_agent, email_verified_at, credentials: namesOf(has) };
}

interface VerifiedUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date;
  readonly last_organization_id: string | null;
  readonly was_verified: boolean;
}

/** The address the link went to, while it is the account's. Undefined: it is another by now, or the account is not active. */
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
