import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { COLUMN_NOTES } from '../src/platform/db/column-notes.ts';
import { TABLES } from '../src/platform/db/tables.ts';
import type { TestDatabase } from './database.ts';
import { ROOT } from './sources.ts';

const HEAD = `// The tables for Kysely, generated from a migrated database, column-types.ts and column-notes.ts. To update:
//   npx vitest run --project embedded packages/server/test/schema-types.test.ts -u
// Columns are in snake_case, also in the JSON of the API: nothing renames them.
import type { ColumnType, Generated } from 'kysely';
import type { ColumnTypes } from './column-types.ts';
`;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** It is the primary key on its own. */
  readonly key: boolean;
  /** `always`: an insert cannot set it. */
  readonly fill: 'always' | 'default' | 'none';
  /** The values that a check allows. */
  readonly allowed: string | null;
}

const COLUMNS: RawBuilder<Column> = sql<Column>`
  select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as nullable,
    coalesce(array[a.attnum] = k.conkey, false) as key,
    case when a.attidentity = 'a' or pg_get_expr(d.adbin, d.adrelid) = 'pg_current_xact_id()' then 'always'
      when a.atthasdef or a.attidentity = 'd' then 'default' else 'none' end as fill,
    (select pg_get_constraintdef(oid) from pg_constraint
      where conrelid = c.oid and contype = 'c' and conkey = array[a.attnum] and pg_get_constraintdef(oid) like '%ANY (ARRAY[''%'
      limit 1) as allowed
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

/** What the driver returns, with the parser of `connect.ts` for int8. */
const TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  pg_snapshot: 'string',
  text: 'string',
  timestamptz: 'Date',
  uuid: 'string',
  xid8: 'string',
};

const JSON_TYPE = /^jsonb?$/;

/** Returns packages/server/src/platform/db/schema.ts. */
export async function renderSchemaTypes({ db }: Pick<TestDatabase, 'db'>): Promise<string> {
  const { rows } = await COLUMNS.execute(db);
  const given = givenTypes();
  expectColumns(rows, [...given, ...Object.keys(COLUMN_NOTES)]);
  const tables = Object.keys(TABLES).sort();
  const interfaces = tables.map((table) => {
    const columns = rows.filter((row) => row.table === table);
    return `export interface ${nameOf(table)} {\n${columns.map((column) => renderColumn(column, given)).join('')}}\n`;
  });
  const all = tables.map((table) => `  ${table}: ${nameOf(table)};\n`).join('');
  return [HEAD, `export interface Schema {\n${all}}\n`, ...interfaces].join('\n');
}

const nameOf = (table: string): string => table.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The names of the columns in `ColumnTypes`. */
function givenTypes(): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, 'packages/server/src/platform/db/column-types.ts'), 'utf8');
  return new Set([...text.matchAll(/^ {2}'(\w+\.\w+)':/gm)].map((match) => match[1]!));
}

function expectColumns(columns: readonly Column[], named: readonly string[]): void {
  const known = new Set(columns.map(({ table, name }) => `${table}.${name}`));
  const unknown = named.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`no such column: ${unknown.join(', ')}`);
}

function renderColumn(column: Column, given: ReadonlySet<string>): string {
  const note = COLUMN_NOTES[`${column.table}.${column.name}`];
  return `${note ? `  /** ${note} */\n` : ''}  ${column.name}: ${typeOf(column, given)};\n`;
}

/** A key cannot be updated. Kysely lets an insert leave out what may be null. */
function typeOf(column: Column, given: ReadonlySet<string>): string {
  const type = `${valueTypeOf(column, given)}${column.nullable ? ' | null' : ''}`;
  const isJson = JSON_TYPE.test(column.type);
  const stored = isJson ? `string${column.nullable ? ' | null' : ''}` : type;
  if (column.fill === 'always') return `ColumnType<${type}, never, never>`;
  if (column.key) return `ColumnType<${type}, ${stored}${column.fill === 'default' ? ' | undefined' : ''}, never>`;
  if (isJson) return `ColumnType<${type}, ${stored}${column.fill === 'default' ? ' | undefined' : ''}, ${stored}>`;
  return column.fill === 'default' ? `Generated<${type}>` : type;
}

function valueTypeOf({ table, name, type, allowed }: Column, given: ReadonlySet<string>): string {
  if (given.has(`${table}.${name}`)) return `ColumnTypes['${table}.${name}']`;
  const values = /ANY \(ARRAY\[(.*?)\]/.exec(allowed ?? '')?.[1];
  if (values !== undefined) return [...values.matchAll(/'[^']*'/g)].join(' | ');
  const isArray = type.startsWith('_');
  const found = TYPES[isArray ? type.slice(1) : type];
  if (found === undefined) throw new Error(`${table}.${name} is ${type}: add its type to column-types.ts`);
  return isArray ? `${found}[]` : found;
}
