import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type RawBuilder, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { type Counter, fullUntil } from '../../platform/limiter/queries.ts';
import type { RelyingParty } from '../kernel/relying-party.ts';
import { isUsable, rpIdOfPasskey } from '../kernel/statements.ts';
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

/** The columns of a passkey `p` that its owner sees. */
const columnsFor = (relyingParty: RelyingParty) =>
  [...COLUMNS, rpIdOfPasskey(relyingParty).as('rp_id'), isUsable(relyingParty).as('usable')] as const;

export type PasskeyRow = Awaited<ReturnType<typeof listPasskeys>>[number];

export const listPasskeys = (db: Db, user_id: string, relyingParty: RelyingParty) =>
  db
    .selectFrom('passkeys as p')
    .select(columnsFor(relyingParty))
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Active and removed passkeys, without their keys, oldest first. */
export const listPasskeyRecords = (db: Db, user_id: string, relyingParty: RelyingParty) =>
  db
    .selectFrom('passkeys as p')
    .select([...columnsFor(relyingParty), 'revoked_at'])
    .where('user_id', '=', user_id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export const listCredentials = (db: Db, user_id: string, relyingParty: RelyingParty) =>
  db
    .selectFrom('passkeys as p')
    .select(['credential_id', 'transports', isUsable(relyingParty).as('usable')])
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

interface Offer {
  readonly relyingParty: RelyingParty;
  readonly limit: number;
}

/**
 * The usable credentials by email, in one query, whether or not the address has an account. Returns at most `limit`,
 * the last used ones. A disabled account looks the same as an active one.
 */
export async function findCredentialsByEmail(
  db: Db,
  email: string,
  { relyingParty, limit }: Offer,
): Promise<FoundCredentials> {
  const { rows } = await sql<{ user_id: string | null; credential_id: Buffer | null; transports: string[] }>`
    select u.id as user_id, p.credential_id, p.transports
    from (select) as one
    left join users u on u.email = ${email}::text and u.status <> 'deleted'
    left join lateral (
      select credential_id, transports, created_at, id from passkeys p
      where user_id = u.id and revoked_at is null and ${isUsable(relyingParty)}
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
  /** False: this challenge was used before. */
  readonly unused: boolean;
  /** The network has reached its limit of failures: further ones are not audited. */
  readonly limited: boolean;
  /** The active passkey with this credential id, of any user. */
  readonly passkey: FoundPasskey | undefined;
}

/** Accepts a challenge only in the first request that contains it. Finds its passkey in the same statement. */
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
 * §4.3: updates counter and time of use while the passkey is active and the new counter is higher, or both counters are
 * 0 because the authenticator does not count. Locks the user's row before the passkey, as a reset that removes it does.
 */
export const claimPasskey = ({
  passkey,
  credential_id,
  sign_count,
  device_type,
  backed_up,
  now,
}: RightAssertion): RawBuilder<unknown> => sql`
  with locked_user as materialized (
    select id from users where id = ${passkey.user_id}::uuid and status = 'active' for no key update
  )
  update passkeys set sign_count = ${sign_count}::bigint, device_type = ${device_type}::text,
    backed_up = ${backed_up}::bool, last_used_at = ${now}::timestamptz
  where id = ${passkey.id}::uuid and user_id = (select id from locked_user) and revoked_at is null
    and credential_id = ${credential_id}::bytea
    and (sign_count < ${sign_count}::bigint or (sign_count = 0 and ${sign_count}::bigint = 0))
  returning 1`;

export async function countPasskeys(tx: Tx, user_id: string): Promise<number> {
  const { count } = await tx
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Violates `passkeys_credential_key` if the credential id is active for any user. */
export const insertPasskey = (tx: Tx, row: Insertable<Schema['passkeys']> & { rp_id: string }) =>
  tx.insertInto('passkeys').values(row).returning(COLUMNS).executeTakeFirstOrThrow();

interface PasskeyKey {
  readonly id: string;
  readonly user_id: string;
}

export const findPasskeyForUpdate = (tx: Tx, { id, user_id }: PasskeyKey, relyingParty: RelyingParty) =>
  tx
    .selectFrom('passkeys as p')
    .select(columnsFor(relyingParty))
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const updatePasskeyName = (tx: Tx, { id, name }: { id: string; name: string }) =>
  tx.updateTable('passkeys').set({ name }).where('id', '=', id).execute();

interface Removal {
  readonly relyingParty: RelyingParty;
  readonly now: Date;
}

/** Returns undefined if there is no such active passkey. */
export const revokePasskey = (
  tx: Tx,
  { id, user_id }: PasskeyKey,
  { relyingParty, now }: Removal,
): Promise<{ name: string; usable: boolean } | undefined> =>
  tx
    .updateTable('passkeys as p')
    .set({ revoked_at: now, credential_id: null, public_key: null })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['name', isUsable(relyingParty).as('usable')])
    .executeTakeFirst();

/** Also true for a removed passkey, so that a repeated removal succeeds. */
export async function isOwnPasskey(tx: Tx, { id, user_id }: PasskeyKey): Promise<boolean> {
  const row = await tx
    .selectFrom('passkeys')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Seconds for which a used challenge is kept after it expires: the clock of another replica may be behind. */
const CHALLENGE_KEPT_SECONDS = 300;

export const deleteOldChallenges = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'passkey_challenges',
    where: sql`expires_at < ${after(now, -CHALLENGE_KEPT_SECONDS)}`,
    oldest: sql`expires_at`,
    limit,
  });

/** Deletes passkeys that were removed long ago. Afterwards a request for one of them gets 404. */
export const deleteOldPasskeys = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'passkeys',
    where: sql`revoked_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`revoked_at`,
    limit,
  });

/** Removes all passkeys of a user and returns them. The rows stay for a while, without credential id and public key. */
export const revokePasskeys = (tx: Tx, user_id: string, now: Date) =>
  tx
    .updateTable('passkeys')
    .set({ revoked_at: now, credential_id: null, public_key: null })
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .returning(['id', 'name'])
    .execute();
