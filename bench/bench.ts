import type { Contestant } from './contestant.ts';
import type { Goal, Verdict } from './goals.ts';
import { type Result, type Rounds, race } from './race.ts';
import { type Report, resultsTable } from './report.ts';

export interface Options extends Rounds {
  readonly peers: boolean;
}

/** For benches whose goals are coarse, or that have none; also with `--peers`. */
export const FEW_ROUNDS: Rounds = { rounds: 3, seconds: 0.8 };

/** Everything that a bench starts is ended after it, even if it fails: see `tidy.ts`. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  /** Runs only when named, because it takes long, or needs a browser. */
  readonly isLong?: boolean;
  /** Used unless `--rounds` and `--seconds` are given. */
  readonly rounds?: Rounds;
  run(options: Options): Promise<Report>;
}

interface Field {
  /** The first contestant is the one with which the others are compared. */
  readonly contestants: readonly Contestant[];
  readonly goals?: readonly Goal[];
}

interface Raced extends Report {
  readonly results: readonly Result[];
}

export async function raced({ contestants, goals = [] }: Field, options: Options): Promise<Raced> {
  const results = await race(contestants, options);
  const find = (name: string) => results.find((result) => result.name === name);
  const verdicts = goals.map((goal) => goal(find)).filter((verdict): verdict is Verdict => verdict !== undefined);
  const notes = contestants.flatMap(({ note = [] }) => note);
  return { tables: [resultsTable(results)], notes, verdicts, data: results, results };
}
