import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';

/** Which second factors a user can give. Undefined if the account is not active. */
export const findSecondFactors = (db: Db, user_id: string) =>
  db
    .selectFrom('users as u')
    .select((eb) => [
      sql<boolean>`u.mfa_enabled_at is not null`.as('mfa_enabled'),
      eb
        .exists(
          eb
            .selectFrom('passkeys as p')
            .select('p.id')
            .whereRef('p.user_id', '=', 'u.id')
            .where('p.revoked_at', 'is', null),
        )
        .$castTo<boolean>()
        .as('has_passkey'),
    ])
    .where('u.id', '=', user_id)
    .where('u.status', '=', 'active')
    .executeTakeFirst();

/** Whoever is about to get a further way in, held until the transaction ends. Undefined: no longer active. */
export const findOwnerForWayIn = (tx: Tx, user_id: string) =>
  tx
    .selectFrom('users')
    .select(['id', 'email', 'email_verified_at', 'locale', 'mfa_enabled_at'])
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Locks the row in share mode until the transaction ends; other transactions may hold the same lock. */
export const shareUser = (tx: Tx, user_id: string) =>
  tx.selectFrom('users').select('id').where('id', '=', user_id).forShare().execute();

/** The session that asks for it, held against being ended. Undefined: it has ended. */
export const findSessionForWayIn = (
  tx: Tx,
  { session_id, user_id }: { session_id: string; user_id: string },
  now: Date,
) =>
  tx
    .selectFrom('sessions')
    .select(['aal', 'auth_time', 'mfa_verified_at', 'organization_id'])
    .where('id', '=', session_id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .forShare()
    .executeTakeFirst();

/** In the order of their ids, as everywhere, and held until the transaction ends. */
export const listUsersForAdministration = (tx: Tx, ids: readonly string[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'email', 'locale', 'status', 'platform_role', 'mfa_enabled_at', 'last_organization_id'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();

/** Whether the user has a password, a passkey or a linked identity. */
export async function hasCredential(tx: Tx, user_id: string): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    select exists (select from users where id = ${user_id}::uuid and password_hash is not null)
      or exists (select from passkeys where user_id = ${user_id}::uuid and revoked_at is null)
      or exists (select from identities where user_id = ${user_id}::uuid and revoked_at is null) as any`.execute(tx);
  return rows[0]!.any;
}
