import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from './race.ts';

export type Columns<T> = readonly [string, (row: T) => string][];

const COLUMNS: Columns<Result> = [
  ['contestant', ({ name }) => name],
  ['req/s', ({ rate }) => rate.toFixed(0)],
  ['least … most', ({ spread }) => spread.map((rate) => rate.toFixed(0)).join(' … ')],
  ['p50 ms', ({ p50 }) => String(p50)],
  ['p99 ms', ({ p99 }) => String(p99)],
  ['errors', ({ errors }) => String(errors)],
  ['of the limit', ({ ratio }) => ratio.toFixed(2)],
];

export const printTable = (results: readonly Result[]): void => printColumns(COLUMNS, results);

export function printColumns<T>(columns: Columns<T>, results: readonly T[]): void {
  const rows = [columns.map(([title]) => title), ...results.map((result) => columns.map(([, cell]) => cell(result)))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    console.log(
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('   ')}`,
    );
  }
}

/** The figures of the last run, for whoever compares. */
export function keepResults(name: string, results: unknown): void {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, at: new Date().toISOString(), results }, null, 2));
}
