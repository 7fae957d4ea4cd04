import type { Contestant, Count } from './contestant.ts';
import { hasProc, readCpu } from './proc.ts';

/** Milliseconds of CPU time per request: of the service, of its PostgreSQL, of the load generator. */
interface CpuPerRequest {
  readonly service?: number;
  readonly database?: number;
  readonly load?: number;
}

export interface Measurement extends Count {
  readonly cpu: CpuPerRequest;
  /** The average number of cores in use. */
  readonly cores: number;
}

export interface Result {
  readonly name: string;
  /** Per second: the median of the rounds, and their minimum and maximum. */
  readonly rate: number;
  readonly spread: readonly [number, number];
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
  readonly cpu: CpuPerRequest;
  readonly cores: number;
  /** The rate relative to the contestant it is compared with. */
  readonly ratio: number;
  readonly rounds: readonly Measurement[];
}

export interface Rounds {
  readonly rounds: number;
  /** The duration of one measurement. */
  readonly seconds: number;
  /** The longest warm-up of a contestant. Default: one measurement. */
  readonly maxWarmUpSeconds?: number;
}

/** In seconds. */
export const WARM_UP = 2;
/** After about this many requests, V8 has optimized their code; before, a refresh takes 1.6 times as long. */
const WARM_REQUESTS = 10_000;

export const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Measures in rounds, A B C, A B C …, so that a slow moment of the machine affects all contestants. */
export async function race(
  contestants: readonly Contestant[],
  { rounds, seconds, maxWarmUpSeconds }: Rounds,
): Promise<Result[]> {
  const measurements = new Map<Contestant, Measurement[]>(contestants.map((contestant) => [contestant, []]));
  for (const contestant of contestants) {
    showProgress(`  warming up: ${contestant.name}`);
    await warm(contestant, Math.min(WARM_UP, seconds), maxWarmUpSeconds);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const contestant of contestants) {
      showProgress(`  round ${round} of ${rounds}: ${contestant.name}`);
      measurements.get(contestant)!.push(await measure(contestant, seconds));
    }
  }
  showProgress('');
  const rateOf = (name: string) => {
    const [, found = []] = [...measurements].find(([contestant]) => contestant.name === name) ?? [];
    return median(found.map(({ rate }) => rate));
  };
  return contestants.map((contestant) => {
    const { name, against = contestants[0]!.name } = contestant;
    return { ...summarize(name, measurements.get(contestant)!), ratio: rateOf(name) / rateOf(against) };
  });
}

function summarize(name: string, measurements: readonly Measurement[]): Omit<Result, 'ratio'> {
  const rates = measurements.map(({ rate }) => rate);
  const middle = (of: (measurement: Measurement) => number) => median(measurements.map(of));
  const cpu: Record<string, number> = {};
  for (const part of Object.keys(measurements[0]!.cpu) as (keyof CpuPerRequest)[]) {
    cpu[part] = middle((measurement) => measurement.cpu[part] ?? 0);
  }
  return {
    name,
    rate: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    errors: measurements.reduce((sum, { errors }) => sum + errors, 0),
    cpu,
    cores: middle(({ cores }) => cores),
    rounds: measurements,
  };
}

/** Warms up a contestant for at most `maxSeconds`; work in this process (`here: 'service'`) for one step only. */
export async function warm(contestant: Contestant, stepSeconds: number, maxSeconds = stepSeconds): Promise<void> {
  const steps = contestant.here === 'service' ? 1 : Math.max(1, Math.floor(maxSeconds / stepSeconds));
  let requests = 0;
  for (let index = 0; index < steps && requests < WARM_REQUESTS; index++) {
    requests += (await measure(contestant, stepSeconds)).total;
  }
}

export async function measure(contestant: Contestant, seconds: number): Promise<Measurement> {
  await contestant.prepare?.(seconds);
  const before = readAll(contestant);
  const count = await contestant.shoot(seconds);
  const after = readAll(contestant);
  const spent = (part: 'service' | 'database' | 'load') => after[part] - before[part];
  const each = (part: 'service' | 'database' | 'load') => spent(part) / count.total;
  return {
    ...count,
    cpu: {
      ...((hasProc || contestant.here === 'service') && spent('service') > 0 && { service: each('service') }),
      ...(spent('database') > 0 && { database: each('database') }),
      ...(contestant.here === 'load' && { load: each('load') }),
    },
    cores: (spent('service') + spent('database') + spent('load')) / (after.at - before.at),
  };
}

function readAll({ pids, here }: Contestant) {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  const { service, database } = readCpu(pids);
  return {
    at: performance.now(),
    database,
    service: here === 'service' ? service + own : service,
    load: here === 'load' ? own : 0,
  };
}

const WIDTH = 100;

/** Shows the text in a line that the next call overwrites. Does nothing without a terminal. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${text.slice(0, WIDTH).padEnd(WIDTH)}${text === '' ? '\r' : ''}`);
}
