import type { BusEvent } from '../bus/event.ts';
import { systemTimer, type Timer, type ToWorker } from './messages.ts';

/** A worker, as far as it can be written to. */
export interface Peer {
  send(message: ToWorker): void;
}

interface Options<P extends Peer> {
  /** It has not acted on what it was told for so long that it never will. */
  onSilent(peer: P): void;
  timer?: Timer;
}

interface Telling<P extends Peer> {
  readonly from: P;
  /** As the one who tells has numbered it. */
  readonly id: number;
  readonly waiting: Set<P>;
  cancel(): void;
}

/** Nobody waits this long, but until then what is told to a worker that hangs would pile up, and hold up every change. */
const SILENCE = 30_000;

/** Passes on what one worker tells to all others, and tells it when they have acted on it, or are gone. */
export function createRelay<P extends Peer>({ onSilent, timer = systemTimer }: Options<P>) {
  const joined = new Set<P>();
  const open = new Map<number, Telling<P>>();
  let count = 0;

  const settle = (number: number, telling: Telling<P>, peer: P): void => {
    if (!telling.waiting.delete(peer) || telling.waiting.size > 0) return;
    open.delete(number);
    telling.cancel();
    telling.from.send({ type: 'told', id: telling.id });
  };

  return {
    join(peer: P): void {
      joined.add(peer);
      peer.send({ type: 'joined' });
    },
    tell(from: P, id: number, events: readonly BusEvent[]): void {
      const waiting = new Set([...joined].filter((peer) => peer !== from));
      if (waiting.size === 0) {
        from.send({ type: 'told', id });
        return;
      }
      const number = count++;
      const cancel = timer(SILENCE, () => waiting.forEach(onSilent));
      open.set(number, { from, id, waiting, cancel });
      for (const peer of waiting) peer.send({ type: 'tell', id: number, events });
    },
    told(by: P, number: number): void {
      const telling = open.get(number);
      if (telling) settle(number, telling, by);
    },
    leave(peer: P): void {
      joined.delete(peer);
      for (const [number, telling] of open) settle(number, telling, peer);
    },
  };
}
