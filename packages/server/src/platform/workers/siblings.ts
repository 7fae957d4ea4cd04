import type { Siblings } from '../bus/bus.ts';
import { systemTimer, type Timer, type ToPrimary, type ToWorker } from './messages.ts';

/** The contract, section 4: an answer waits this long for the other workers, and no longer. */
const TELL_LIMIT = 250;

interface Options {
  send(message: ToPrimary): void;
  timer?: Timer;
}

/** The bus of one `serve`, as a worker sees it; the other end is `relay.ts`. */
export function createSiblings({ send, timer = systemTimer }: Options) {
  const waiting = new Map<number, () => void>();
  let told: Parameters<Siblings['onTold']>[0] = async () => {};
  let joined = () => {};
  let count = 0;

  const siblings: Siblings = {
    join: () =>
      new Promise((resolve) => {
        joined = resolve;
        send({ type: 'join' });
      }),
    async tell(events) {
      if (events.length === 0) return;
      const id = count++;
      await new Promise<void>((resolve) => {
        const cancel = timer(TELL_LIMIT, resolve);
        waiting.set(id, () => {
          cancel();
          resolve();
        });
        send({ type: 'tell', id, events });
      });
      waiting.delete(id);
    },
    onTold(listener) {
      told = listener;
    },
  };

  const receive = (message: ToWorker): void => {
    if (message.type === 'joined') joined();
    if (message.type === 'told') waiting.get(message.id)?.();
    if (message.type === 'tell') void told(message.events).finally(() => send({ type: 'told', id: message.id }));
  };

  return { siblings, receive };
}
