import { LIMITS } from '@gatehouse/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { type Count, type Counter, countEach, filledBy, fullUntil } from '../../platform/limiter/queries.ts';
import { type AuditInsert, auditAlong } from '../audit/queries.ts';
import type { RelyingParty } from '../kernel/relying-party.ts';
import { isUsable, type Uses } from '../kernel/statements.ts';
import { mailAlong, type NewMail } from '../mail/queries.ts';

/** A second factor that was verified and can be consumed once. */
export type Factor =
  | { readonly method: 'totp'; readonly step: number; readonly set_up_at: Date }
  | { readonly method: 'recovery_code'; readonly code_hash: Buffer };

export interface FoundFactor {
  readonly mfa_enabled_at: Date | null;
  readonly sealed_secret: string | null;
  readonly used_steps: readonly number[] | null;
  /** Identifies the secret that verified the code: it may have been replaced since. */
  readonly set_up_at: Date | null;
  readonly recovery_code_is_live: boolean;
}

const recoveryCodeIsLive = (code_hash: Buffer | null) => sql<boolean>`exists (select from recovery_codes r
  where r.user_id = u.id and r.code_hash = ${code_hash}::bytea and r.used_at is null)`;

export async function findFactor(db: Db, user_id: string, code_hash: Buffer | null): Promise<FoundFactor | undefined> {
  const { rows } = await sql<FoundFactor>`
    select u.mfa_enabled_at, t.sealed_secret, t.used_steps, t.created_at as set_up_at, ${recoveryCodeIsLive(code_hash)} as recovery_code_is_live
    from users u left join totp_secrets t on t.user_id = u.id and t.pending_until is null
    where u.id = ${user_id}::uuid and u.status = 'active'`.execute(db);
  return rows[0];
}

export interface PendingSignIn extends FoundFactor {
  readonly attempts: number;
  readonly burned_at: Date | null;
}

/** Like `findFactor`, for a pending sign-in. Undefined if its token expired or was deleted because a factor changed. */
export async function findHalfSignIn(
  db: Db,
  jti: string,
  code_hash: Buffer | null,
): Promise<PendingSignIn | undefined> {
  const { rows } = await sql<PendingSignIn>`
    select h.attempts, h.burned_at, u.mfa_enabled_at, t.sealed_secret, t.used_steps, t.created_at as set_up_at,
      ${recoveryCodeIsLive(code_hash)} as recovery_code_is_live
    from mfa_tokens h join users u on u.id = h.user_id
    left join totp_secrets t on t.user_id = u.id and t.pending_until is null
    where h.jti = ${jti}::uuid`.execute(db);
  return rows[0];
}

const isUnusedStep = ({ step, set_up_at }: Factor & { method: 'totp' }): RawBuilder<boolean> =>
  sql`pending_until is null and created_at = ${set_up_at}::timestamptz and not (${step}::int = any (used_steps))`;

interface RightAnswer {
  readonly jti: string;
  readonly user_id: string;
  readonly factor: Factor;
  readonly counters: readonly Counter[];
  readonly now: Date;
}

/**
 * Returns a row to the first caller, while token and factor are unused and attempts are left. Locks the user's row
 * before token and factor (see `kernel/lock-order.ts`). `useSecondFactor` consumes both in the same statement.
 */
export const claimSecondFactor = ({ jti, user_id, factor, counters, now }: RightAnswer): RawBuilder<unknown> => {
  const unused =
    factor.method === 'totp'
      ? sql`totp_secrets where ${isUnusedStep(factor)}`
      : sql`recovery_codes where code_hash = ${factor.code_hash}::bytea and used_at is null`;
  return sql`
    with locked_user as materialized (
      select id from users where id = ${user_id}::uuid and status = 'active' and mfa_enabled_at is not null
      for no key update
    ),
    pending as materialized (
      select jti from mfa_tokens
      where jti = ${jti}::uuid and user_id = (select id from locked_user) and burned_at is null
        and attempts < ${LIMITS.mfaToken.attempts}::int
      for update
    )
    select 1 from ${unused}
      and user_id = (select id from locked_user) and exists (select from pending) and ${fullUntil(counters, now)} is null
    for update`;
};

