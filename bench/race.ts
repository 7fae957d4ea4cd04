import autocannon from 'autocannon';

export interface Contestant {
  readonly name: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
}

export interface Bench {
  /** The first is the limit the others are held against. */
  readonly contestants: readonly Contestant[];
  readonly connections: number;
  close(): Promise<void>;
}

export interface Result {
  readonly name: string;
  /** Requests a second, the median of the rounds, and their least and greatest. */
  readonly rate: number;
  readonly spread: readonly [number, number];
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  /** Of the first contestant's rate. */
  readonly ratio: number;
}

const ROUNDS = 3;
const SECONDS = 3;

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** In rounds, one after the other: A B C, A B C …, so that a slow moment of the machine hits all of them. */
export async function race({ contestants, connections }: Bench): Promise<Result[]> {
  const rounds = new Map<string, autocannon.Result[]>(contestants.map(({ name }) => [name, []]));
  const shoot = ({ url, headers }: Contestant, duration: number) =>
    autocannon({ url, duration, connections, ...(headers && { headers }) });
  for (const contestant of contestants) await shoot(contestant, 1);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const contestant of contestants) {
      process.stderr.write(`\r  round ${round} of ${ROUNDS}: ${contestant.name.padEnd(40)}`);
      rounds.get(contestant.name)!.push(await shoot(contestant, SECONDS));
    }
  }
  process.stderr.write(`\r${' '.repeat(70)}\r`);
  const rates = (name: string) => rounds.get(name)!.map((result) => result.requests.average);
  const limit = median(rates(contestants[0]!.name));
  return contestants.map(({ name }) => {
    const results = rounds.get(name)!;
    const rate = median(rates(name));
    return {
      name,
      rate,
      spread: [Math.min(...rates(name)), Math.max(...rates(name))],
      p50: median(results.map((result) => result.latency.p50)),
      p99: median(results.map((result) => result.latency.p99)),
      errors: results.reduce((sum, result) => sum + result.errors + result.non2xx, 0),
      ratio: rate / limit,
    };
  });
}
