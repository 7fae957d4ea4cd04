import { setTimeout as sleep } from 'node:timers/promises';
import { CONTENT_TYPE, expose, type Family } from './exposition.ts';
import { createRequestHistogram, type RequestHistogram } from './histogram.ts';
import { processFamilies } from './process.ts';

export interface Counter {
  add(): void;
}

export interface Metrics {
  readonly contentType: string;
  /** By route template only: a path could hold an id or a secret, and would grow without end. */
  readonly requests: RequestHistogram;
  counter(name: string, help: string): Counter;
  /** A number that is read when somebody asks. */
  gauge(name: string, help: string, read: () => number): void;
  /** Several numbers under one label, read when somebody asks, at most every ten seconds; none when that takes too long. */
  gauges(name: string, help: string, label: string, read: () => Promise<Record<string, number>>): void;
  text(): Promise<string>;
}

export function createMetrics(): Metrics {
  const sources: (() => Family | Promise<Family>)[] = [];
  const requests = createRequestHistogram(
    'gatehouse_http_request_duration_seconds',
    'Time from the first byte of a request to the last of its answer',
  );
  sources.push(requests.family);
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
    gauge(name, help, read) {
      sources.push(() => ({ name, help, type: 'gauge', samples: [{ value: read() }] }));
    },
    gauges(name, help, label, read) {
      const readSparingly = sparingly(read);
      sources.push(async () => {
        const values = await readSparingly();
        const samples = Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
        return { name, help, type: 'gauge', samples };
      });
    },
    async text() {
      return expose([...(await Promise.all(sources.map((source) => source()))), ...processFamilies()]);
    },
  };
}

const READ_EVERY = 10_000;
const READ_TIMEOUT = 1_000;

/** /metrics is open to whoever reaches it: asking often must not become work for the database. */
function sparingly(read: () => Promise<Record<string, number>>): () => Promise<Record<string, number>> {
  let last: Promise<Record<string, number>> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (!last || performance.now() - readAt > READ_EVERY) {
      readAt = performance.now();
      last = Promise.race([read().catch(() => ({})), sleep(READ_TIMEOUT, {}, { ref: false })]);
    }
    return last;
  };
}
