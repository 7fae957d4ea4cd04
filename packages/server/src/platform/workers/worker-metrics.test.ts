import { describe, expect, it } from 'vitest';
import type { Family } from '../metrics/exposition.ts';
import type { ToWorker } from './messages.ts';
import type { Peer } from './relay.ts';
import { createSharedMetrics } from './shared-metrics.ts';
import { createTestTimer } from './timer-fixture.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

const told = (count: number): Family[] => [
  { name: 'count', help: 'x', type: 'counter', samples: [{ value: count }] },
  { name: 'alive', help: 'x', type: 'gauge', across: 'sum', samples: [{ value: 1 }] },
];
const values = (families: readonly Family[]) =>
  Object.fromEntries(families.map(({ name, samples }) => [name, samples[0]!.value]));

function gather() {
  const time = createTestTimer();
  const metrics = createWorkerMetrics({ timer: time.timer, own: () => [] });
  /** Answers with what it has counted, or not at all. */
  const worker = () => {
    const state = { count: 0, hangs: false };
    const peer: Peer = {
      send: ({ type }: ToWorker) => {
        if (type === 'report' && !state.hangs) queueMicrotask(() => metrics.handIn(peer, told(state.count)));
      },
    };
    return { peer, state };
  };
  return { ...time, metrics, worker };
}

describe('figures of all workers', () => {
  it('are asked for and added up', async () => {
    const { metrics, worker } = gather();
    const [one, two] = [worker(), worker()];
    one.state.count = 3;
    two.state.count = 4;
    expect(values(await metrics.total([one.peer, two.peer]))).toEqual({ count: 7, alive: 2 });
  });

  it('who does not answer within a second is counted by what it last said', async () => {
    const { metrics, worker, pass } = gather();
    const [one, two] = [worker(), worker()];
    one.state.count = two.state.count = 5;
    await metrics.total([one.peer, two.peer]);
    Object.assign(two.state, { count: 9, hangs: true });
    one.state.count = 6;
    const total = metrics.total([one.peer, two.peer]);
    pass(1_000);
    expect(values(await total)).toEqual({ count: 11, alive: 2 });
  });

  it('what was counted by one that is gone stays, also when it goes while it is asked', async () => {
    const { metrics, worker } = gather();
    const [one, two] = [worker(), worker()];
    two.state.count = 5;
    await metrics.total([one.peer, two.peer]);
    two.state.hangs = true;
    const total = metrics.total([one.peer, two.peer]);
    metrics.leave(two.peer);
    expect(values(await total)).toEqual({ count: 5, alive: 1 });
    metrics.leave(one.peer);
    expect(values(await metrics.total([]))).toEqual({ count: 5 });
  });

  it('a worker shows none rather than its own alone', async () => {
    const { timer, pass } = createTestTimer();
    const { metrics } = createSharedMetrics({ send: () => {}, timer });
    const total = metrics.addUp(told(1));
    pass(3_000);
    await expect(total).rejects.toThrow('did not arrive');
  });
});
