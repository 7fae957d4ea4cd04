import { type Effect, effect, referencesIn } from './effects.ts';
import type { Migration, NewIndex } from './migration.ts';
import { readAlterTable } from './read-alter-table.ts';
import { openBrackets, splitList, splitStatements } from './split-statements.ts';

export interface Step {
  readonly text: string;
  readonly effects: readonly Effect[];
  /** Why the previous version cannot run at the same time, if the reason does not concern a table. */
  readonly breach?: string | undefined;
  readonly unreadable: boolean;
}

type Found = Partial<Omit<Step, 'text'>>;

/** Objects that the migration itself has created: no other transaction uses them yet. */
interface Created {
  readonly tables: Set<string>;
  readonly columns: Set<string>;
}

/** Table by index name, from the migrations that were read before. */
export type Indexes = Map<string, string>;

/** What a statement is read with. */
interface Context {
  readonly created: Created;
  readonly indexes: Indexes;
  /** Tables whose rows are never deleted. */
  readonly kept: readonly string[];
  /** The migration builds indexes while the program runs. */
  readonly beside: boolean;
}

/**
 * Returns the statements and their effects on tables that existed before the migration. Adds its indexes to `indexes`.
 */
export function readMigration(migration: Migration, indexes: Indexes, kept: readonly string[]): Step[] {
  const created: Created = { tables: new Set(), columns: new Set() };
  const context = { created, indexes, kept, beside: 'indexes' in migration };
  const statements =
    'sql' in migration
      ? splitStatements(migration.sql)
      : migration.indexes.flatMap((index) => splitStatements(buildStatement(index)));
  return statements.map(({ text, bare }) => {
    const found = readStatement(bare, context) ?? { unreadable: true };
    const effects = (found.effects ?? []).filter(({ table }) => !created.tables.has(table));
    return { text, unreadable: false, ...found, effects };
  });
}

export const buildStatement = ({ name, on, unique = false }: NewIndex, how = 'concurrently '): string =>
  `create ${unique ? 'unique ' : ''}index ${how}${name} on ${on}`;

/** Schema-qualified names are not accepted: two tables of the same name would be mistaken for one. */
const form = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll('NAME', String.raw`(\w+)`)}`);

// `if not exists` is not accepted: an existing table would be mistaken for a new one.
const TABLE = form(String.raw`create table NAME ?(?=\()`);
const PARTITION = form('create table NAME partition of NAME ');
const INDEX = form(String.raw`create (unique )?index (concurrently )?(\w+) on (?:only )?NAME`);
const TRIGGER = form(String.raw`create trigger \w+ (?:before|after) .*? on NAME `);
const NO_EFFECT = form('create (?:function|extension) ');
const ALTER = form('alter table (?:only )?NAME (.+)$');
const DROP_INDEX = form(String.raw`drop index ([\w, ]+)$`);
const DROP_TABLE = form(String.raw`drop table ([\w, ]+)$`);
const DROP_TRIGGER = form(String.raw`drop trigger \w+ on NAME$`);
const FUNCTION = form('(?:create or replace|drop) function ');
const UPDATE = form('update (?:only )?NAME set (.+)$');
const WRITE = form('(insert into|delete from) NAME ?');
const LOCK_ROWS = form('select from NAME for update$');

function readStatement(bare: string, { created, indexes, kept, beside }: Context): Found | undefined {
  const has = (pattern: RegExp): RegExpExecArray | null => pattern.exec(bare);
  let match = has(TABLE);
  if (match) {
    const [columns, rest] = openBrackets(bare.slice(match[0].length));
    if (!/^( partition by .*| with .*)?$/.test(rest)) return undefined;
    created.tables.add(match[1]!);
    return { effects: splitList(columns).flatMap((column) => referencesIn(column, kept)) };
  }
  match = has(PARTITION);
  if (match) {
    created.tables.add(match[1]!);
    // PostgreSQL scans the default partition for rows that belong to the new one.
    return { effects: [effect(match[2]!, 'ACCESS EXCLUSIVE', 'reads')] };
  }
  match = has(INDEX);
  if (match) {
    const [, unique, concurrently, name, table] = match;
    indexes.set(name!, table!);
    return { effects: [newIndex(table!, unique !== undefined, concurrently !== undefined, beside)] };
  }
  match = has(ALTER);
  if (match) {
    const { effects, adds, unreadable } = readAlterTable(match[1]!, match[2]!, kept);
    for (const column of adds) created.columns.add(`${match[1]}.${column}`);
    return { effects, unreadable: unreadable.length > 0 };
  }
  match = has(TRIGGER);
  if (match) return { effects: [effect(match[1]!, 'SHARE ROW EXCLUSIVE')] };
  return readRemoval(bare, indexes) ?? readRows(bare, created) ?? (NO_EFFECT.test(bare) ? {} : undefined);
}

function newIndex(table: string, unique: boolean, concurrently: boolean, beside: boolean): Effect {
  const wrongPlace = `${table}: writes are blocked while an index is built: use \`indexes\``;
  const duplicates = `${table}: the previous version may write what a unique index forbids`;
  const breach = beside ? (unique ? duplicates : undefined) : wrongPlace;
  return effect(table, concurrently ? 'SHARE UPDATE EXCLUSIVE' : 'SHARE', 'reads', breach);
}

