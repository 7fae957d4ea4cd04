import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './goals.ts';
import type { Machine } from './machine.ts';
import type { Result } from './race.ts';

export type Columns<T> = readonly [string, (row: T) => string][];

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const tableOf = <T>(columns: Columns<T>, rows: readonly T[]): Table => ({
  head: columns.map(([title]) => title),
  rows: rows.map((row) => columns.map(([, cell]) => cell(row))),
});

const decimal = (value: number | undefined): string =>
  value === undefined ? '' : value.toFixed(value < 1 ? 3 : value < 100 ? 1 : 0);
const rate = (value: number): string => value.toFixed(value < 100 ? 1 : 0);

const RESULTS: Columns<Result> = [
  ['contestant', ({ name }) => name],
  ['req/s', (result) => rate(result.rate)],
  ['least … most', ({ spread }) => spread.map(rate).join(' … ')],
  ['p50 ms', ({ p50 }) => decimal(p50)],
  ['p99 ms', ({ p99 }) => decimal(p99)],
  ['errors', ({ errors }) => String(errors)],
  ['CPU ms: service', ({ cpu }) => decimal(cpu.service)],
  ['database', ({ cpu }) => decimal(cpu.database)],
  ['load', ({ cpu }) => decimal(cpu.load)],
  ['cores', ({ cores }) => cores.toFixed(2)],
  ['of the limit', ({ ratio }) => ratio.toFixed(2)],
];

export const resultsTable = (results: readonly Result[]): Table => tableOf(RESULTS, results);

const VERDICTS: Columns<Verdict> = [
  ['operation', ({ operation }) => operation],
  ['Gatehouse', ({ ours }) => ours],
  ['limit or peer', ({ limit }) => limit],
  ['ratio', ({ ratio }) => ratio],
  ['goal', ({ goal }) => goal],
  ['verdict', ({ met }) => (met === undefined ? '' : met ? 'met' : 'missed')],
];

export const verdictsTable = (verdicts: readonly Verdict[]): Table => tableOf(VERDICTS, verdicts);

export function printTable({ head, rows }: Table): void {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((row) => row[column]!.length)));
  for (const row of lines) {
    const cells = row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)));
    console.log(`  ${cells.join('   ')}`);
  }
}

const markdown = ({ head, rows }: Table): string =>
  [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

export interface Report {
  readonly tables: readonly Table[];
  readonly notes?: readonly string[];
  readonly verdicts: readonly Verdict[];
  /** The content of the JSON file. */
  readonly data: unknown;
}

export interface Run {
  readonly name: string;
  readonly report: Report;
}

const folder = join(import.meta.dirname, 'results');

export function writeResults(machine: Machine, { name, report }: Run): void {
  mkdirSync(folder, { recursive: true });
  const { data, verdicts, notes = [] } = report;
  const text = JSON.stringify({ name, at: new Date().toISOString(), machine, results: data, verdicts, notes }, null, 2);
  writeFileSync(join(folder, `${name}.json`), `${text}\n`);
}

export function writeSummary(machine: Machine, runs: readonly Run[], name = 'summary'): string {
  const path = join(folder, `${name}.md`);
  const verdicts = runs.flatMap(({ report }) => report.verdicts);
  const sections = runs.map(({ name, report: { tables, notes = [] } }) =>
    [`## ${name}`, ...tables.map(markdown), ...notes.map((note) => `- ${note}`)].join('\n\n'),
  );
  const page = [
    '# Figures',
    `${machine.cpu}, ${machine.cores} cores, ${machine.memory}; Node ${machine.node}; ${machine.postgresql}; commit ${machine.commit}, ${new Date().toISOString().slice(0, 10)}.`,
    ...(verdicts.length > 0 ? [markdown(verdictsTable(verdicts))] : []),
    ...sections,
  ];
  writeFileSync(path, `${page.join('\n\n')}\n`);
  return path;
}
