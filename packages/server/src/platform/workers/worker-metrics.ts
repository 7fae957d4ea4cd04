import { addUp, lastingOf } from '../metrics/add-up.ts';
import type { Family } from '../metrics/exposition.ts';
import { processFamilies } from '../metrics/process.ts';
import { systemTimer, type Timer } from './messages.ts';
import type { Peer } from './relay.ts';

/** A worker that does not answer in this time is counted by what it last said. */
const REPORT_LIMIT = 1_000;

interface Options {
  timer?: Timer;
  /** What the primary itself uses: it is a process of the service too. */
  own?: () => readonly Family[];
}

/** The figures of all workers, of those that run and of those that were. */
export function createWorkerMetrics({ timer = systemTimer, own = processFamilies }: Options = {}) {
  const last = new Map<Peer, readonly Family[]>();
  const waiting = new Set<{ peer: Peer; done: () => void }>();
  let gone: readonly Family[] = [];

  const settle = (peer: Peer): void => {
    for (const wait of waiting) if (wait.peer === peer) wait.done();
  };

  const report = (peer: Peer): Promise<void> =>
    new Promise((resolve) => {
      const cancel = timer(REPORT_LIMIT, () => wait.done());
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
    /** Once each of them has reported. Who comes or goes meanwhile is counted once. */
    async total(peers: readonly Peer[]): Promise<readonly Family[]> {
      await Promise.all(peers.map(report));
      return addUp([...last.values(), gone, own()]);
    },
  };
}
