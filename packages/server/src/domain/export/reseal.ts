import type { Keyring, MasterKey } from '../../platform/crypto/keyring.ts';
import { seal, sealedUnder, unseal } from '../../platform/crypto/seal.ts';
import { bindingOf } from '../../platform/crypto/sealed-columns.ts';
import { TransferFailure } from './failure.ts';
import type { MovedTable } from './tables.ts';

/** The secrets of this service. CONFIG_ENCRYPTION_KEY may be unset. */
export type Keyrings = Readonly<{ JWT_SECRET: Keyring; CONFIG_ENCRYPTION_KEY: Keyring | undefined }>;

type Row = Record<string, unknown>;

interface Resealed {
  readonly line: string;
  /** The id of the row if its value cannot be decrypted: the value is then kept unchanged. */
  readonly unopened: string | undefined;
  readonly sealed: boolean;
}

export interface Move {
  readonly export_id: string;
  /** Derived from the passphrase. */
  readonly key: MasterKey;
  readonly keyrings: Keyrings;
}

/** In an export, a value is bound to the export, its table and its row. */
const bindingIn = ({ export_id }: Move, { name }: MovedTable, row: string) =>
  ({ purpose: 'export', row: `${export_id}\0${name}\0${row}` }) as const;

/** Decrypts the value with the old service's secrets and encrypts it with the passphrase. */
export function sealForExport(move: Move, table: MovedTable, line: string): Resealed {
  const { column, values, row, value } = read(table, line);
  if (typeof value !== 'string') return { line, unopened: undefined, sealed: false };
  const keyring = move.keyrings[column.under];
  const plain = keyring && unseal(keyring, bindingOf(column, row), value);
  if (!plain) return { line, unopened: row, sealed: false };
  const sealed = seal({ current: move.key, previous: undefined }, bindingIn(move, table, row), plain);
  return { line: write(values, column.column, sealed), unopened: undefined, sealed: true };
}

/**
 * Decrypts the value with the passphrase and encrypts it with the new service's secrets. Values not sealed with the
 * passphrase are kept unchanged.
 */
export function sealForService(move: Move, table: MovedTable, line: string): string {
  const { column, values, row, value } = read(table, line);
  if (typeof value !== 'string' || sealedUnder(value) !== move.key.id) return line;
  const keyring = move.keyrings[column.under];
  const plain = unseal({ current: move.key, previous: undefined }, bindingIn(move, table, row), value);
  if (!plain || !keyring) throw new TransferFailure(`${table.name}: the value of ${row} cannot be decrypted.`);
  return write(values, column.column, seal(keyring, bindingOf(column, row), plain));
}

function read({ sealed: column, name }: MovedTable, line: string) {
  if (!column) throw new Error(`${name} has nothing sealed`);
  const values = JSON.parse(line) as Row;
  return { column, values, row: String(values[column.key]), value: values[column.column] };
}

const write = (values: Row, name: string, sealed: string): string => JSON.stringify({ ...values, [name]: sealed });
