import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type RawBuilder, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { type Counter, fullUntil } from '../../platform/limiter/queries.ts';
import type { Challenge } from './challenge.ts';

const COLUMNS = [
  'id',
  'name',
  'created_at',
  'last_used_at',
  'device_type',
  'backed_up',
  'transports',
  'aaguid',
] as const;

export type PasskeyRow = Awaited<ReturnType<typeof listPasskeys>>[number];

/** Those in force, oldest first. */
export const listPasskeys = (db: Db, user_id: string) =>
  db
    .selectFrom('passkeys')
    .select(COLUMNS)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** What the browser is told of those in force. */
export const listCredentials = (db: Db, user_id: string) =>
  db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .$narrowType<{ credential_id: Buffer }>()
    .execute();

interface FoundCredentials {
  /** Undefined: no account has this address. */
  readonly user_id: string | undefined;
  readonly credentials: readonly { credential_id: Buffer; transports: string[] }[];
}

/**
 * The same by address, in one query, whether or not it has an account: at most `limit`, those used last. A disabled
 * account is shown as it was before.
 */
export async function findCredentialsByEmail(db: Db, email: string, limit: number): Promise<FoundCredentials> {
  const { rows } = await sql<{ user_id: string | null; credential_id: Buffer | null; transports: string[] }>`
    select u.id as user_id, p.credential_id, p.transports
    from (select) as one
    left join users u on u.email = ${email}::text and u.status <> 'deleted'
    left join lateral (
      select credential_id, transports, created_at, id from passkeys where user_id = u.id and revoked_at is null
      order by coalesce(last_used_at, created_at) desc, id desc limit ${limit}::int
    ) as p on true
    order by p.created_at, p.id`.execute(db);
  return {
    user_id: rows[0]!.user_id ?? undefined,
    credentials: rows.flatMap(({ credential_id, transports }) =>
      credential_id === null ? [] : [{ credential_id, transports }],
    ),
  };
}

export interface FoundPasskey {
  readonly id: string;
  readonly user_id: string;
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly device_type: 'singleDevice' | 'multiDevice';
}

interface Spent {
  /** False: this challenge has come back before. */
  readonly unused: boolean;
  /** So many have failed from here that no more is told of them. */
  readonly limited: boolean;
  /** The one in force with this credential id, whoever's it is. */
  readonly passkey: FoundPasskey | undefined;
}

/** A challenge is good once, for whoever brings it first; along with that, the passkey it came with is looked up. */
export async function spendChallenge(
  db: Db,
  { id, expires_at }: Challenge,
  credential_id: Buffer | undefined,
  { counters, now }: { counters: readonly Counter[]; now: Date },
): Promise<Spent> {
  const isFull = counters.length === 0 ? sql`false` : sql`${fullUntil(counters, now)} is not null`;
  const { rows } = await sql<Omit<FoundPasskey, 'id'> & Omit<Spent, 'passkey'> & { id: string | null }>`
    with spent as (
      insert into passkey_challenges (id, expires_at) values (${id}::bytea, ${expires_at}::timestamptz)
      on conflict (id) do nothing returning 1
    )
    select exists (select from spent) as unused, ${isFull} as limited, p.id, p.user_id, p.public_key, p.sign_count,
      p.device_type
    from (select) as one left join passkeys p on p.credential_id = ${credential_id ?? null}::bytea`.execute(db);
  const { unused, limited, id: passkey_id, ...row } = rows[0]!;
  return { unused, limited, passkey: passkey_id === null ? undefined : { id: passkey_id, ...row } };
}

interface RightAssertion {
  readonly passkey: FoundPasskey;
  readonly credential_id: Buffer;
  readonly sign_count: number;
  readonly device_type: 'singleDevice' | 'multiDevice';
  readonly backed_up: boolean;
  readonly now: Date;
}

/**
 * §4.3: the count goes up and the time of use is noted, while the passkey is in force and its count is still below; one
 * that does not count stays at 0. The user's row is held before the passkey's, as by a reset that takes it away.
 */
export const claimPasskey = ({
  passkey,
  credential_id,
  sign_count,
  device_type,
  backed_up,
  now,
}: RightAssertion): RawBuilder<unknown> => sql`
  with holder as materialized (
    select id from users where id = ${passkey.user_id}::uuid and status = 'active' for no key update
  )
  update passkeys set sign_count = ${sign_count}::bigint, device_type = ${device_type}::text,
    backed_up = ${backed_up}::bool, last_used_at = ${now}::timestamptz
  where id = ${passkey.id}::uuid and user_id = (select id from holder) and revoked_at is null
    and credential_id = ${credential_id}::bytea
    and (sign_count < ${sign_count}::bigint or (sign_count = 0 and ${sign_count}::bigint = 0))
  returning 1`;

/** Those in force. */
export async function countPasskeys(tx: Tx, user_id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** A credential id that is in force anywhere hits `passkeys_credential_key`. */
export const insertPasskey = (tx: Tx, row: Insertable<Schema['passkeys']>) =>
  tx.insertInto('passkeys').values(row).returning(COLUMNS).executeTakeFirstOrThrow();

interface Which {
  readonly id: string;
  readonly user_id: string;
}

/** One in force, held until the transaction ends. */
export const findPasskeyForUpdate = (tx: Tx, { id, user_id }: Which) =>
  tx
    .selectFrom('passkeys')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const updatePasskeyName = (tx: Tx, { id, name }: { id: string; name: string }) =>
  tx.updateTable('passkeys').set({ name }).where('id', '=', id).execute();

/** False: there was none in force. */
export const revokePasskey = (tx: Tx, { id, user_id }: Which, now: Date): Promise<{ name: string } | undefined> =>
  tx
    .updateTable('passkeys')
    .set({ revoked_at: now, credential_id: null, public_key: null })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst();

/** In force or not. */
export async function isOwnPasskey(tx: Tx, { id, user_id }: Which): Promise<boolean> {
  const row = await tx
    .selectFrom('passkeys')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Seconds that a used challenge is remembered after its end: the clock of another replica may be behind. */
const CHALLENGE_KEPT = 300;

export const deleteOldChallenges = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'passkey_challenges',
    where: sql`expires_at < ${after(now, -CHALLENGE_KEPT)}`,
    oldest: sql`expires_at`,
    limit,
  });

/** Nobody is told any more that one of these was theirs. */
export const deleteOldPasskeys = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'passkeys',
    where: sql`revoked_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`revoked_at`,
    limit,
  });

/**
 * Removes every passkey of a user. Returns those that were active until now; the rows stay for a while, without the
 * data that could be used to sign in.
 */
export const revokePasskeys = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('passkeys')
    .set({ revoked_at: now, credential_id: null, public_key: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();
