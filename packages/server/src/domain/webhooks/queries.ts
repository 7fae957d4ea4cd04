import { LIMITS } from '@gatehouse/contract';
import { type Insertable, type Selectable, sql } from 'kysely';
import { after } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { deleteSome } from '../../platform/db/delete-some.ts';
import { lock } from '../../platform/db/lock.ts';
import type { Webhooks } from '../../platform/db/schema.ts';

export type WebhookRow = Selectable<Webhooks>;

const COLUMNS = [
  'id',
  'organization_id',
  'url',
  'description',
  'events',
  'enabled',
  'disabled_reason',
  'failing_since',
  'created_by',
  'created_at',
  'deleted_at',
] as const;

/** An organization, or null for the platform. */
interface Owner {
  readonly organization_id: string | null;
}

interface WebhookKey extends Owner {
  readonly id: string;
}

/** Serializes the creation of webhooks of one owner, so that their number stays within the limit. */
export const lockWebhooks = (tx: Tx, { organization_id }: Owner): Promise<void> =>
  lock(tx, `webhooks of ${organization_id ?? 'the platform'}`);

export async function countWebhooks(tx: Tx, { organization_id }: Owner): Promise<number> {
  const { count } = await tx
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', 'is not distinct from', organization_id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

const LAST_DELIVERY = sql`
  left join lateral (
    select status, last_status, coalesce(last_attempt_at, created_at) as at from webhook_deliveries
    where webhook_id = w.id order by created_at desc, id desc limit 1
  ) as last on true`;

export type ListedWebhook = WebhookRow & {
  readonly last_delivery_status: 'pending' | 'delivered' | 'failed' | null;
  readonly last_status: number | null;
  readonly last_delivery_at: Date | null;
};

/** The webhooks of an owner, oldest first, or one of them. Deleted ones are left out. */
export async function listWebhooks(
  db: Db,
  { organization_id, id }: Owner & { readonly id?: string },
): Promise<ListedWebhook[]> {
  const isOne = id === undefined ? sql`true` : sql`w.id = ${id}::uuid`;
  const { rows } = await sql<ListedWebhook>`
    select ${sql.join(COLUMNS.map((column) => sql.ref(`w.${column}`)))}, last.status as last_delivery_status, last.last_status, last.at as last_delivery_at
    from webhooks w ${LAST_DELIVERY}
    where w.organization_id is not distinct from ${organization_id}::uuid and w.deleted_at is null and ${isOne}
    order by w.created_at, w.id`.execute(db);
  return rows;
}

/** Also finds a deleted webhook. Locks the row until the transaction ends. */
export const findWebhookForUpdate = (tx: Tx, { id, organization_id }: WebhookKey): Promise<WebhookRow | undefined> =>
  tx
    .selectFrom('webhooks')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('organization_id', 'is not distinct from', organization_id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** For the delivery worker, which has only the id. */
export const lockWebhook = (tx: Tx, id: string): Promise<WebhookRow | undefined> =>
  tx.selectFrom('webhooks').select(COLUMNS).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const insertWebhook = (tx: Tx, row: Insertable<Webhooks>) => tx.insertInto('webhooks').values(row).execute();

export const updateWebhook = (
  tx: Tx,
  {
    id,
    ...changes
  }: Pick<WebhookRow, 'id' | 'url' | 'description' | 'events' | 'enabled' | 'disabled_reason' | 'failing_since'>,
) => tx.updateTable('webhooks').set(changes).where('id', '=', id).execute();

/** Deletes the secrets at once. The sweeper deletes the deliveries when they are 30 days old. */
export async function deleteWebhook(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('webhooks').set({ deleted_at: now, enabled: false }).where('id', '=', id).execute();
  await tx.deleteFrom('webhook_secrets').where('webhook_id', '=', id).execute();
  await tx.deleteFrom('webhook_spans').where('webhook_id', '=', id).execute();
}

/** The enabled webhooks that a user has created, locked in the order of their ids. */
export const listWebhooksOf = (tx: Tx, user_id: string): Promise<WebhookRow[]> =>
  tx
    .selectFrom('webhooks')
    .select(COLUMNS)
    .where('created_by', '=', user_id)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();

/** Starts to collect events: those committed after this statement, except those of this transaction. */
export const openSpan = (tx: Tx, webhook_id: string) => tx.insertInto('webhook_spans').values({ webhook_id }).execute();

/** Stops collecting events that are committed after this statement. */
export const closeSpan = (tx: Tx, webhook_id: string) =>
  sql`update webhook_spans set until = pg_current_snapshot() where webhook_id = ${webhook_id}::uuid and until is null`.execute(
    tx,
  );

/** Replaces all spans: one for each enabled webhook, from now on. */
export async function reopenSpans(tx: Tx): Promise<void> {
  await tx.deleteFrom('webhook_spans').execute();
  await sql`insert into webhook_spans (webhook_id) select id from webhooks where enabled and deleted_at is null`.execute(
    tx,
  );
}

/** Called when a webhook fails for the first time since its last success. */
export const updateFailing = (tx: Tx, id: string, now: Date) =>
  tx
    .updateTable('webhooks')
    .set({ failing_since: now })
    .where('id', '=', id)
    .where('failing_since', 'is', null)
    .execute();

export const updateWorking = (tx: Tx, id: string) =>
  tx
    .updateTable('webhooks')
    .set({ failing_since: null })
    .where('id', '=', id)
    .where('failing_since', 'is not', null)
    .execute();

export const deleteOldWebhooks = (db: Db, now: Date, limit: number): Promise<number> =>
  deleteSome(db, {
    table: 'webhooks',
    where: sql`deleted_at < ${after(now, -LIMITS.revokedKept)}`,
    oldest: sql`deleted_at`,
    limit,
  });

interface SecretRow {
  readonly id: string;
  readonly sealed_secret: string;
}

/** The current secret and, for a day after a rotation, the one before it. Newest first. */
export const listSecrets = (db: Db, webhook_id: string, now: Date): Promise<SecretRow[]> =>
  db
    .selectFrom('webhook_secrets')
    .select(['id', 'sealed_secret'])
    .where('webhook_id', '=', webhook_id)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy(sql`expires_at is null`, 'desc')
    .orderBy('id', 'desc')
    .limit(2)
    .execute();

/** Makes this the current secret. The one before it still signs until `before_expires_at`, older ones do not. */
export async function insertSecret(
  tx: Tx,
  row: SecretRow & { webhook_id: string; created_at: Date },
  before_expires_at: Date,
): Promise<void> {
  await tx
    .deleteFrom('webhook_secrets')
    .where('webhook_id', '=', row.webhook_id)
    .where('expires_at', 'is not', null)
    .execute();
  await tx
    .updateTable('webhook_secrets')
    .set({ expires_at: before_expires_at })
    .where('webhook_id', '=', row.webhook_id)
    .execute();
  await tx
    .insertInto('webhook_secrets')
    .values({ ...row, expires_at: null })
    .execute();
}
