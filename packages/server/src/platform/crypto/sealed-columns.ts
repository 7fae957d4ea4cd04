import type { Schema } from '../db/schema.ts';

/** A column whose values can be unsealed only with a secret of the service. */
export interface SealedColumn {
  readonly table: keyof Schema;
  /** The column that names the row the value is sealed for: see `Binding`. */
  readonly key: string;
  readonly column: string;
  readonly purpose: string;
  readonly under: 'JWT_SECRET' | 'CONFIG_ENCRYPTION_KEY';
  /** The name of one value in messages to the operator. */
  readonly noun: string;
}

/**
 * Every sealed column, in the order of messages to the operator. `keys rewrap`, `config-key rotate` and the export seal
 * their values again.
 */
export const SEALED_COLUMNS = [
  {
    table: 'signing_keys',
    key: 'kid',
    column: 'sealed_private_key',
    purpose: 'signing-key',
    under: 'JWT_SECRET',
    noun: 'signing key',
  },
  {
    table: 'signing_keys',
    key: 'kid',
    column: 'sealed_restricted_key',
    purpose: 'restricted-key',
    under: 'JWT_SECRET',
    noun: 'signing key',
  },
  {
    table: 'application_keys',
    key: 'kid',
    column: 'sealed_private_key',
    purpose: 'signing-key',
    under: 'JWT_SECRET',
    noun: 'signing key',
  },
  {
    table: 'totp_secrets',
    key: 'user_id',
    column: 'sealed_secret',
    purpose: 'totp',
    under: 'JWT_SECRET',
    noun: 'authenticator secret',
  },
  { table: 'mails', key: 'id', column: 'sealed', purpose: 'mail', under: 'JWT_SECRET', noun: 'queued mail' },
  {
    table: 'foreign_hash_keys',
    key: 'id',
    column: 'sealed_key',
    purpose: 'foreign-hash',
    under: 'JWT_SECRET',
    noun: 'imported hash key',
  },
  {
    table: 'webhook_secrets',
    key: 'id',
    column: 'sealed_secret',
    purpose: 'webhook',
    under: 'JWT_SECRET',
    noun: 'webhook secret',
  },
  {
    table: 'provider_configs',
    key: 'provider',
    column: 'sealed_secret',
    purpose: 'provider',
    under: 'CONFIG_ENCRYPTION_KEY',
    noun: 'provider secret',
  },
  {
    table: 'sso_connections',
    key: 'id',
    column: 'sealed_secret',
    purpose: 'sso',
    under: 'CONFIG_ENCRYPTION_KEY',
    noun: 'single sign-on secret',
  },
] as const satisfies readonly SealedColumn[];

/** Nothing else can be sealed, except in an export: a value that is in no column of the list would be lost. */
export type SealPurpose = (typeof SEALED_COLUMNS)[number]['purpose'] | 'export';

export const sealedColumnsOf = (table: keyof Schema): SealedColumn[] =>
  SEALED_COLUMNS.filter((column) => column.table === table);

export const bindingOf = ({ purpose }: SealedColumn, row: string) => ({ purpose: purpose as SealPurpose, row });
