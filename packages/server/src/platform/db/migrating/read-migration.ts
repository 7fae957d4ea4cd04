import { type Effect, effect, referencesIn } from './effects.ts';
import type { Migration, NewIndex } from './migration.ts';
import { readAlterTable } from './read-alter-table.ts';
import { openBrackets, splitList, splitStatements } from './split-statements.ts';

export interface Step {
  /** As it is run. */
  readonly text: string;
  readonly effects: readonly Effect[];
  /** What no table has to do with. */
  readonly breach?: string | undefined;
  /** Nobody here knows what it does. */
  readonly unreadable: boolean;
}

type Found = Partial<Omit<Step, 'text'>>;

/** What a migration has made so far: nobody else uses it yet. */
interface Made {
  readonly tables: Set<string>;
  readonly columns: Set<string>;
}

/** Which table an index belongs to, by its name; those of the migrations that were read before. */
export type Indexes = Map<string, string>;

/** Its statements, and what each does to the tables that were there before. */
export function readMigration(migration: Migration, indexes: Indexes): Step[] {
  const made: Made = { tables: new Set(), columns: new Set() };
  const statements =
    'sql' in migration
      ? splitStatements(migration.sql)
      : migration.indexes.flatMap((index) => splitStatements(buildStatement(index)));
  return statements.map(({ text, bare }) => {
    const found = readStatement(bare, made, indexes, 'indexes' in migration) ?? { unreadable: true };
    const effects = (found.effects ?? []).filter(({ table }) => !made.tables.has(table));
    return { text, unreadable: false, ...found, effects };
  });
}

export const buildStatement = ({ name, on, unique = false }: NewIndex, how = 'concurrently '): string =>
  `create ${unique ? 'unique ' : ''}index ${how}${name} on ${on}`;

/** No schema before it: two tables of one name would be taken for one. */
const form = (pattern: string): RegExp => new RegExp(`^${pattern.replaceAll('NAME', String.raw`(\w+)`)}`);

// Without `if not exists`: what was there before would be taken for new.
const TABLE = form(String.raw`create table NAME ?(?=\()`);
const PARTITION = form('create table NAME partition of NAME ');
const INDEX = form(String.raw`create (unique )?index (concurrently )?(\w+) on (?:only )?NAME`);
const TRIGGER = form(String.raw`create trigger \w+ (?:before|after) .*? on NAME `);
const HARMLESS = form('create (?:function|extension) ');
const ALTER = form('alter table (?:only )?NAME (.+)$');
const DROP_INDEX = form(String.raw`drop index ([\w, ]+)$`);
const DROP_TABLE = form(String.raw`drop table ([\w, ]+)$`);
const DROP_TRIGGER = form(String.raw`drop trigger \w+ on NAME$`);
const FUNCTION = form('(?:create or replace|drop) function ');
const UPDATE = form('update (?:only )?NAME set (.+)$');
const WRITE = form('(insert into|delete from) NAME ?');
const LOCK_ROWS = form('select from NAME for update$');

function readStatement(bare: string, made: Made, indexes: Indexes, beside: boolean): Found | undefined {
  const has = (pattern: RegExp): RegExpExecArray | null => pattern.exec(bare);
  let match = has(TABLE);
  if (match) {
    const [columns, rest] = openBrackets(bare.slice(match[0].length));
    if (!/^( partition by .*| with .*)?$/.test(rest)) return undefined;
    made.tables.add(match[1]!);
    return { effects: splitList(columns).flatMap(referencesIn) };
  }
  match = has(PARTITION);
  if (match) {
    made.tables.add(match[1]!);
    // Rows of the default partition that belong into the new one are looked for.
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
    const { effects, adds, unreadable } = readAlterTable(match[1]!, match[2]!);
    for (const column of adds) made.columns.add(`${match[1]}.${column}`);
    return { effects, unreadable: unreadable.length > 0 };
  }
  match = has(TRIGGER);
  if (match) return { effects: [effect(match[1]!, 'SHARE ROW EXCLUSIVE')] };
  return readRemoval(bare, indexes) ?? readRows(bare, made) ?? (HARMLESS.test(bare) ? {} : undefined);
}

function newIndex(table: string, unique: boolean, concurrently: boolean, beside: boolean): Effect {
  const wrongPlace = `${table}: writes are blocked while an index is built: use \`indexes\``;
  const duplicates = `${table}: the version before may write what a unique index forbids`;
  const breach = beside ? (unique ? duplicates : undefined) : wrongPlace;
  return effect(table, concurrently ? 'SHARE UPDATE EXCLUSIVE' : 'SHARE', 'reads', breach);
}

function readRemoval(bare: string, indexes: Indexes): Found | undefined {
  const breach = `takes from the version before, or changes under it: ${bare}`;
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

/** Statements about rows, and the tables they read on the way. */
function readRows(bare: string, made: Made): Found | undefined {
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
      ? breachOfUpdate(table, changes!, made)
      : changed
        ? `${table}: takes or changes rows that the version before may need`
        : undefined;
  const few = verb === 'insert into' && / values ?\(/.test(bare);
  return {
    effects: [
      effect(table, 'ROW EXCLUSIVE', few ? 'catalog' : 'writes', breach),
      ...read.map((name) => effect(name, 'ACCESS SHARE', 'reads')),
    ],
  };
}

/** Columns that this very migration has added may be filled: the version before does not know them. */
function breachOfUpdate(table: string, changes: string, made: Made): string | undefined {
  let flat = changes;
  while (/\([^()]*\)/.test(flat)) flat = flat.replace(/\([^()]*\)/g, '');
  const assigned = flat.split(/ (?:from|where|returning) /)[0]!.split(',');
  const known = assigned.filter((part) => !made.columns.has(`${table}.${/^ ?(\w+) ?=/.exec(part)?.[1]}`));
  return known.length === 0 ? undefined : `${table}: changes rows as the version before reads them:${known}`;
}
