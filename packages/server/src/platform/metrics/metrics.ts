import { setTimeout as sleep } from 'node:timers/promises';
import { type Across, CONTENT_TYPE, expose, type Family } from './exposition.ts';
import { createRequestHistogram, type RequestHistogram } from './histogram.ts';
import { processFamilies } from './process.ts';

interface Counter {
  add(): void;
}

export interface Metrics {
  readonly contentType: string;
  /** Labeled by route template: a path may contain an id or a secret, and the number of paths is unbounded. */
  readonly requests: RequestHistogram;
  counter(name: string, help: string): Counter;
  /** `read` is called at each scrape. */
  gauge(about: GaugeOf, read: () => number): void;
  /** Values by label. `read` runs at most every ten seconds; there are no values if it takes too long. */
  gauges(about: GaugeOf & { label: string }, read: () => Promise<Record<string, number>>): void;
  /** The metrics of this process. */
  families(): Promise<readonly Family[]>;
  /** The metrics of all processes of the service in the text format. */
  text(): Promise<string>;
}

interface GaugeOf {
  readonly name: string;
  readonly help: string;
  readonly across: Across;
}

/** Shares metrics between the processes of one service, so that a scrape of any process returns the totals. */
export interface SharedMetrics {
  /** Registers the function that reads this process's metrics for the others. */
  offer(read: Metrics['families']): void;
  /** Returns the sum of `own` and the metrics of all other processes. */
  addUp(own: readonly Family[]): Promise<readonly Family[]>;
}

export function createMetrics(shared?: SharedMetrics): Metrics {
  const sources: (() => Family | Promise<Family>)[] = [];
  const requests = createRequestHistogram(
    'gatehouse_http_request_duration_seconds',
    'Time from the first byte of a request to the last byte of its response',
  );
  sources.push(requests.family);
  const families = async () => [...(await Promise.all(sources.map((source) => source()))), ...processFamilies()];
  shared?.offer(families);
  return {
    contentType: CONTENT_TYPE,
    requests,
    counter(name, help) {
      let value = 0;
      sources.push(() => ({ name, help, type: 'counter', samples: [{ value }] }));
      return {
        add() {
          value++;
        },
      };
    },
    gauge(about, read) {
      sources.push(() => ({ ...about, type: 'gauge', samples: [{ value: read() }] }));
    },
    gauges({ label, ...about }, read) {
      const readThrottled = throttled(read);
      sources.push(async () => {
        const values = await readThrottled();
        const samples = Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
        return { ...about, type: 'gauge', samples };
      });
    },
    families,
    async text() {
      const own = await families();
      return expose(shared ? await shared.addUp(own) : own);
    },
  };
}

const READ_INTERVAL_MS = 10_000;
const READ_TIMEOUT_MS = 1_000;

/** Limits how often `read` queries the database, because /metrics may be public. */
function throttled(read: () => Promise<Record<string, number>>): () => Promise<Record<string, number>> {
  let last: Promise<Record<string, number>> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (!last || performance.now() - readAt > READ_INTERVAL_MS) {
      readAt = performance.now();
      last = Promise.race([read().catch(() => ({})), sleep(READ_TIMEOUT_MS, {}, { ref: false })]);
    }
    return last;
  };
}
