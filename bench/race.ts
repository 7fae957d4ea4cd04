import autocannon from 'autocannon';

/** What one contestant did in one round. */
export interface Shot {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

export interface Contestant {
  readonly name: string;
  shoot(seconds: number): Promise<Shot>;
}

export interface Bench {
  /** The first is the limit the others are held against. */
  readonly contestants: readonly Contestant[];
  close(): Promise<void>;
}

/** The same request over and over, on so many connections. */
export const requests = (
  name: string,
  connections: number,
  options: Omit<autocannon.Options, 'connections'>,
): Contestant => ({
  name,
  async shoot(seconds) {
    const { requests, latency, errors, non2xx } = await autocannon({ ...options, connections, duration: seconds });
    return { rate: requests.average, p50: latency.p50, p99: latency.p99, errors: errors + non2xx };
  },
});

/** Any work, so many at once. */
export const work = (name: string, atOnce: number, once: (lane: number) => Promise<void>): Contestant => ({
  name,
  async shoot(seconds) {
    const times: number[] = [];
    let errors = 0;
    const end = performance.now() + seconds * 1000;
    const lane = async (_: unknown, index: number) => {
      while (performance.now() < end) {
        const begun = performance.now();
        await once(index).catch(() => errors++);
        times.push(performance.now() - begun);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    times.sort((left, right) => left - right);
    const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
    return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99), errors };
  },
});

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
export async function race({ contestants }: Bench): Promise<Result[]> {
  const rounds = new Map<string, Shot[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await contestant.shoot(1);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const contestant of contestants) {
      process.stderr.write(`\r  round ${round} of ${ROUNDS}: ${contestant.name.padEnd(40)}`);
      rounds.get(contestant.name)!.push(await contestant.shoot(SECONDS));
    }
  }
  process.stderr.write(`\r${' '.repeat(70)}\r`);
  const rates = (name: string) => rounds.get(name)!.map(({ rate }) => rate);
  const limit = median(rates(contestants[0]!.name));
  return contestants.map(({ name }) => {
    const shots = rounds.get(name)!;
    const rate = median(rates(name));
    return {
      name,
      rate,
      spread: [Math.min(...rates(name)), Math.max(...rates(name))],
      p50: median(shots.map(({ p50 }) => p50)),
      p99: median(shots.map(({ p99 }) => p99)),
      errors: shots.reduce((sum, { errors }) => sum + errors, 0),
      ratio: rate / limit,
    };
  });
}
