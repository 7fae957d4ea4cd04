import { readdirSync } from 'node:fs';
import { Skipped } from '../bench/debian.ts';
import { breakOff, tidyUp } from '../bench/tidy.ts';
import type { Proof } from './proof.ts';

const SUFFIX = '.interop.ts';

interface Row {
  readonly what: string;
  /** Why the check failed; undefined if it passed. */
  readonly fault?: string;
}

interface Result {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly skipped?: string;
}

/** Runs one proof. Processes and folders that it created are gone afterwards. */
async function runProof(name: string): Promise<Result> {
  const rows: Row[] = [];
  const { proof } = (await import(`./${name}${SUFFIX}`)) as { proof: Proof };
  console.log(`\n${name}: ${proof.about}`);
  const enter = (row: Row) => {
    rows.push(row);
    console.log(row.fault === undefined ? `  ✓ ${row.what}` : `  ✗ ${row.what}: ${row.fault}`);
  };
  try {
    await proof.run({
      check(what, seen, expected) {
        const [actual, wanted] = [JSON.stringify(seen), JSON.stringify(expected)];
        enter(actual === wanted ? { what } : { what, fault: `got ${actual}, expected ${wanted}` });
      },
    });
    if (rows.length === 0) enter({ what: 'the proof', fault: 'it checked nothing' });
  } catch (error) {
    if (error instanceof Skipped) {
      console.log(`  – skipped: ${error.message}`);
      return { name, rows, skipped: error.message };
    }
    enter({ what: 'the proof', fault: error instanceof Error ? error.message : String(error) });
  } finally {
    await tidyUp();
  }
  return { name, rows };
}

async function main(asked: readonly string[]): Promise<number> {
  const known = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort();
  const unknown = asked.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`Unknown proof: ${unknown.join(', ')}. Usage: npm run interop -- [${known.join('|')} …]`);
    return 2;
  }
  const results: Result[] = [];
  for (const name of asked.length > 0 ? asked : known) results.push(await runProof(name));
  console.log('\nproof, checks passed');
  for (const { name, rows, skipped } of results) {
    const passed = rows.filter(({ fault }) => fault === undefined).length;
    console.log(`  ${name.padEnd(32)} ${passed}/${rows.length}${skipped === undefined ? '' : `  skipped: ${skipped}`}`);
  }
  return results.some(({ rows }) => rows.some(({ fault }) => fault !== undefined)) ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void breakOff().finally(() => process.exit(130)));
}
process.exitCode = await main(process.argv.slice(2));
