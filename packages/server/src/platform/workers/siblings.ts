import type { Siblings } from '../bus/bus.ts';
import { systemTimer, type Timer, type ToPrimary, type ToWorker } from './messages.ts';

/** docs/reference/sessions.md#revocation: how long a response waits for the other workers. */
const PUBLISH_TIMEOUT_MS = 250;

interface Options {
  send(message: ToPrimary): void;
  timer?: Timer;
}

/** The worker's side of the bus between the workers of one `serve`; the primary's side is `relay.ts`. */
export function createSiblings({ send, timer = systemTimer }: Options) {
  const waiting = new Map<number, () => void>();
  let handleEvents: Parameters<Siblings['onEvents']>[0] = async () => {};
  let joined = () => {};
  let count = 0;

  const siblings: Siblings = {
    join: () =>
      new Promise((resolve) => {
        joined = resolve;
        send({ type: 'join' });
      }),
    async publish(events) {
      if (events.length === 0) return;
      const id = count++;
      await new Promise<void>((resolve) => {
        const cancel = timer(PUBLISH_TIMEOUT_MS, resolve);
        waiting.set(id, () => {
          cancel();
          resolve();
        });
        send({ type: 'events', id, events });
      });
      waiting.delete(id);
    },
    onEvents(listener) {
      handleEvents = listener;
    },
  };

  const receive = (message: ToWorker): void => {
    if (message.type === 'joined') joined();
    if (message.type === 'acknowledged') waiting.get(message.id)?.();
    if (message.type === 'events')
      void handleEvents(message.events).finally(() => send({ type: 'acknowledged', id: message.id }));
  };

  return { siblings, receive };
}
