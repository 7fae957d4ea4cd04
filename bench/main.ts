import { checkOut } from './against/checkout.ts';
import { compare } from './against/compare.ts';
import { type Against, type Benches, listBenches, Misuse, readArguments, USAGE } from './arguments.ts';
import type { Bench, Options } from './bench.ts';
import { describeMachine } from './machine.ts';
import { watchOtherWork } from './other-work.ts';
import { installPeers } from './peers.ts';
import { printTable, type Report, type Run, verdictsTable, writeResults, writeSummary } from './report.ts';
import { breakOff, tidyUp } from './tidy.ts';

async function runBench(bench: Bench, options: Options): Promise<Run> {
  try {
    const otherWork = watchOtherWork();
    const measured = await bench.run(options);
    const warning = otherWork();
    const report = warning ? { ...measured, notes: [...(measured.notes ?? []), warning] } : measured;
    printReport(report);
    return { name: bench.name, report };
  } finally {
    await tidyUp();
  }
}

function printReport({ tables, notes = [] }: Report): void {
  for (const table of tables) printTable(table);
  for (const note of notes) console.log(`  ${note}`);
}

async function main(): Promise<number> {
  const parsed = readArguments(process.argv.slice(2));
  if ('against' in parsed) return runAgainst(parsed.against);
  if ('benches' in parsed) return runBenches(parsed);
  listBenches();
  return 0;
}

async function runAgainst({ commit, ...parsed }: Against): Promise<number> {
  const machine = describeMachine();
  try {
    console.log(`\n${machine.commit} (here) against ${commit.slice(0, 7)} (there)`);
    console.error('  installing and building the other checkout …');
    const other = await checkOut(commit);
    const report = await compare({ ...parsed, other });
    printReport(report);
    const run = { name: 'against', report };
    writeResults(machine, run);
    console.log(`\n  written to ${writeSummary(machine, [run], 'against')}`);
    return 0;
  } catch (error) {
    if (!leaving) console.error(`  the comparison failed: ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    await tidyUp();
  }
}

async function runBenches(parsed: Benches): Promise<number> {
  const machine = describeMachine();
  const begun = performance.now();
  const { cpu, cores, memory, system, node, postgresql } = machine;
  console.log(`\n${cpu}, ${cores} cores, ${memory}, ${system}, Node ${node}, PostgreSQL ${postgresql}`);
  if (parsed.benches.some((bench) => parsed.optionsOf(bench).peers)) await installPeers();
  const runs: Run[] = [];
  for (const bench of parsed.benches) {
    console.log(`\n${bench.name}: ${bench.about}`);
    try {
      const run = await runBench(bench, parsed.optionsOf(bench));
      writeResults(machine, run);
      runs.push(run);
    } catch (error) {
      console.error(`  ${bench.name} failed: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (runs.length > 0) {
    const verdicts = runs.flatMap(({ report }) => report.verdicts);
    if (verdicts.length > 0) {
      console.log('\nsummary');
      printTable(verdictsTable(verdicts));
    }
    const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
    console.log(`\n  ${minutes} minutes, written to ${writeSummary(machine, runs)}`);
  }
  return runs.length === parsed.benches.length ? 0 : 1;
}

let leaving = false;
async function leave(code: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  await breakOff();
  process.exit(code);
}
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => {
    if (!leaving) console.error('\n  interrupted: stopping all processes …');
    void leave(code);
  });
}
process.on('uncaughtException', (error) => {
  console.error(error);
  void leave(1);
});

try {
  const code = await main();
  if (!leaving) process.exit(code);
} catch (error) {
  if (!(error instanceof Misuse)) throw error;
  console.error(`${error.message}\n${USAGE}\n`);
  listBenches();
  process.exit(2);
}
