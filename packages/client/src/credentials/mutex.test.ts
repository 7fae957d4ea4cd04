import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMutex, createTabMutex, TIMEOUT_MS } from './mutex.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Returns a promise that never resolves, and rejects when the signal is aborted. */
const hanging = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('the mutex', () => {
  it('runs work one after another, also after a failure', async () => {
    const runExclusive = createMutex();
    const done: string[] = [];
    const step = (name: string) => async () => {
      done.push(`${name} begins`);
      await Promise.resolve();
      done.push(`${name} ends`);
    };
    const failing = runExclusive(() => Promise.reject(new Error('no')));
    const both = Promise.all([runExclusive(step('one')), runExclusive(step('two'))]);
    await expect(failing).rejects.toThrow('no');
    await both;
    expect(done).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('aborts work that takes too long, so that it cannot undo changes of later work', async () => {
    const runExclusive = createMutex();
    const slow = runExclusive(hanging).catch((error: Error) => error.name);
    const next = runExclusive(async () => 'done');
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await slow).toBe('TimeoutError');
    expect(await next).toBe('done');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('runs work without the lock if the lock is not free after waitMs', async () => {
    const runExclusive = createMutex();
    const slow = runExclusive(hanging).catch(() => {});
    const impatient = runExclusive(async () => 'done', 3_000);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await impatient).toBe('done');
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    await slow;
  });

  it.each([
    ['is never granted', (signal: AbortSignal) => hanging(signal)],
    ['may not be used', () => Promise.reject(new DOMException('no', 'SecurityError'))],
  ])('runs work without the Web Lock if the lock %s', async (_name, wait) => {
    vi.stubGlobal('navigator', {
      locks: { request: (_lock: string, { signal }: { signal: AbortSignal }) => wait(signal) },
    });
    // Fake timers do not replace the timer of AbortSignal.timeout.
    const ended = AbortSignal.abort();
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(ended.reason), TIMEOUT_MS);
      return controller.signal;
    });
    const result = createTabMutex()(async () => 'done');
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await result).toBe('done');
    vi.restoreAllMocks();
  });
});
