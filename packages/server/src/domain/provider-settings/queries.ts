import type { Provider } from '@gatehouse/contract';
import type { Db, Tx } from '../../platform/db/connect.ts';

const COLUMNS = ['provider', 'enabled', 'public_config', 'sealed_secret', 'updated_at'] as const;

export type ProviderRow = Awaited<ReturnType<typeof listProviderRows>>[number];

export const listProviderRows = (db: Db) => db.selectFrom('provider_configs').select(COLUMNS).execute();

export const findProviderRow = (db: Db, provider: Provider) =>
  db.selectFrom('provider_configs').select(COLUMNS).where('provider', '=', provider).executeTakeFirst();

interface NewProviderRow {
  readonly provider: Provider;
  readonly enabled: boolean;
  readonly public_config: Readonly<Record<string, string>>;
  /** Undefined: the stored secret is kept, even if it changes concurrently. Null: it is deleted. */
  readonly sealed_secret: string | null | undefined;
  readonly now: Date;
}

/** Of two concurrent writes the later one wins. If it sets no secret, it keeps the secret that the other one set. */
export const upsertProviderRow = (tx: Tx, row: NewProviderRow): Promise<ProviderRow> => {
  const { provider, enabled, sealed_secret, now } = row;
  const changes = {
    enabled,
    public_config: JSON.stringify(row.public_config),
    updated_at: now,
    ...(sealed_secret !== undefined && { sealed_secret }),
  };
  return tx
    .insertInto('provider_configs')
    .values({ provider, sealed_secret: null, ...changes })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet(changes))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
};
