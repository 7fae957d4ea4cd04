import { setTimeout as sleep } from 'node:timers/promises';
import { type Across, CONTENT_TYPE, expose, type Family } from './exposition.ts';
import { createRequestHistogram, type RequestHistogram } from './histogram.ts';
import { processFamilies } from './process.ts';

interface Counter {
  add(): void;
}

export interface Metrics {
  readonly contentType: string;
  /** By route template only: a path could hold an id or a secret, and would grow without end. */
  readonly requests: RequestHistogram;
  counter(name: string, help: string): Counter;
  /** A number that is read when somebody asks. */
  gauge(about: GaugeOf, read: () => number): void;
  /** Several numbers under one label, read when somebody asks, at most every ten seconds; none when that takes too long. */
  gauges(about: GaugeOf & { label: string }, read: () => Promise<Record<string, number>>): void;
  /** What this process has to tell. */
  families(): Promise<readonly Family[]>;
  /** The same as text, with that of all processes of the service added to it. */
  text(): Promise<string>;
}

interface GaugeOf {
  readonly name: string;
  readonly help: string;
  readonly across: Across;
}

/** The processes of one service, of which any may be asked and answers for all. */
export interface SharedMetrics {
  /** How the others come by ours. */
  offer(read: Metrics['families']): void;
  /** Ours, and with them those of all the others. */
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
      const readSparingly = sparingly(read);
      sources.push(async () => {
        const values = await readSparingly();
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
