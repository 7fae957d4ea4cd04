import { register } from '../accounts.ts';
import type { Contestant } from '../contestant.ts';
import { perSecond } from '../goals.ts';
import { bearerSession, login, registration, rotation } from '../operations.ts';
import { hasProc } from '../proc.ts';
import { type Measurement, measure, median, type Rounds, showProgress, WARM_UP, warm } from '../race.ts';
import { type Columns, type Report, tableOf } from '../report.ts';
import { type Service, startService } from '../service.ts';
import { makeRemovable, root } from '../start-process.ts';
import { type Interval, medianInterval, verdictOf } from './interval.ts';

type Make = (service: Service) => Contestant | Promise<Contestant>;

const ACCOUNTS = 64;

/** In the order of execution: operations with the most writes come last. */
const OPERATIONS: Readonly<Record<string, Make>> = {
  session: (service) => bearerSession({ name: 'GET /auth/session (Bearer)', service }),
  refresh: (service) => rotation({ name: 'POST /auth/refresh', service }),
  login: async (service) => login({ name: 'POST /auth/login', service, accounts: await register(service, ACCOUNTS) }),
  register: (service) => registration({ name: 'POST /auth/register', service }),
};

export const COMPARED: readonly string[] = Object.keys(OPERATIONS);

/** Nine is the least number of rounds whose interval ignores one outlier at each end. */
const MAX_WARM_UP_SECONDS = 10;
export const ROUNDS_AGAINST: Rounds = { rounds: 9, seconds: 2 };

interface Comparison extends Rounds {
  /** Names from `COMPARED`. */
  readonly operations: readonly string[];
  /** The folder of the other checkout, which is built. */
  readonly other: string;
}

interface Pair {
  /** One round: two measurements of this checkout and two of the other, in the order here, there, there, here. */
  readonly here: readonly Measurement[];
  readonly there: readonly Measurement[];
}

/**
 * Compares the CPU time per request of this checkout's service with that of another checkout's, under the same load
 * from this checkout. Each round starts both services again, on empty databases, so that differences between two starts
 * of a program (JIT, memory layout) count as noise; measurements alternate A B B A, which cancels a steady drift.
 */
export async function compare({ operations, other, rounds, seconds }: Comparison): Promise<Report> {
  if (!hasProc) throw new Error('CPU time is read from /proc, so this works on Linux only');
  const pairs = new Map<string, Pair[]>(operations.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    // Which service starts first alternates as well.
    const [first, second] = round % 2 === 1 ? [root, other] : [other, root];
    const services = new Map<string, Service>();
    const folders = [first, second].map(() => makeRemovable());
    for (const [index, checkout] of [first, second].entries()) {
      services.set(checkout, await startService({ checkout, folder: folders[index]!.folder }));
    }
    for (const name of operations) {
      showProgress(`  round ${round} of ${rounds}: ${name}`);
      const contestants = new Map<string, Contestant>();
      for (const [checkout, service] of services) contestants.set(checkout, await OPERATIONS[name]!(service));
      for (const contestant of contestants.values()) {
        await warm(contestant, Math.min(WARM_UP, seconds), MAX_WARM_UP_SECONDS);
      }
      const measurements = new Map<string, Measurement[]>([
        [root, []],
        [other, []],
      ]);
      for (const checkout of [first, second, second, first]) {
        measurements.get(checkout)!.push(await measure(contestants.get(checkout)!, seconds));
      }
      pairs.get(name)!.push({ here: measurements.get(root)!, there: measurements.get(other)! });
    }
    for (const service of services.values()) await service.close();
    for (const { remove } of folders) await remove();
  }
  showProgress('');
  return report(pairs);
}

type Part = 'service' | 'database';

interface Row {
  readonly operation: string;
  readonly part: Part;
  /** Milliseconds of CPU time per request, the median of the rounds. */
  readonly here: number;
  readonly there: number;
  readonly ratio: Interval;
  /** Responses per second, the median of all measurements: only shows how busy the services were. */
  readonly rate: number;
  readonly errors: number;
  readonly verdict: string;
}

/** CPU time of PostgreSQL below this value per request is background work, and no row is shown for it. */
const MIN_DATABASE_MS = 0.02;

const costOf = (measurements: readonly Measurement[], part: Part): number => {
  const requests = measurements.reduce((sum, { total }) => sum + total, 0);
  return measurements.reduce((sum, { cpu, total }) => sum + (cpu[part] ?? 0) * total, 0) / requests;
};

function rowOf(operation: string, pairs: readonly Pair[], part: Part): Row {
  const measurements = pairs.flatMap(({ here, there }) => [...here, ...there]);
  const errors = measurements.reduce((sum, measurement) => sum + measurement.errors, 0);
  const ratio = medianInterval(pairs.map(({ here, there }) => costOf(here, part) / costOf(there, part)));
  return {
    operation,
    part,
    here: median(pairs.map(({ here }) => costOf(here, part))),
    there: median(pairs.map(({ there }) => costOf(there, part))),
    ratio,
    rate: median(measurements.map(({ rate }) => rate)),
    errors,
    verdict: errors > 0 ? 'no verdict: requests failed' : verdictOf(ratio),
  };
}

const ROWS: Columns<Row> = [
  ['CPU per request', ({ operation, part }) => `${operation}, ${part}`],
  ['here ms', ({ here }) => here.toFixed(3)],
  ['there ms', ({ there }) => there.toFixed(3)],
  ['here ÷ there', ({ ratio }) => ratio.median.toFixed(3)],
  ['interval', ({ ratio: { low, high } }) => `${low.toFixed(3)} … ${high.toFixed(3)}`],
  ['coverage', ({ ratio }) => `${(ratio.coverage * 100).toFixed(1)} %`],
  ['rate', ({ rate }) => perSecond(rate)],
  ['errors', ({ errors }) => String(errors)],
  ['verdict', ({ verdict }) => verdict],
];

function report(pairs: ReadonlyMap<string, readonly Pair[]>): Report {
  const rows = [...pairs].flatMap(([name, of]) => {
    const all = (['service', 'database'] as const).map((part) => rowOf(name, of, part));
    return all.filter(({ part, there }) => part === 'service' || there >= MIN_DATABASE_MS);
  });
  const data = { rows, rounds: Object.fromEntries(pairs) };
  return { tables: [tableOf(ROWS, rows)], verdicts: [], data };
}
