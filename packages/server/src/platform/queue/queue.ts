import { setTimeout as sleep } from 'node:timers/promises';
import { after, type Clock } from '../clock.ts';
import type { Logger } from '../log.ts';

/** `attempts` includes the attempt that follows this claim, and identifies the claim. */
export interface Message {
  readonly id: string;
  readonly attempts: number;
}

/**
 * `pauseSeconds`: the receiver asked for a pause. The lane claims nothing meanwhile; the attempt does not count.
 * `wait`: this process cannot attempt the message now. Nothing was sent, the attempt does not count, and others go on.
 */
export type Outcome =
  | { result: 'done' }
  | { result: 'failed'; reason: string }
  | { result: 'retry'; reason: string; pauseSeconds?: number }
  | { result: 'wait'; reason: string };

export interface FailedAttempt extends Message {
  readonly last_error: string;
}

export interface QueueStore<M extends Message, Lane extends string> {
  /**
   * Claims at most `limits[lane]` due messages of each lane: increments `attempts` and sets the next attempt to
   * `leased_until`. No other claim may return them before then.
   */
  claim(claim: { now: Date; leased_until: Date; limits: Readonly<Record<Lane, number>> }): Promise<M[]>;
  /** Records a success, even if another worker has claimed the message in the meantime. */
  finish(done: { id: string; now: Date; message: M }): Promise<unknown>;
  /**
   * `retry` and `fail` apply only if no other worker has claimed the message (same `attempts`). If `counted` is false,
   * `attempts` is decremented.
   */
  retry(attempt: FailedAttempt & { next_attempt_at: Date; counted: boolean; now: Date; message: M }): Promise<unknown>;
  fail(attempt: FailedAttempt & { now: Date; message: M }): Promise<unknown>;
  /** Marks messages as expired that are past their expiry and not leased. Returns their number. */
  expire(batch: { now: Date; limit: number }): Promise<number>;
}

interface LaneOptions {
  readonly concurrency: number;
  /** Nothing is claimed for the lane while this returns false. */
  readonly isOpen?: () => boolean;
  /** An attempt that takes longer does not count for `concurrency`, unless there are `maxCount` such attempts. */
  readonly slow?: { readonly afterMs: number; readonly maxCount: number };
}

interface QueueOptions<M extends Message, Lane extends string> {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: QueueStore<M, Lane>;
  /** Lanes share only the table: a lane whose receiver hangs does not delay the others. */
  readonly lanes: Readonly<Record<Lane, LaneOptions>>;
  readonly laneOf: (message: M) => Lane;
  /** Must be longer than any attempt. */
  readonly leaseSeconds: number;
  /** In seconds: the delay after each failed attempt. After the last one, the message fails. */
  readonly retryDelays: readonly number[];
  /** Each delay varies at random by this fraction, so that messages that failed together are not retried together. */
  readonly spread?: number;
  /** With a backlog, the pause after a claim is this many times its duration. For stores whose claims are expensive. */
  readonly claimPauseFactor?: number;
  /** If it throws, the attempt counts as failed. */
  readonly attempt: (message: M) => Promise<Outcome>;
  readonly onFailed?: (message: M, reason: string) => void;
  readonly observe?: Observe | undefined;
}

export type Observe = (outcome: 'done' | 'retried' | 'failed' | 'expired', count: number) => void;

export interface Queue {
  start(): void;
  /** Stops claiming and waits for running attempts. */
  stop(): Promise<void>;
  /** Call this after adding a message. */
  wake(): void;
  /** Attempts every message that is due now. For tests and commands. */
  drain(): Promise<void>;
}

/** How long a message waits that this process cannot attempt. */
const WAIT_SECONDS = 30;
const POLL_INTERVAL_MS = 2_000;
const EXPIRE_BATCH = 500;
/** So that a slow database does not reduce the deliveries of a backlog to a few per second. */
const MAX_CLAIM_PAUSE_MS = 500;

/**
 * Delivers the messages of a table at least once. Any number of processes can share the table: a claim is exclusive,
 * and a message claimed by a process that died is attempted again when its lease expires. The queue never throws: a
 * database failure is logged once, and the statement is retried.
 */
