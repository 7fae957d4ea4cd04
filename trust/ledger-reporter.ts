import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Campaign } from './chapters.ts';

interface Row {
  readonly name: string;
  tried: number;
  failed: number;
  skipped: number;
  readonly failures: string[];
  readonly notes: string[];
}

/** Prints the ledger, one row for each chapter, after the tests of a campaign. */
export class LedgerReporter implements Reporter {
  readonly #campaign: Campaign;
  readonly #root: string;

  constructor(campaign: Campaign, root: string) {
    this.#campaign = campaign;
    this.#root = root;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const rows = this.#campaign.chapters.map(({ name, files }) => {
      const row: Row = { name, tried: 0, failed: 0, skipped: 0, failures: [], notes: [] };
      for (const module of modules) {
        const path = relative(this.#root, module.moduleId);
        if (files.some((pattern) => matches(path, pattern))) addModule(row, module, path);
      }
      return row;
    });
    for (const row of rows) if (row.tried === 0) fail(row, row.name, 'no case ran', 0);
    // The ledger is printed after the summary of the default reporter.
    process.on('exit', () => {
      print(this.#campaign, rows);
      if (rows.some(({ failed }) => failed > 0)) process.exitCode = 1;
      if (errors.length > 0) console.log(`  and ${errors.length} errors outside any test`);
    });
  }
}

/** Matches patterns with `*` and `{one,other}`. */
function matches(path: string, pattern: string): boolean {
  const source = pattern
    .replaceAll(/[.+^$()|[\]\\]/g, '\\$&')
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replaceAll('*', '[^/]*');
  return new RegExp(`^${source}$`).test(path);
}

function addModule(row: Row, module: TestModule, path: string): void {
  for (const error of module.errors()) fail(row, path, error.message);
  for (const test of module.children.allTests()) addTest(row, test);
}

function addTest(row: Row, test: TestCase): void {
  const { state, errors } = test.result();
  const entry = test.meta().ledger;
  if (state === 'skipped') row.skipped += 1;
  if (state === 'skipped' || state === 'pending') return;
  row.notes.push(...(entry?.notes ?? []));
  const repeats = 1 + (test.diagnostic()?.repeatCount ?? 0);
  if (entry && entry.tried > 0) {
    row.tried += entry.tried;
    row.failed += entry.failures.length;
    row.failures.push(...entry.failures);
    // The test threw, or failed outside its cases.
    if (state === 'failed' && entry.failures.length === 0) fail(row, test.fullName, errors?.[0]?.message);
  } else {
    row.tried += repeats;
    if (state === 'failed') fail(row, test.fullName, errors?.[0]?.message, 0);
  }
}

function fail(row: Row, name: string, message = 'failed', tried = 1): void {
  row.tried += tried;
  row.failed += 1;
  row.failures.push(`${name}: ${message.split('\n')[0]}`);
}

function print({ successLabel }: Campaign, rows: readonly Row[]): void {
  const total: Row = { name: 'all', tried: 0, failed: 0, skipped: 0, failures: [], notes: [] };
  for (const row of rows) {
    total.tried += row.tried;
    total.failed += row.failed;
    total.skipped += row.skipped;
  }
  const width = Math.max(...[...rows, total].map(({ name }) => name.length));
  const line = (name: string, cells: readonly (string | number)[]) =>
    console.log(`  ${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(10)).join('')}`);
  console.log('\nledger');
  line('', ['tried', successLabel, 'failed', 'skipped']);
  for (const { name, tried, failed, skipped } of [...rows, total]) line(name, [tried, tried - failed, failed, skipped]);
  for (const { name, notes } of rows) for (const note of notes) console.log(`  ${name}: ${note}`);
  for (const { name, failures } of rows) for (const failure of failures) console.log(`  FAILED ${name}: ${failure}`);
}
