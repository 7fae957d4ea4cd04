import { addUp, lastingOf } from '../metrics/add-up.ts';
import type { Family } from '../metrics/exposition.ts';
import { processFamilies } from '../metrics/process.ts';
import { systemTimer, type Timer } from './messages.ts';
import type { Peer } from './relay.ts';

/** If a worker does not answer in this time, its last report is used. */
const REPORT_TIMEOUT_MS = 1_000;

interface Options {
  timer?: Timer;
  /** The resource usage of the primary, which is a process of the service too. */
  own?: () => readonly Family[];
}

/** The metrics of all workers, including those that have exited. */
export function createWorkerMetrics({ timer = systemTimer, own = processFamilies }: Options = {}) {
  const last = new Map<Peer, readonly Family[]>();
  const waiting = new Set<{ peer: Peer; done: () => void }>();
  let gone: readonly Family[] = [];

  const settle = (peer: Peer): void => {
    for (const wait of waiting) if (wait.peer === peer) wait.done();
  };

  const report = (peer: Peer): Promise<void> =>
    new Promise((resolve) => {
      const cancel = timer(REPORT_TIMEOUT_MS, () => wait.done());
      const wait = {
        peer,
        done: () => {
          cancel();
          waiting.delete(wait);
          resolve();
        },
      };
      waiting.add(wait);
      peer.send({ type: 'report' });
    });

  return {
    handIn(peer: Peer, families: readonly Family[]): void {
      last.set(peer, families);
      settle(peer);
    },
    leave(peer: Peer): void {
      gone = addUp([gone, lastingOf(last.get(peer) ?? [])]);
      last.delete(peer);
      settle(peer);
    },
    /** Resolves when each peer has reported. A worker that starts or exits meanwhile is counted once. */
    async total(peers: readonly Peer[]): Promise<readonly Family[]> {
      await Promise.all(peers.map(report));
      return addUp([...last.values(), gone, own()]);
    },
  };
}
