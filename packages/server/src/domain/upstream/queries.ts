import { LIMITS, type OAuthProvider } from '@gatehouse/contract';
import { type Insertable, type RawBuilder, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { type Counter, countEach } from '../../platform/limiter/queries.ts';
import { type AuditInsert, auditAlong } from '../audit/queries.ts';
import type { Uses } from '../kernel/statements.ts';
import type { ExternalIdentity } from '../provider-settings/external-identity.ts';

interface Spent {
  /** False: this state was used before. */
  readonly unused: boolean;
  /** The new value of the counter; null: nothing was counted. */
  readonly count: number | null;
  readonly resets_at: Date | null;
}

/** Accepts a state only in the first request that contains it. The same statement counts that request. */
export async function spendState(
  db: Db,
  { id, expires_at }: { id: Buffer; expires_at: Date },
  counter: Counter | undefined,
  now: Date,
): Promise<Spent> {
  const counting = counter
    ? countEach([counter], now, { source: sql`spent` })
    : sql`select 0 as count, null::timestamptz as resets_at where false`;
  const { rows } = await sql<Spent>`
    with spent as (
      insert into oauth_states (id, expires_at) values (${id}::bytea, ${expires_at}::timestamptz)
      on conflict (id) do nothing returning 1
    ),
    counted as (${counting})
    select exists (select from spent) as unused, counted.count, counted.resets_at
    from (select) as one left join counted on true`.execute(db);
  return rows[0]!;
}

/** Counts a failure and, up to the counter's quota, audits it in the same statement. */
export const insertLimitedFailure = (db: Db, counter: Counter, row: AuditInsert, now: Date) =>
  sql`
  with counted as (${countEach([counter], now)}),
  audit_row as (${auditAlong([row], sql`(select from counted where count <= ${counter.quota.count}::int) as room`)})
  select from counted`.execute(db);

/** Finds the linked identity, whichever user it belongs to. */
export const findIdentity = (db: Db, { provider, issuer, subject }: ExternalIdentity) =>
  db
    .selectFrom('identities')
    .select(['id', 'user_id'])
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();

interface Use {
  readonly id: string;
  readonly user_id: string;
  readonly email: string | null;
  readonly now: Date;
}

/** Updates the time of use if the identity is still linked. Locks the user's row first, as unlinking does. */
export const claimIdentity = ({ id, user_id, email, now }: Use): RawBuilder<unknown> => sql`
  with locked_user as materialized (
    select id from users where id = ${user_id}::uuid and status = 'active' for no key update
  )
  update identities set last_used_at = ${now}::timestamptz, email = coalesce(${email}::text, email)
  where id = ${id}::uuid and user_id = (select id from locked_user) and revoked_at is null
  returning 1`;

/** Returns a row, and locks it, while the active account has this address and the address is verified. */
export const claimVerifiedEmail = ({ user_id, email }: { user_id: string; email: string }): RawBuilder<unknown> => sql`
  select 1 from users where id = ${user_id}::uuid and status = 'active' and email = ${email}::text
    and email_verified_at is not null
  for no key update`;

type NewIdentity = Insertable<Schema['identities']>;

/** Violates `identities_subject_key` if the identity is already linked to a user. */
export const insertIdentity = (tx: Tx, row: NewIdentity) =>
  tx.insertInto('identities').values(row).returning(COLUMNS).executeTakeFirstOrThrow();

/** `insertIdentity` as part of a sign-in statement. */
export const identityAlong =
  (row: NewIdentity): Uses =>
  (source) => [
    sql`insert into identities (id, user_id, provider, issuer, subject, email, linked_at, last_used_at)
      select ${row.id}::uuid, ${row.user_id}::uuid, ${row.provider}::text, ${row.issuer}::text, ${row.subject}::text,
        ${row.email}::text, ${row.linked_at}::timestamptz, ${row.last_used_at}::timestamptz
      where exists (select from ${source})`,
  ];

const COLUMNS = ['id', 'provider', 'email', 'linked_at', 'last_used_at'] as const;

export type IdentityRow = Awaited<ReturnType<typeof listIdentities>>[number];

export const listIdentities = (db: Db, user_id: string) =>
  db
    .selectFrom('identities')
    .select(COLUMNS)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .orderBy('linked_at')
    .orderBy('id')
    .execute();

/** Linked and unlinked identities, oldest first. */
export const listIdentityRecords = (db: Db, user_id: string) =>
  db
    .selectFrom('identities')
    .select([...COLUMNS, 'revoked_at'])
    .where('user_id', '=', user_id)
    .orderBy('linked_at')
    .orderBy('id')
    .execute();

interface IdentityKey {
  readonly id: string;
  readonly user_id: string;
}

/** Returns undefined if the identity is not linked. */
export const revokeIdentity = (
  tx: Tx,
  { id, user_id }: IdentityKey,
  now: Date,
): Promise<{ provider: OAuthProvider } | undefined> =>
  tx
    .updateTable('identities')
    .set({ revoked_at: now, subject: null, email: null })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning('provider')
    .executeTakeFirst();

/** Also true for an unlinked identity, so that a repeated unlinking succeeds. */
export async function isOwnIdentity(tx: Tx, { id, user_id }: IdentityKey): Promise<boolean> {
  const row = await tx
    .selectFrom('identities')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Seconds for which a used state is kept after it expires: the clock of another replica may be behind. */
const STATE_KEPT_SECONDS = 300;

export const deleteOldStates = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'oauth_states',
    where: sql`expires_at < ${after(now, -STATE_KEPT_SECONDS)}`,
    oldest: sql`expires_at`,
    limit,
  });

export const deleteOldIdentities = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'identities',
    where: sql`revoked_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`revoked_at`,
    limit,
  });

/** Unlinks all identities of a user and returns them. The rows stay for a while, without subject and email. */
export const revokeIdentities = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('identities')
    .set({ revoked_at: now, subject: null, email: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'provider'])
    .execute();
