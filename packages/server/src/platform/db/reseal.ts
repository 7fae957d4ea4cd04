import { sql } from 'kysely';
import type { Keyring } from '../crypto/keyring.ts';
import { seal, unseal } from '../crypto/seal.ts';
import { bindingOf, type SealedColumn } from '../crypto/sealed-columns.ts';
import type { Db, Tx } from './connect.ts';
import { transact } from './transact.ts';

interface Resealed {
  /** How many values were sealed again under the current key. */
  readonly done: number;
  /** How many values neither key unseals. They are left unchanged. */
  readonly lost: number;
}

interface ResealOptions {
  /** Rows per transaction. */
  readonly batch?: number;
  /** Called in the transaction of each row, which is repeated after a deadlock. */
  readonly onRow?: (tx: Tx, row: string, outcome: keyof Resealed) => Promise<void>;
}

/**
 * Seals a column again under the current key. Safe to stop and repeat. The rows are locked, so a value that is saved
 * concurrently is either sealed again too, or saved after it.
 */
export async function resealColumn(
  db: Db,
  keyring: Keyring,
  column: SealedColumn,
  { batch = 100, onRow = async () => {} }: ResealOptions = {},
): Promise<Resealed> {
  const total = { done: 0, lost: 0 };
  for (let after: string | undefined; ; ) {
    const { done, lost, last } = await transact(db, async (tx) => {
      const found = await listOthers(tx, column, { key_id: keyring.current.id, after, limit: batch });
      let done = 0;
      for (const { id, sealed } of found) {
        const binding = bindingOf(column, id);
        const plain = unseal(keyring, binding, sealed);
        if (plain) await update(tx, column, { id, sealed: seal(keyring, binding, plain) });
        await onRow(tx, id, plain ? 'done' : 'lost');
        if (plain) done++;
      }
      return { done, lost: found.length - done, last: found.at(-1)?.id };
    });
    total.done += done;
    total.lost += lost;
    if (last === undefined) return total;
    after = last;
  }
}

/** `resealColumn` for several columns. Columns with the same noun are counted together. */
export async function resealColumns(
  db: Db,
  keyring: Keyring,
  columns: readonly SealedColumn[],
): Promise<(Resealed & { readonly noun: string })[]> {
  const totals = new Map<string, Resealed>();
  for (const column of columns) {
    const before = totals.get(column.noun) ?? { done: 0, lost: 0 };
    const { done, lost } = await resealColumn(db, keyring, column);
    totals.set(column.noun, { done: before.done + done, lost: before.lost + lost });
  }
  return [...totals].map(([noun, total]) => ({ noun, ...total }));
}

interface SealedRow {
  readonly id: string;
  readonly sealed: string;
}

/** Values sealed under another key, in the order of their rows, locked until the transaction ends. */
async function listOthers(
  tx: Tx,
  { table, key, column }: SealedColumn,
  { key_id, after, limit }: { key_id: string; after: string | undefined; limit: number },
): Promise<SealedRow[]> {
  const isNext = after === undefined ? sql`true` : sql`${sql.ref(key)} > ${after}`;
  const { rows } = await sql<SealedRow>`
    select ${sql.ref(key)}::text as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where split_part(${sql.ref(column)}, ':', 2) <> ${key_id}::text and ${isNext}
    order by ${sql.ref(key)} limit ${limit}::int for update`.execute(tx);
  return rows;
}

const update = (tx: Tx, { table, key, column }: SealedColumn, { id, sealed }: SealedRow) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed} where ${sql.ref(key)} = ${id}`.execute(tx);
