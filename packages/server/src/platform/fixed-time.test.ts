import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inFixedTime } from './fixed-time.ts';

const timed = async (work: () => Promise<unknown>) => {
  const start = performance.now();
  const result = await inFixedTime(work).catch((error: Error) => error.message);
  return { result, ms: performance.now() - start };
};

describe('a fixed-time response', () => {
  it('takes at least 20 ms, whether the work succeeds, fails or takes longer', async () => {
    const fail = () => Promise.reject(new Error('refused'));
    const [done, failed, slow] = await Promise.all([
      timed(async () => 'done'),
      timed(fail),
      timed(() => sleep(7, 'slow')),
    ]);
    expect([done.result, failed.result, slow.result]).toEqual(['done', 'refused', 'slow']);
    for (const { ms } of [done, failed, slow]) expect(ms).toBeGreaterThanOrEqual(20);
  });
});
