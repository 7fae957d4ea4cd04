import type { Family } from '../metrics/exposition.ts';
import type { SharedMetrics } from '../metrics/metrics.ts';
import { systemTimer, type Timer, type ToPrimary, type ToWorker } from './messages.ts';

/** Longer than REPORT_TIMEOUT_MS, for which the primary waits for the slowest worker. */
const TIMEOUT_MS = 3_000;

interface Options {
  send(message: ToPrimary): void;
  timer?: Timer;
}

/** The worker's side of the shared metrics; the primary's side is `worker-metrics.ts`. */
export function createSharedMetrics({ send, timer = systemTimer }: Options) {
  const waiting = new Map<number, (families: readonly Family[]) => void>();
  let read: () => Promise<readonly Family[]> = async () => [];
  let count = 0;

  const metrics: SharedMetrics = {
    offer(next) {
      read = next;
    },
    addUp(own) {
      const id = count++;
      const total = new Promise<readonly Family[]>((resolve, reject) => {
        // Rejects instead of returning this worker's metrics alone, which would look like a counter reset.
        const cancel = timer(TIMEOUT_MS, () => reject(new Error('the metrics of the other workers did not arrive')));
        waiting.set(id, (families) => {
          cancel();
          resolve(families);
        });
      });
      send({ type: 'total', id, families: own });
      return total.finally(() => waiting.delete(id));
    },
  };

  const receive = (message: ToWorker): void => {
    if (message.type === 'total') waiting.get(message.id)?.(message.families);
    if (message.type === 'report') void read().then((families) => send({ type: 'metrics', families }));
  };

  return { metrics, receive, read: () => read() };
}