export function createQueue<M extends Message, Lane extends string>(options: QueueOptions<M, Lane>): Queue {
  const { name, clock, log, store, claimPauseFactor = 0, observe = () => {} } = options;
  const lanes = (Object.keys(options.lanes) as Lane[]).map((name) => ({
    name,
    ...(options.lanes[name] as LaneOptions),
    running: new Set<Promise<void>>(),
    slowCount: 0,
    pausedUntil: new Date(0),
    /** More messages may be due than the lane had room for. */
    backlog: false,
  }));
  const laneOf = (message: M) => lanes.find((lane) => lane.name === options.laneOf(message))!;
  /** Messages that are done, but could not be recorded as such in the database. They are not attempted again. */
  const unrecorded = new Set<string>();
  let moreExpired = false;
  let databaseFails = false;
  let stopped = false;
  let wanted = false;
  let interruptRest = () => {};
  /** When the next claim for a backlog may begin, in terms of `performance.now()`. */
  let pausedUntilMs = 0;
  let isPausing = false;

  const wake = (): void => {
    wanted = true;
    interruptRest();
  };

  const wakeAfterPause = (): void => {
    if (isPausing) return;
    if (pausedUntilMs <= performance.now()) {
      wake();
      return;
    }
    isPausing = true;
    const end = (): void => {
      isPausing = false;
      wake();
    };
    setTimeout(end, pausedUntilMs - performance.now()).unref();
  };

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      if (databaseFails) log.info(`the ${name} queue reached the database again`);
      databaseFails = false;
    } catch (error) {
      if (!databaseFails) log.warn({ err: error }, `the ${name} queue lost the database; trying again`);
      databaseFails = true;
    }
  };

  const attempt = async (message: M): Promise<Outcome> => {
    if (unrecorded.has(message.id)) return { result: 'done' };
    try {
      return await options.attempt(message);
    } catch (error) {
      log.error({ err: error, message_id: message.id }, `an attempt of the ${name} queue threw`);
      return { result: 'retry', reason: 'unexpected' };
    }
  };

  const record = async (message: M, outcome: Outcome): Promise<void> => {
    const { id, attempts } = message;
    const now = clock.now();
    if (outcome.result === 'done') {
      unrecorded.add(id);
      await store.finish({ id, now, message });
      unrecorded.delete(id);
      observe('done', 1);
      return;
    }
    const failure = { id, attempts, last_error: outcome.reason, now, message };
    if (outcome.result === 'wait') {
      await store.retry({ ...failure, next_attempt_at: after(now, WAIT_SECONDS), counted: false });
      return;
    }
    const pause = outcome.result === 'retry' ? outcome.pauseSeconds : undefined;
    const delay = pause ?? options.retryDelays[attempts - 1];
    if (outcome.result === 'failed' || delay === undefined) {
      await store.fail(failure);
      options.onFailed?.(message, outcome.reason);
      observe('failed', 1);
      return;
    }
    const varied = pause === undefined ? delay * (1 + (options.spread ?? 0) * (2 * Math.random() - 1)) : delay;
    const next = after(now, varied);
    if (pause !== undefined) laneOf(message).pausedUntil = next;
    await store.retry({ ...failure, next_attempt_at: next, counted: pause === undefined });
    observe('retried', 1);
  };

  const begin = (message: M): void => {
    const lane = laneOf(message);
    let isSlow = false;
    const timer = lane.slow && setTimeout(() => noteSlow(), lane.slow.afterMs).unref();
    const noteSlow = (): void => {
      isSlow = true;
      lane.slowCount++;
      if (lane.backlog) wakeAfterPause();
    };
    const running = guarded(async () => record(message, await attempt(message))).finally(() => {
      clearTimeout(timer);
      if (isSlow) lane.slowCount--;
      lane.running.delete(running);
      if (lane.backlog) wakeAfterPause();
    });
    lane.running.add(running);
  };

  const fill = (): Promise<void> =>
    guarded(async () => {
      moreExpired = false;
      for (const lane of lanes) lane.backlog = false;
      const now = clock.now();
      const expired = await store.expire({ now, limit: EXPIRE_BATCH });
      if (expired > 0) observe('expired', expired);
      moreExpired = expired === EXPIRE_BATCH;
      if (stopped) return;
      const limits = {} as Record<Lane, number>;
      for (const lane of lanes) {
        const mayClaim = (lane.isOpen?.() ?? true) && now >= lane.pausedUntil;
        const uncounted = Math.min(lane.slowCount, lane.slow?.maxCount ?? 0);
        limits[lane.name] = mayClaim ? Math.max(0, lane.concurrency + uncounted - lane.running.size) : 0;
        // If the lane is full, the next attempt that ends triggers another claim.
        lane.backlog = mayClaim && limits[lane.name] === 0;
      }
      if (lanes.every((lane) => limits[lane.name] === 0)) return;
      const begunMs = performance.now();
      const claimed = await store.claim({ now, leased_until: after(now, options.leaseSeconds), limits });
      const endedMs = performance.now();
      pausedUntilMs = endedMs + Math.min(MAX_CLAIM_PAUSE_MS, claimPauseFactor * (endedMs - begunMs));
      for (const message of claimed) begin(message);
      for (const lane of lanes) {
        const taken = claimed.filter((message) => laneOf(message) === lane).length;
        lane.backlog ||= taken > 0 && taken === limits[lane.name];
      }
    });

  // One claim at a time, so that concurrent claims cannot exceed the concurrency of a lane.
  let filling: Promise<void> = Promise.resolve();
  const claimDue = (): Promise<void> => {
    filling = filling.then(fill);
    return filling;
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      wanted = false;
      await claimDue();
      if (wanted || stopped) continue;
      const timer = new AbortController();
      const { signal } = timer;
      const woken = new Promise<void>((resolve) => {
        interruptRest = resolve;
      });
      await Promise.race([sleep(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {}), woken]);
      timer.abort();
    }
  };

  const running = () => lanes.flatMap((lane) => [...lane.running]);
  let loop: Promise<void> = Promise.resolve();
  return {
    start() {
      loop = run();
    },
    async stop() {
      stopped = true;
      interruptRest();
      await loop;
      await filling;
      await Promise.all(running());
    },
    wake,
    async drain() {
      do {
        await claimDue();
        if (running().length > 0) await Promise.race(running());
      } while (moreExpired || lanes.some((lane) => lane.backlog) || running().length > 0);
    },
  };
}
