import type { Result } from './race.ts';

const COLUMNS: [string, (result: Result) => string][] = [
  ['contestant', ({ name }) => name],
  ['req/s', ({ rate }) => rate.toFixed(0)],
  ['least … most', ({ spread }) => spread.map((rate) => rate.toFixed(0)).join(' … ')],
  ['p50 ms', ({ p50 }) => String(p50)],
  ['p99 ms', ({ p99 }) => String(p99)],
  ['errors', ({ errors }) => String(errors)],
  ['of the limit', ({ ratio }) => ratio.toFixed(2)],
];

export function printTable(results: readonly Result[]): void {
  const rows = [COLUMNS.map(([title]) => title), ...results.map((result) => COLUMNS.map(([, cell]) => cell(result)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    console.log(
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('   ')}`,
    );
  }
}
