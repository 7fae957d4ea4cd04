import type { BusEvent } from '../bus/event.ts';
import { systemTimer, type Timer, type ToWorker } from './messages.ts';

export interface Peer {
  send(message: ToWorker): void;
}

interface Options<P extends Peer> {
  /** Called for a worker that has not acknowledged events for so long that it must be stuck. */
  onSilent(peer: P): void;
  timer?: Timer;
}

interface Publication<P extends Peer> {
  readonly from: P;
  /** The id that the publisher has given to its events. */
  readonly id: number;
  readonly waiting: Set<P>;
  cancel(): void;
}

/** Publishers wait for less time. But until a stuck worker is noticed, its events pile up and delay every change. */
const SILENCE_MS = 30_000;

/** Forwards the events of one worker to all others, and acknowledges them when all have handled them or exited. */
export function createRelay<P extends Peer>({ onSilent, timer = systemTimer }: Options<P>) {
  const joined = new Set<P>();
  const unacknowledged = new Map<number, Publication<P>>();
  let count = 0;

  const settle = (number: number, publication: Publication<P>, peer: P): void => {
    if (!publication.waiting.delete(peer) || publication.waiting.size > 0) return;
    unacknowledged.delete(number);
    publication.cancel();
    publication.from.send({ type: 'acknowledged', id: publication.id });
  };

  return {
    join(peer: P): void {
      joined.add(peer);
      peer.send({ type: 'joined' });
    },
    publish(from: P, id: number, events: readonly BusEvent[]): void {
      const waiting = new Set([...joined].filter((peer) => peer !== from));
      if (waiting.size === 0) {
        from.send({ type: 'acknowledged', id });
        return;
      }
      const number = count++;
      const cancel = timer(SILENCE_MS, () => waiting.forEach(onSilent));
      unacknowledged.set(number, { from, id, waiting, cancel });
      for (const peer of waiting) peer.send({ type: 'events', id: number, events });
    },
    acknowledge(by: P, number: number): void {
      const publication = unacknowledged.get(number);
      if (publication) settle(number, publication, by);
    },
    leave(peer: P): void {
      joined.delete(peer);
      for (const [number, publication] of unacknowledged) settle(number, publication, peer);
    },
  };
}
