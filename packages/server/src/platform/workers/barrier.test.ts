import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBus } from '../bus/bus.ts';
import type { BusConnection } from '../bus/connection.ts';
import type { BusEvent } from '../bus/event.ts';
import { createLogger } from '../log.ts';
import type { ToPrimary, ToWorker } from './messages.ts';
import { createRelay, type Peer } from './relay.ts';
import { createSiblings } from './siblings.ts';
import { createTestTimer } from './timer-fixture.ts';

const EVENTS: BusEvent[] = [{ topic: 'session', key: 'a' }];
const log = createLogger({ level: 'silent' });

/** Connects workers to a relay as the channels between processes do: messages arrive a moment later. */
function connect() {
  const time = createTestTimer();
  const silent: Peer[] = [];
  const relay = createRelay<Peer>({ onSilent: (peer) => void silent.push(peer), timer: time.timer });
  const receive = (peer: Peer, message: ToPrimary): void => {
    if (message.type === 'join') relay.join(peer);
    if (message.type === 'events') relay.publish(peer, message.id, message.events);
    if (message.type === 'acknowledged') relay.acknowledge(peer, message.id);
  };
  const worker = () => {
    const state = { hangs: false };
    const { siblings, receive: take } = createSiblings({
      send: (message) => queueMicrotask(() => receive(peer, message)),
      timer: time.timer,
    });
    const peer: Peer = { send: (message: ToWorker) => queueMicrotask(() => state.hangs || take(message)) };
    return { siblings, peer, state };
  };
  return { ...time, relay, silent, worker };
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false;
  promise.then(() => {
    settled = true;
  });
  await nextTick();
  return settled;
};

describe('all workers of one serve are one replica', () => {
  it('resolves publish when all other workers have handled the events', async () => {
    const { worker } = connect();
    const [one, two, three] = [worker(), worker(), worker()];
    const heard: string[] = [];
    let act = () => {};
    two.siblings.onEvents(async ([event]) => void heard.push(`two ${event!.key}`));
    three.siblings.onEvents(
      () =>
        new Promise((resolve) => {
          act = resolve;
        }),
    );
    one.siblings.onEvents(async () => void heard.push('one'));
    await Promise.all([one, two, three].map(({ siblings }) => siblings.join()));
    const published = one.siblings.publish(EVENTS);
    expect(await isSettled(published)).toBe(false);
    act();
    expect(await isSettled(published)).toBe(true);
    expect(heard).toEqual(['two a']);
  });

  it('waits 250 ms for a silent worker and reports it as stuck after 30 seconds', async () => {
    const { worker, pass, silent } = connect();
    const [one, two] = [worker(), worker()];
    await Promise.all([one.siblings.join(), two.siblings.join()]);
    two.state.hangs = true;
    const published = one.siblings.publish(EVENTS);
    await nextTick();
    pass(249);
    expect(await isSettled(published)).toBe(false);
    pass(1);
    expect(await isSettled(published)).toBe(true);
    pass(29_749);
    expect(silent).toEqual([]);
    pass(1);
    expect(silent).toEqual([two.peer]);
  });

  it('does not report a worker that acknowledges in time', async () => {
    const { worker, pass, silent } = connect();
    const [one, two] = [worker(), worker()];
    await Promise.all([one.siblings.join(), two.siblings.join()]);
    await one.siblings.publish(EVENTS);
    pass(60_000);
    expect(silent).toEqual([]);
  });

  it('does not wait for a worker that exited or has not joined, nor if there is no other worker', async () => {
    const { worker, relay } = connect();
    const [one, two, outsider] = [worker(), worker(), worker()];
    outsider.state.hangs = true;
    await one.siblings.join();
    expect(await isSettled(one.siblings.publish(EVENTS))).toBe(true);
    await two.siblings.join();
    two.state.hangs = true;
    const published = one.siblings.publish(EVENTS);
    expect(await isSettled(published)).toBe(false);
    relay.leave(two.peer);
    expect(await isSettled(published)).toBe(true);
    expect(await isSettled(one.siblings.publish(EVENTS))).toBe(true);
  });

  it('joins the other workers before the first sync, publishes to them and dispatches their events', async () => {
    const { worker } = connect();
    const steps: string[] = [];
    const listen = (name: string) => {
      const { siblings } = worker();
      const connection: BusConnection = {
        onSync() {},
        wakeOthers() {},
        start: async () => void steps.push(`${name} looks`),
        stop: async () => {},
      };
      const join = () => siblings.join().then(() => void steps.push(`${name} has joined`));
      const bus = createBus(connection, log, { ...siblings, join });
      bus.subscribe('session', (key) => void steps.push(`${name} hears ${key}`));
      return bus;
    };
    const [one, two] = [listen('one'), listen('two')];
    await one.start();
    await two.start();
    await one.deliver(EVENTS);
    expect(steps).toEqual(['one has joined', 'one looks', 'two has joined', 'two looks', 'one hears a', 'two hears a']);
  });
});
