import { describe, expect, it } from 'vitest';
import type { Family } from '../metrics/exposition.ts';
import type { ToWorker } from './messages.ts';
import type { Peer } from './relay.ts';
import { createSharedMetrics } from './shared-metrics.ts';
import { createTestTimer } from './timer-fixture.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

const familiesWith = (count: number): Family[] => [
  { name: 'count', help: 'x', type: 'counter', samples: [{ value: count }] },
  { name: 'alive', help: 'x', type: 'gauge', across: 'sum', samples: [{ value: 1 }] },
];
const values = (families: readonly Family[]) =>
  Object.fromEntries(families.map(({ name, samples }) => [name, samples[0]!.value]));

function gather() {
  const time = createTestTimer();
  const metrics = createWorkerMetrics({ timer: time.timer, own: () => [] });
  const worker = () => {
    const state = { count: 0, hangs: false };
    const peer: Peer = {
      send: ({ type }: ToWorker) => {
        if (type === 'report' && !state.hangs) queueMicrotask(() => metrics.handIn(peer, familiesWith(state.count)));
      },
    };
    return { peer, state };
  };
  return { ...time, metrics, worker };
}

describe('worker metrics', () => {
  it('requests the metrics of all workers and adds them up', async () => {
    const { metrics, worker } = gather();
    const [one, two] = [worker(), worker()];
    one.state.count = 3;
    two.state.count = 4;
    expect(values(await metrics.total([one.peer, two.peer]))).toEqual({ count: 7, alive: 2 });
  });

  it('uses the last report of a worker that does not answer within a second', async () => {
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

  it('keeps the counters of a worker that exited, also if it exits while its report is awaited', async () => {
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

  it('fails in a worker that gets no totals, rather than returning its own metrics', async () => {
    const { timer, pass } = createTestTimer();
    const { metrics } = createSharedMetrics({ send: () => {}, timer });
    const total = metrics.addUp(familiesWith(1));
    pass(3_000);
    await expect(total).rejects.toThrow('did not arrive');
  });
});
