import { sql } from 'kysely';
import type { TestDatabase } from './database.ts';

/** A node of a plan that scans or sorts. */
export interface Scan {
  readonly statement: string;
  readonly node: string;
  readonly table: string | undefined;
  readonly index: string | undefined;
  readonly condition: string;
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Node[];
}

/** Returns the prepared statements of the only connection of this database. */
const listPrepared = async ({ db }: TestDatabase) => {
  const { rows } = await sql<{ name: string; statement: string; parameters: number }>`
    select name, statement, cardinality(parameter_types) as parameters from pg_prepared_statements
    where name ~ '^q[0-9]+$' order by prepare_time`.execute(db);
  return rows;
};

/** Returns the generic plans, which PostgreSQL may use from the sixth execution on, of the prepared statements. */
export async function plansOf(database: TestDatabase, pattern: RegExp): Promise<Scan[]> {
  const { db } = database;
  const scans: Scan[] = [];
  await sql`set plan_cache_mode = force_generic_plan`.execute(db);
  await sql`discard plans`.execute(db);
  for (const { name, statement, parameters } of await listPrepared(database)) {
    if (!pattern.test(statement)) continue;
    const nulls = parameters === 0 ? '' : `(${Array(parameters).fill('null').join(', ')})`;
    const { rows } = await sql<{ 'QUERY PLAN': readonly { Plan: Node }[] }>`${sql.raw(
      `explain (format json) execute ${name}${nulls}`,
    )}`.execute(db);
    for (const { Plan } of rows[0]!['QUERY PLAN']) collect(Plan, statement, scans);
  }
  await sql`reset plan_cache_mode`.execute(db);
  return scans;
}

function collect(node: Node, statement: string, scans: Scan[]): void {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition = '' } = node;
  if (/Scan|Sort/.test(type)) {
    scans.push({ statement: statement.replace(/\s+/g, ' ').slice(0, 140), node: type, table, index, condition });
  }
  for (const below of node.Plans ?? []) collect(below, statement, scans);
}
