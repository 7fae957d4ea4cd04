import { parseArgs } from 'node:util';
import { findCommit } from './against/checkout.ts';
import { COMPARED, ROUNDS_AGAINST } from './against/compare.ts';
import type { Bench, Options } from './bench.ts';
import { BENCHES } from './benches.ts';
import type { Rounds } from './race.ts';

export const USAGE = `Usage: npm run bench -- [name …] [--peers] [--rounds N] [--seconds N] | --list
       npm run bench -- --against <commit> [${COMPARED.join(' | ')} …] [--rounds N] [--seconds N]`;
/** Chosen so that all benches without peers take at most ten minutes. */
const ROUNDS: Rounds = { rounds: 5, seconds: 0.8, maxWarmUpSeconds: 8 };
const ROUNDS_WITH_PEERS: Rounds = { rounds: 5, seconds: 3, maxWarmUpSeconds: 20 };

export class Misuse extends Error {}

export interface Benches {
  readonly benches: readonly Bench[];
  optionsOf(bench: Bench): Options;
}

export interface Against extends Rounds {
  /** The full hash. */
  readonly commit: string;
  readonly operations: readonly string[];
}

type Arguments = { readonly list: true } | { readonly against: Against } | Benches;

export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  if (values.list) return { list: true };
  const rounds = number(values, 'rounds', 1);
  const seconds = number(values, 'seconds', 0.1);
  const roundsOr = (fallback: Rounds): Rounds => ({
    ...fallback,
    rounds: rounds ?? fallback.rounds,
    seconds: seconds ?? fallback.seconds,
  });
  if (values.against !== undefined) {
    if (values.peers) throw new Misuse('--against cannot be combined with --peers.');
    return { against: { ...readAgainst(values.against, positionals), ...roundsOr(ROUNDS_AGAINST) } };
  }
  const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown.length > 0) throw new Misuse(`Unknown bench: ${unknown.join(', ')}.`);
  return {
    benches: BENCHES.filter(({ name, isLong }) => (positionals.length > 0 ? positionals.includes(name) : !isLong)),
    optionsOf: (bench) => ({
      peers: values.peers,
      ...roundsOr(bench.rounds ?? (values.peers ? ROUNDS_WITH_PEERS : ROUNDS)),
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
        against: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
      },
    });
  } catch (error) {
    throw new Misuse(`${(error as Error).message.split('. ')[0]}.`);
  }
}

function readAgainst(name: string, names: readonly string[]): Pick<Against, 'commit' | 'operations'> {
  const unknown = names.filter((operation) => !COMPARED.includes(operation));
  if (unknown.length > 0) throw new Misuse(`--against does not compare ${unknown.join(', ')}.`);
  const commit = findCommit(name);
  if (commit === undefined) throw new Misuse(`Unknown commit: ${name}.`);
  return { commit, operations: COMPARED.filter((operation) => names.length === 0 || names.includes(operation)) };
}

function number(values: { rounds?: string; seconds?: string }, name: 'rounds' | 'seconds', min: number) {
  const given = values[name];
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!(value >= min && value <= 3600) || (name === 'rounds' && !Number.isInteger(value))) {
    throw new Misuse(`--${name} must be a number from ${min} to 3600.`);
  }
  return value;
}

export function listBenches(): void {
  const width = Math.max(...BENCHES.map(({ name }) => name.length));
  for (const { name, about, isLong } of BENCHES) {
    console.log(`  ${name.padEnd(width)}  ${about}${isLong ? ' (only when named)' : ''}`);
  }
}