/** §3: marks the token as used, keeps it for the time that the specification says, and consumes the factor. */
export const useSecondFactor =
  ({ jti, user_id, factor, now }: RightAnswer): Uses =>
  (source) => [
    sql`update mfa_tokens set burned_at = ${now}::timestamptz,
        kept_until = ${now}::timestamptz + ${LIMITS.mfaToken.denylist}::int * interval '1 second'
      where jti = ${jti}::uuid and exists (select from ${source})`,
    useFactor({ user_id, factor, now }, source),
  ];

interface Use {
  readonly user_id: string;
  readonly factor: Factor;
  readonly now: Date;
}

/** The number of used steps to keep. Older steps are outside the accepted window, by the clock of any replica. */
const STEPS_KEPT = 20;

const useFactor = ({ user_id, factor, now }: Use, source: RawBuilder<unknown>): RawBuilder<unknown> =>
  factor.method === 'totp'
    ? sql`update totp_secrets set used_steps = ${factor.step}::int || array(
          select step from unnest(used_steps) as step where step > ${factor.step}::int - ${STEPS_KEPT}::int
        )
      where user_id = ${user_id}::uuid and ${isUnusedStep(factor)} and exists (select from ${source})
      returning 1`
    : sql`update recovery_codes set used_at = ${now}::timestamptz
      where user_id = ${user_id}::uuid and code_hash = ${factor.code_hash}::bytea and used_at is null
        and exists (select from ${source})
      returning 1`;

/** Consumes the factor of a signed-in user, whose row must be locked. Returns false if it was used in the meantime. */
export async function consumeFactor(tx: Tx, use: Use): Promise<boolean> {
  const { rows } = await useFactor(use, sql`(select 1) as always`).execute(tx);
  return rows.length > 0;
}

interface WrongAnswer {
  readonly jti: string;
  readonly counters: readonly Counter[];
  /** This statement also increments the counter; the wrong code that fills it queues the mail. */
  readonly notice: { readonly counter: Counter; readonly mail: NewMail };
  readonly failed: AuditInsert;
  readonly locked: AuditInsert;
  readonly now: Date;
}

/**
 * Counts and audits a wrong code; the last one also audits the lock. Returns the new counts of the account, over all
 * its tokens, or undefined if this token has no attempts left.
 */
export async function insertWrongAnswer(db: Db, wrong: WrongAnswer): Promise<readonly Count[] | undefined> {
  const maxAttempts = LIMITS.mfaToken.attempts;
  const { counter, mail } = wrong.notice;
  const { rows } = await sql<Count>`
    with attempt as (
      update mfa_tokens set attempts = attempts + 1
      where jti = ${wrong.jti}::uuid and burned_at is null and attempts < ${maxAttempts}::int
      returning attempts
    ),
    counted as (${countEach([...wrong.counters, counter], wrong.now, { source: sql`attempt` })}),
    notice_mail as (${mailAlong(mail, filledBy(counter, sql`counted`))}),
    failed_row as (${auditAlong([wrong.failed], sql`attempt`)} returning 1),
    -- Depends on failed_row, so that the lock is written after it.
    last_attempt as materialized (select from attempt where attempts = ${maxAttempts}::int and exists (select from failed_row)),
    locked_row as (${auditAlong([wrong.locked], sql`last_attempt`)})
    select key, count, resets_at from counted`.execute(db);
  return rows.length > 0 ? rows : undefined;
}

export async function findMfaStatus(db: Db, user_id: string) {
  const { rows } = await sql<{ mfa_enabled_at: Date | null; recovery_codes_remaining: number }>`
    select u.mfa_enabled_at,
      (select count(*) from recovery_codes r where r.user_id = u.id and r.used_at is null) as recovery_codes_remaining
    from users u where u.id = ${user_id}::uuid and u.status = 'active'`.execute(db);
  return rows[0];
}

interface Setup {
  readonly user_id: string;
  readonly sealed_secret: string;
  readonly now: Date;
  readonly pending_until: Date;
}

