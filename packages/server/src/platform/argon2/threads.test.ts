import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hashArgon2, verifyArgon2 } from './argon2.ts';
import { createThreads } from './threads.ts';

const script = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, threadId } from 'node:worker_threads'; ${code}`)}`,
  );

describe('threads', () => {
  it('run one job at a time each, and no more than the maximum are started', async () => {
    const threads = createThreads(
      script(
        `parentPort.on('message', ({ n }) => setTimeout(() => parentPort.postMessage({ result: [n, threadId] }), 5))`,
      ),
      2,
    );
    const results = await Promise.all(Array.from({ length: 9 }, (_, n) => threads.run<[number, number]>({ n })));
    expect(results.map(([n]) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(results.map(([, id]) => id)).size).toBe(2);
  });

  it('reject only their own job when they exit', async () => {
    const threads = createThreads(
      script(`parentPort.on('message', ({ end }) => {
        if (end === 'exit') process.exit(3);
        if (end === 'throw') throw new Error('lost');
        parentPort.postMessage(end === 'error' ? { error: new Error('wrong') } : { result: 'done' });
      })`),
      1,
    );
    const jobs = ['exit', 'none', 'throw', 'none', 'error', 'none'].map((end) => threads.run<string>({ end }));
    const outcomes = await Promise.allSettled(jobs);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });
});

it('a job fails if no thread can be started, without blocking the next', async () => {
  const threads = createThreads(new URL('http://127.0.0.1/none.mjs'), 1);
  for (let round = 1; round <= 3; round++) await expect(threads.run({})).rejects.toThrow();
});

describe('argon2', () => {
  const heavy = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
  it.each([
    ['hashes in a separate thread', heavy],
    ['hashes without a thread at low cost', { memoryCost: 64, timeCost: 1, parallelism: 1 }],
  ])('argon2 %s', async (_, cost) => {
    const stored = await hashArgon2('a password', cost);
    expect(stored).toContain(`$m=${cost.memoryCost},t=${cost.timeCost},p=1$`);
    expect(await verifyArgon2(stored, 'a password', cost)).toBe(true);
    expect(await verifyArgon2(stored, 'another', cost)).toBe(false);
  });

  it('runs at a lower priority where threads have a priority', async () => {
    const before = getPriority();
    await hashArgon2('a password', heavy);
    expect(getPriority()).toBe(before);
    if (process.platform !== 'linux') return;
    const urgencies = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
    expect(Math.max(...urgencies)).toBe(Math.min(before + 10, 19));
  });

  it('rejects with the reason for an invalid hash', async () => {
    await expect(verifyArgon2('nonsense', 'x', heavy)).rejects.toThrow();
  });
});
