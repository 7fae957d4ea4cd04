import type { UnprovenCredential } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { RelyingParty } from '../kernel/relying-party.ts';
import { isUsable } from '../kernel/statements.ts';

/** Whether the user can sign in without an emailed code. */
export async function hasCredential(tx: Tx, user_id: string, relyingParty: RelyingParty): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from users where id = ${user_id}::uuid and password_hash is not null)
      or exists (
        select from passkeys p where user_id = ${user_id}::uuid and revoked_at is null and ${isUsable(relyingParty)})
      or exists (select from identities where user_id = ${user_id}::uuid and revoked_at is null) as any`.execute(tx);
  return rows[0]!.any;
}

/** Includes passkeys of another relying party id: a change of the setting can make them usable again. */
const hasPasskey = (but: RawBuilder<unknown>) => sql`exists (select from passkeys p
  where p.user_id = u.id and p.revoked_at is null and ${but})`;

const hasIdentity = (but: RawBuilder<unknown>) => sql`exists (select from identities i
  where i.user_id = u.id and i.revoked_at is null and ${but})`;

const NAMES = ['identity', 'passkey', 'password', 'totp'] as const satisfies readonly UnprovenCredential[];

type Has = Readonly<Record<UnprovenCredential, boolean>>;

/** In alphabetical order, docs/reference/accounts.md#unproven-accounts. */
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
  /** The browser that registered the account; null if unknown. */
  readonly user_agent: string | null;
  readonly email_verified_at: Date | null;
  readonly credentials: UnprovenCredential[];
}

/**
 * When and with which device an account was created, and which credentials it has. The browser is in the audit trail,
 * where a registration is among the first rows of its user; accounts created by an import or an administrator have no
 * such row.
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

interface NewPassword {
  readonly user_id: string;
  /** The address that the link was sent to. The link is void if the account has another address by now. */
  readonly email: string;
  readonly password_hash: string;
  readonly now: Date;
}

interface ResetUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date;
  readonly locale: string | null;
  readonly last_organization_id: string | null;
  /** False: the email was not verified before, so another person may have registered the account. */
  readonly was_verified: boolean;
}

/**
 * Sets the password by a reset link. The link proves access to the mailbox, so the email becomes verified too. Returns
 * undefined if the account is not active or its address has changed.
 */
export async function updateResetPassword(
  tx: Tx,
  { user_id, email, password_hash, now }: NewPassword,
): Promise<ResetUser | undefined> {
  const { rows } = await sql<ResetUser>`
    with before as materialized (
      select id, email_verified_at from users
      where id = ${user_id}::uuid and status = 'active' and email = ${email}::text for no key update
    )
    update users u set
      password_hash = ${password_hash}::text,
      last_password_change_at = ${now}::timestamptz,
      email_verified_at = coalesce(before.email_verified_at, ${now}::timestamptz),
      updated_at = ${now}::timestamptz
    from before where u.id = before.id
    returning u.id, u.email, u.email_verified_at, u.locale, u.last_organization_id,
      before.email_verified_at is not null as was_verified`.execute(tx);
  return rows[0];
}

interface PasswordUpdate {
  readonly user_id: string;
  /** The hash that the current password was checked against; null if the user had none. */
  readonly checked_hash: string | null;
  readonly new_hash: string;
  readonly now: Date;
}

/** Returns undefined if the password changed since it was checked, or the account is not active. */
export const updatePassword = (tx: Tx, { user_id, checked_hash, new_hash, now }: PasswordUpdate) =>
  tx
    .updateTable('users')
    .set({ password_hash: new_hash, last_password_change_at: now, updated_at: now })
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .where('password_hash', 'is not distinct from', checked_hash)
    .returning(['email', 'locale'])
    .executeTakeFirst();
