import { parseArgs } from 'node:util';
import type { Bench, Options } from './bench.ts';
import { BENCHES } from './benches.ts';
import { describeMachine } from './machine.ts';
import { installPeers } from './peers.ts';
import { keepResults, keepSummary, printTable, type Run, verdictsTable } from './report.ts';
import { breakOff, tidyUp } from './tidy.ts';

const USAGE = 'npm run bench -- [name …] [--peers] [--rounds N] [--seconds N], or --list';
const ROUNDS = { rounds: 5, seconds: 3 };

class Misuse extends Error {}

interface Asked {
  readonly benches: readonly Bench[];
  readonly list: boolean;
  optionsOf(bench: Bench): Options;
}

function readArguments(args: readonly string[]): Asked {
  const { values, positionals } = parse(args);
  const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown.length > 0) throw new Misuse(`There is no bench called ${unknown.join(', ')}.`);
  const rounds = number(values, 'rounds', 1);
  const seconds = number(values, 'seconds', 0.1);
  return {
    list: values.list,
    benches: BENCHES.filter(({ name, isLong }) => (positionals.length > 0 ? positionals.includes(name) : !isLong)),
    optionsOf: (bench) => ({
      peers: values.peers,
      rounds: rounds ?? bench.rounds?.rounds ?? ROUNDS.rounds,
      seconds: seconds ?? bench.rounds?.seconds ?? ROUNDS.seconds,
    }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        list: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
      },
    });
  } catch (error) {
    throw new Misuse(`${(error as Error).message.split('. ')[0]}.`);
  }
}

function number(values: { rounds?: string; seconds?: string }, name: 'rounds' | 'seconds', least: number) {
  const given = values[name];
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!(value >= least && value <= 3600) || (name === 'rounds' && !Number.isInteger(value))) {
    throw new Misuse(`--${name} must be a number from ${least} to 3600.`);
  }
  return value;
}

function listBenches(): void {
  const width = Math.max(...BENCHES.map(({ name }) => name.length));
  for (const { name, about, isLong } of BENCHES) {
    console.log(`  ${name.padEnd(width)}  ${about}${isLong ? ' (only when named)' : ''}`);
  }
}

async function runBench(bench: Bench, options: Options): Promise<Run> {
  try {
    const report = await bench.run(options);
    for (const table of report.tables) printTable(table);
    for (const note of report.notes ?? []) console.log(`  ${note}`);
    return { name: bench.name, report };
  } finally {
    await tidyUp();
  }
}

async function main(): Promise<number> {
  const asked = readArguments(process.argv.slice(2));
  if (asked.list) {
    listBenches();
    return 0;
  }
  const machine = describeMachine();
  if (asked.benches.some((bench) => asked.optionsOf(bench).peers)) await installPeers();
  const runs: Run[] = [];
  for (const bench of asked.benches) {
    console.log(`\n${bench.name}: ${bench.about}`);
    try {
      const run = await runBench(bench, asked.optionsOf(bench));
      keepResults(machine, run);
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
    console.log(`\n  written to ${keepSummary(machine, runs)}`);
  }
  return runs.length === asked.benches.length ? 0 : 1;
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
    if (!leaving) console.error('\n  breaking off: ending what was started …');
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
