import pg from 'pg';
import { LOCK_ORDER } from '../src/domain/kernel/lock-order.ts';

const OTHERS = LOCK_ORDER.length;
const ADVISORY = -1;

const rankOf = (table: string): number => {
  if (table === 'advisory') return ADVISORY;
  const rank = (LOCK_ORDER as readonly string[]).indexOf(table);
  return rank < 0 ? OTHERS : rank;
};

/** The tables of which a statement locks rows, and `advisory` for a lock that it waits for. */
export function locksIn(statement: string): string[] {
  const sql = statement
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
  const found = new Set<string>();
  if (/pg_advisory_xact_lock/.test(sql)) found.add('advisory');
  for (const [, table] of sql.matchAll(/(?<!\b(?:for|key|do) )\bupdate (?:only )?(\w+)(?= |$)/g)) found.add(table!);
  for (const [, table] of sql.matchAll(/\bdelete from (?:only )?(\w+)/g)) found.add(table!);
  for (const match of sql.matchAll(
    /\bfor (?:no key update|update|share|key share)(?: of ([\w, ]+?))?(?=\)|$| skip| nowait| limit)/g,
  )) {
    const tables = tablesIn(scopeBefore(sql, match.index));
    const aliases = match[1]?.split(/, ?/);
    for (const [alias, table] of tables) if (!aliases || aliases.includes(alias)) found.add(table);
  }
  return [...found];
}

/** The query that a locking clause belongs to, without the queries inside it. */
function scopeBefore(sql: string, end: number): string {
  let [depth, text] = [0, ''];
  for (let index = end - 1; index >= 0; index--) {
    const char = sql[index]!;
    if (char === ')') depth++;
    else if (char === '(' && depth === 0) break;
    else if (char === '(') depth--;
    else if (depth === 0) text = char + text;
  }
  return text;
}

const NO_ALIAS = new Set(['where', 'on', 'join', 'left', 'inner', 'cross', 'order', 'for', 'using', 'limit', 'group']);

const tablesIn = (query: string): [alias: string, table: string][] =>
  [...query.matchAll(/\b(?:from|join) (\w+)(?: (?:as )?(\w+))?/g)].map(([, table, alias]) => [
    alias === undefined || NO_ALIAS.has(alias) ? table! : alias,
    table!,
  ]);

/** Returns each table that a transaction locks after a later one: `users after sessions`. */
export function findBackwards(statements: readonly string[]): string[] {
  const held = new Set<string>();
  const found = new Set<string>();
  for (const statement of statements) {
    const locks = locksIn(statement);
    for (const table of locks.filter((each) => !held.has(each))) {
      for (const later of held) if (rankOf(later) > rankOf(table)) found.add(`${table} after ${later}`);
    }
    for (const table of locks) held.add(table);
  }
  return [...found];
}

/** Records the transactions of this process. `stop` returns what was locked backwards. */
export function recordTransactions(): { stop: () => string[] } {
  const open = new WeakMap<object, string[]>();
  const backwards = new Set<string>();
  const { prototype } = pg.Client as unknown as { prototype: { query(...args: unknown[]): unknown } };
  const { query } = prototype;
  prototype.query = function recording(this: object, ...args: unknown[]) {
    const text = typeof args[0] === 'string' ? args[0] : (args[0] as { text?: string } | undefined)?.text;
    if (text && /^\s*(begin|start transaction)/i.test(text)) open.set(this, []);
    else if (text && /^\s*(commit|rollback)/i.test(text)) {
      for (const pair of findBackwards(open.get(this) ?? [])) backwards.add(pair);
      open.delete(this);
    } else if (text) open.get(this)?.push(text);
    return query.apply(this, args);
  };
  return {
    stop: () => {
      prototype.query = query;
      return [...backwards];
    },
  };
}
