import { describe, expect, it } from 'vitest';
import type { Family } from '../metrics/exposition.ts';
import { createFigures } from './figures.ts';
import type { ToWorker } from './messages.ts';
import type { Peer } from './relay.ts';
import { createSharedFigures } from './shared-figures.ts';
import { createTestTimer } from './timer-fixture.ts';

const told = (count: number): Family[] => [
  { name: 'count', help: 'x', type: 'counter', samples: [{ value: count }] },
  { name: 'alive', help: 'x', type: 'gauge', across: 'sum', samples: [{ value: 1 }] },
];
const values = (families: readonly Family[]) =>
  Object.fromEntries(families.map(({ name, samples }) => [name, samples[0]!.value]));

function gather() {
  const time = createTestTimer();
  const figures = createFigures({ timer: time.timer, own: () => [] });
  /** Answers with what it has counted, or not at all. */
  const worker = () => {
    const state = { count: 0, hangs: false };
    const peer: Peer = {
      send: ({ type }: ToWorker) => {
        if (type === 'report' && !state.hangs) queueMicrotask(() => figures.handIn(peer, told(state.count)));
      },
    };
    return { peer, state };
  };
  return { ...time, figures, worker };
}

describe('figures of all workers', () => {
  it('are asked for and added up', async () => {
    const { figures, worker } = gather();
    const [one, two] = [worker(), worker()];
    one.state.count = 3;
    two.state.count = 4;
    expect(values(await figures.total([one.peer, two.peer]))).toEqual({ count: 7, alive: 2 });
  });

  it('who does not answer within a second is counted by what it last said', async () => {
    const { figures, worker, pass } = gather();
    const [one, two] = [worker(), worker()];
    one.state.count = two.state.count = 5;
    await figures.total([one.peer, two.peer]);
    Object.assign(two.state, { count: 9, hangs: true });
    one.state.count = 6;
    const total = figures.total([one.peer, two.peer]);
    pass(1_000);
    expect(values(await total)).toEqual({ count: 11, alive: 2 });
  });

  it('what was counted by one that is gone stays, also when it goes while it is asked', async () => {
    const { figures, worker } = gather();
    const [one, two] = [worker(), worker()];
    two.state.count = 5;
    await figures.total([one.peer, two.peer]);
    two.state.hangs = true;
    const total = figures.total([one.peer, two.peer]);
    figures.leave(two.peer);
    expect(values(await total)).toEqual({ count: 5, alive: 1 });
    figures.leave(one.peer);
    expect(values(await figures.total([]))).toEqual({ count: 5 });
  });

  it('a worker shows none rather than its own alone', async () => {
    const { timer, pass } = createTestTimer();
    const { figures } = createSharedFigures({ send: () => {}, timer });
    const total = figures.addUp(told(1));
    pass(3_000);
    await expect(total).rejects.toThrow('did not arrive');
  });
});
