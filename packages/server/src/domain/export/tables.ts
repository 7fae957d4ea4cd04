import { type SealedColumn, sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { type Move, TABLES } from '../../platform/db/tables.ts';

type Table = keyof Schema;

export interface MovedTable extends Move {
  readonly name: Table;
  readonly sealed: SealedColumn | undefined;
}

const tables = (Object.keys(TABLES) as Table[]).map((name) => ({ name, move: TABLES[name].move }));

/** The tables that an export contains. A table comes after the tables it refers to. */
export const MOVED: readonly MovedTable[] = tables.flatMap(({ name, move }) =>
  typeof move === 'string' ? [] : [{ name, ...move, sealed: sealedColumnsOf(name)[0] }],
);

/** The tables that an export omits, and why. */
export const LEFT = tables.flatMap(({ name, move }) => (typeof move === 'string' ? [{ name, reason: move }] : []));