function readRemoval(bare: string, indexes: Indexes): Found | undefined {
  const breach = `removes or changes what the previous version uses: ${bare}`;
  const gone = (table: string) => effect(table, 'ACCESS EXCLUSIVE', 'catalog', breach);
  const namesIn = (list: string) => splitList(list).map((name) => name.replace(/ (cascade|restrict)$/, ''));
  const [, dropped] = DROP_INDEX.exec(bare) ?? [];
  if (dropped !== undefined) {
    const tables = namesIn(dropped).map((index) => indexes.get(index));
    return tables.includes(undefined) ? undefined : { effects: (tables as string[]).map(gone) };
  }
  const [, tables] = DROP_TABLE.exec(bare) ?? DROP_TRIGGER.exec(bare) ?? [];
  if (tables !== undefined) return { effects: namesIn(tables).map(gone) };
  return FUNCTION.test(bare) ? { breach } : undefined;
}

/** Statements that change rows, and the tables that they also read. */
function readRows(bare: string, created: Created): Found | undefined {
  const [, locked] = LOCK_ROWS.exec(bare) ?? [];
  if (locked !== undefined) return { effects: [effect(locked, 'ROW SHARE')] };
  const [, updated, changes] = UPDATE.exec(bare) ?? [];
  const [, verb, written] = WRITE.exec(bare) ?? [];
  const table = updated ?? written;
  if (table === undefined) return undefined;
  const read = [...bare.matchAll(/\b(?:from|join|using) (?:\w+\.)?(\w+)(?! ?\()/g)]
    .map((match) => match[1]!)
    .filter((name) => name !== table);
  const changed = verb === 'delete from' || / on conflict .*do update /.test(bare);
  const breach =
    updated !== undefined
      ? breachOfUpdate(table, changes!, created)
      : changed
        ? `${table}: deletes or changes rows that the previous version may need`
        : undefined;
  const isValuesList = verb === 'insert into' && / values ?\(/.test(bare);
  return {
    effects: [
      effect(table, 'ROW EXCLUSIVE', isValuesList ? 'catalog' : 'writes', breach),
      ...read.map((name) => effect(name, 'ACCESS SHARE', 'reads')),
    ],
  };
}

/** Columns that the same migration added may be filled, because the previous version does not know them. */
function breachOfUpdate(table: string, changes: string, created: Created): string | undefined {
  let flat = changes;
  while (/\([^()]*\)/.test(flat)) flat = flat.replace(/\([^()]*\)/g, '');
  const assigned = flat.split(/ (?:from|where|returning) /)[0]!.split(',');
  const known = assigned.filter((part) => !created.columns.has(`${table}.${/^ ?(\w+) ?=/.exec(part)?.[1]}`));
  return known.length === 0 ? undefined : `${table}: changes rows that the previous version reads:${known}`;
}
