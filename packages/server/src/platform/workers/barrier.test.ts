import { setImmediate as turn } from 'node:timers/promises';
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

/** Workers around a relay, as the channels between processes would connect them: what is sent arrives a moment later. */
function connect() {
  const time = createTestTimer();
  const silent: Peer[] = [];
  const relay = createRelay<Peer>({ onSilent: (peer) => void silent.push(peer), timer: time.timer });
  const receive = (peer: Peer, message: ToPrimary): void => {
    if (message.type === 'join') relay.join(peer);
    if (message.type === 'tell') relay.tell(peer, message.id, message.events);
    if (message.type === 'told') relay.told(peer, message.id);
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
  await turn();
  return settled;
};

describe('the contract, section 4: all workers of one serve are one replica', () => {
  it('what one tells is settled when all others have acted on it', async () => {
    const { worker } = connect();
    const [one, two, three] = [worker(), worker(), worker()];
    const heard: string[] = [];
    let act = () => {};
    two.siblings.onTold(async ([event]) => void heard.push(`two ${event!.key}`));
    three.siblings.onTold(
      () =>
        new Promise((resolve) => {
          act = resolve;
        }),
    );
    one.siblings.onTold(async () => void heard.push('one'));
    await Promise.all([one, two, three].map(({ siblings }) => siblings.join()));
    const told = one.siblings.tell(EVENTS);
    expect(await isSettled(told)).toBe(false);
    act();
    expect(await isSettled(told)).toBe(true);
    expect(heard).toEqual(['two a']);
  });

  it('a silent sibling costs 250 ms, and is given up after 30 seconds', async () => {
    const { worker, pass, silent } = connect();
    const [one, two] = [worker(), worker()];
    await Promise.all([one.siblings.join(), two.siblings.join()]);
    two.state.hangs = true;
    const told = one.siblings.tell(EVENTS);
    await turn();
    pass(249);
    expect(await isSettled(told)).toBe(false);
    pass(1);
    expect(await isSettled(told)).toBe(true);
    pass(29_749);
    expect(silent).toEqual([]);
    pass(1);
    expect(silent).toEqual([two.peer]);
  });

  it('one that answers in time is not given up', async () => {
    const { worker, pass, silent } = connect();
    const [one, two] = [worker(), worker()];
    await Promise.all([one.siblings.join(), two.siblings.join()]);
    await one.siblings.tell(EVENTS);
    pass(60_000);
    expect(silent).toEqual([]);
  });

  it('one that dies is not waited for, nor one that has not joined or is alone', async () => {
    const { worker, relay } = connect();
    const [one, two, outsider] = [worker(), worker(), worker()];
    outsider.state.hangs = true;
    await one.siblings.join();
    expect(await isSettled(one.siblings.tell(EVENTS))).toBe(true);
    await two.siblings.join();
    two.state.hangs = true;
    const told = one.siblings.tell(EVENTS);
    expect(await isSettled(told)).toBe(false);
    relay.leave(two.peer);
    expect(await isSettled(told)).toBe(true);
    expect(await isSettled(one.siblings.tell(EVENTS))).toBe(true);
  });

  it('a bus joins before its first look, delivers by its siblings, and hands on what they tell', async () => {
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
