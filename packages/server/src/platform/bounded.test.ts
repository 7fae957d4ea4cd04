import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBounded, NoRoom } from './bounded.ts';

const served = async (all: Promise<unknown>[]): Promise<boolean[]> =>
  (await Promise.allSettled(all)).map((one) => {
    if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(NoRoom);
    return one.status === 'fulfilled';
  });

describe('bounded work', () => {
  it('limits concurrency, queues jobs in order up to the limit, and rejects further ones', async () => {
    const bounded = createBounded({ atOnce: 2, waiting: 6 });
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = (number: number) =>
      bounded.run('me', async () => {
        most = Math.max(most, ++running);
        await sleep(5);
        running--;
        order.push(number);
        return number;
      });
    const all = [0, 1, 2, 3, 4, 5, 6].map(work);
    expect(await served(all)).toEqual([true, true, true, true, true, false, false]);
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(await work(9)).toBe(9);
  });

  it('reports in advance whether a job would be accepted', async () => {
    const bounded = createBounded({ atOnce: 1, waiting: 4 });
    let end = () => {};
    const blocked = new Promise<void>((resolve) => {
      end = resolve;
    });
    const answers: boolean[] = [];
    const all = ['me', 'me', 'me', 'me', 'you', 'you', 'you'].map((who) => {
      answers.push(bounded.hasRoom(who));
      return bounded.run(who, () => blocked);
    });
    expect(answers).toEqual([true, true, true, false, true, true, false]);
    end();
    expect(await served(all)).toEqual(answers);
    expect(bounded.hasRoom('me')).toBe(true);
  });

  it('serves keys in turn, so that many jobs of one key do not delay another', async () => {
    const bounded = createBounded({ atOnce: 1, waiting: 20 });
    const order: string[] = [];
    const work = (who: string) => bounded.run(who, async () => void order.push(who));
    const all = [...Array.from({ length: 6 }, () => work('many')), work('one'), work('two')];
    await Promise.all(all);
    expect(order).toEqual(['many', 'many', 'one', 'two', 'many', 'many', 'many', 'many']);
  });

  it('limits the total length of the queue', async () => {
    const bounded = createBounded({ atOnce: 1, waiting: 2 });
    const all = ['a', 'b', 'c', 'd'].map((who) => bounded.run(who, async () => who));
    expect(await served(all)).toEqual([true, true, true, false]);
  });

  it('evicts a job of the key with the most jobs, so that two flooding keys do not block others', async () => {
    const bounded = createBounded({ atOnce: 1, waiting: 8 });
    const work = (who: string) => bounded.run(who, async () => who);
    const flood = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'].map(work);
    const later = ['c', 'd', 'c', 'e'].map(work);
    expect(await served(later)).toEqual([true, true, true, true]);
    expect((await served(flood)).filter((through) => through)).toHaveLength(5);
    expect(await work('a')).toBe('a');
  });

  it('releases the slot of work that throws synchronously', async () => {
    const bounded = createBounded({ atOnce: 1, waiting: 1 });
    const thrown = bounded.run('me', () => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(await bounded.run('me', async () => 'after')).toBe('after');
  });

  it('releases the slot of work that rejects', async () => {
    const bounded = createBounded({ atOnce: 1, waiting: 1 });
    const failing = bounded.run('me', () => Promise.reject(new Error('no')));
    const next = bounded.run('me', async () => 'next');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
    expect(await bounded.run('me', async () => 'after')).toBe('after');
  });
});
