import type { Contestant } from './contestant.ts';
import type { Goal, Verdict } from './goals.ts';
import { type Result, type Rounds, race } from './race.ts';
import { type Report, resultsTable } from './report.ts';

export interface Options extends Rounds {
  /** Other services are measured too. */
  readonly peers: boolean;
}

/** What it starts is ended after it, however it ends: see `tidy.ts`. */
export interface Bench {
  readonly name: string;
  /** One line. */
  readonly about: string;
  /** Only when it is named: it takes long, and much room. */
  readonly isLong?: boolean;
  /** Where nothing else is asked for. */
  readonly rounds?: Rounds;
  run(options: Options): Promise<Report>;
}

interface Field {
  /** The first is what the others are held against. */
  readonly contestants: readonly Contestant[];
  readonly goals?: readonly Goal[];
}

interface Raced extends Report {
  readonly results: readonly Result[];
}

/** Contestants in rounds, and the goals they are held to. */
export async function raced({ contestants, goals = [] }: Field, options: Options): Promise<Raced> {
  const results = await race(contestants, options);
  const find = (name: string) => results.find((result) => result.name === name);
  const verdicts = goals.map((goal) => goal(find)).filter((verdict): verdict is Verdict => verdict !== undefined);
  return { tables: [resultsTable(results)], verdicts, data: results, results };
}