/** Stores a TOTP setup, which replaces an earlier pending one. Returns false if MFA is already on. */
export async function upsertSetup(db: Db, { user_id, sealed_secret, now, pending_until }: Setup): Promise<boolean> {
  const { rows } = await sql`
    with locked_user as materialized (
      select id from users where id = ${user_id}::uuid and status = 'active' and mfa_enabled_at is null for no key update
    )
    insert into totp_secrets (user_id, sealed_secret, created_at, pending_until)
    select id, ${sealed_secret}::text, ${now}::timestamptz, ${pending_until}::timestamptz from locked_user
    on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, created_at = excluded.created_at,
      pending_until = excluded.pending_until, used_steps = '{}'
    returning 1`.execute(db);
  return rows.length > 0;
}

export const findSetup = (db: Db, user_id: string) =>
  db
    .selectFrom('users as u')
    .leftJoin('totp_secrets as t', 't.user_id', 'u.id')
    .select(['u.mfa_enabled_at', 't.sealed_secret', 't.pending_until'])
    .where('u.id', '=', user_id)
    .where('u.status', '=', 'active')
    .executeTakeFirst();

/** Returns undefined if MFA is already on. */
export const updateMfaEnabled = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('users')
    .set({ mfa_enabled_at: now, updated_at: now })
    .where('id', '=', user_id)
    .where('status', '=', 'active')
    .where('mfa_enabled_at', 'is', null)
    .returning(['email', 'locale'])
    .executeTakeFirst();

interface Confirmed {
  readonly user_id: string;
  readonly sealed_secret: string;
  readonly step: number;
  readonly now: Date;
}

/** Activates the secret and marks the step as used. Returns false if another setup has begun or this one expired. */
export async function confirmSetup(tx: Tx, { user_id, sealed_secret, step, now }: Confirmed): Promise<boolean> {
  const row = await tx
    .updateTable('totp_secrets')
    .set({ pending_until: null, used_steps: [step] })
    .where('user_id', '=', user_id)
    .where('sealed_secret', '=', sealed_secret)
    .where('pending_until', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

interface NewCodes {
  readonly user_id: string;
  readonly hashes: readonly Buffer[];
  readonly now: Date;
}

/** All earlier recovery codes become invalid, used or not. */
export async function replaceRecoveryCodes(tx: Tx, { user_id, hashes, now }: NewCodes): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute();
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id, code_hash, created_at: now, used_at: null })))
    .execute();
}

interface SecretCounts {
  readonly current: number;
  readonly previous: number;
  /** Sealed under an unknown key. */
  readonly lost: number;
}

export async function countSecretsUnder(
  db: Db,
  keys: { current: string; previous: string | undefined },
): Promise<SecretCounts> {
  const { rows } = await sql<{ key_id: string; count: number }>`
    select split_part(t.sealed_secret, ':', 2) as key_id, count(*) as count
    from totp_secrets t join users u on u.id = t.user_id
    where t.pending_until is null and u.status <> 'deleted' group by 1`.execute(db);
  const under = (key_id: string | undefined) => rows.find((row) => row.key_id === key_id)?.count ?? 0;
  const [current, previous] = [under(keys.current), under(keys.previous)];
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  return { current, previous, lost: all - current - previous };
}

export async function deleteMfa(tx: Tx, user_id: string, now: Date): Promise<void> {
  await tx
    .updateTable('users')
    .set({ mfa_enabled_at: null, updated_at: now })
    .where('id', '=', user_id)
    .where('mfa_enabled_at', 'is not', null)
    .execute();
  await tx.deleteFrom('totp_secrets').where('user_id', '=', user_id).execute();
  await tx.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute();
}

/** Ends pending sign-ins: the first factor that they were based on has changed. */
export const deleteMfaTokens = (tx: Tx, user_id: string) =>
  tx.deleteFrom('mfa_tokens').where('user_id', '=', user_id).execute();

export const deleteOldMfaTokens = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, { table: 'mfa_tokens', where: sql`kept_until < ${now}`, oldest: sql`kept_until`, limit });

/** Which second factors a user can give. Undefined if the account is not active. */
export const findSecondFactors = (db: Db, user_id: string, relyingParty: RelyingParty) =>
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
            .where('p.revoked_at', 'is', null)
            .where(isUsable(relyingParty)),
        )
        .$castTo<boolean>()
        .as('has_passkey'),
    ])
    .where('u.id', '=', user_id)
    .where('u.status', '=', 'active')
    .executeTakeFirst();
