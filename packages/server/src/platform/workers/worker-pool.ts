import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import type { Assignment, ToPrimary } from './messages.ts';
import { createRelay } from './relay.ts';
import { createWorkerMetrics } from './worker-metrics.ts';
import { type Exit, startWorker, type WorkerProcess } from './worker-process.ts';

type SharedAssignment = Omit<Assignment, 'number'>;

interface WorkerPool {
  /** Resolves with the port when all workers listen. If one cannot start, stops all and rejects with StartFailure. */
  start(shared: SharedAssignment): Promise<number>;
  /** The embedded PostgreSQL moved its socket. */
  moved(host: string): void;
  /** Replaces workers one by one, each once its replacement listens. Rejects if one cannot start; the others stay. */
  renew(shared: SharedAssignment): Promise<void>;
  /** Resolves when no worker is left. `drain`: milliseconds for which the workers continue to answer requests first. */
  stop(drain?: number): Promise<void>;
}

interface Options {
  readonly size: number;
  readonly log: Logger;
}

interface Slot {
  readonly number: number;
  worker: WorkerProcess | undefined;
  /** The start of the current worker, by the monotonic clock. */
  since: number;
  /** The number of consecutive exits shortly after the start. */
  losses: number;
  /** Settles when the worker that is being started listens or has failed. */
  starting: Promise<unknown> | undefined;
}

/** A worker that runs for this long has started successfully. */
const STABLE_AFTER_MS = 10_000;
const MAX_DELAY_MS = 30_000;
/** More than the 10 seconds that a worker has for running work, less than the 15 of the service after SIGTERM. */
const STOP_TIMEOUT_MS = 12_000;
const HANDOVER_TIMEOUT_MS = STOP_TIMEOUT_MS + 3_000;

/** How long collected metrics are reused. */
const REUSE_TOTAL_MS = 500;

/** The delay before a restart, in milliseconds: 0 the first time, then 1, 2, 4 … seconds. */
const restartDelay = (losses: number): number => (losses <= 1 ? 0 : Math.min(1_000 * 2 ** (losses - 2), MAX_DELAY_MS));

/** The workers of one `serve`. The primary starts them, replaces those that exit, and stops them. */
export function createWorkerPool({ size, log }: Options): WorkerPool {
  const slots = Array.from({ length: size }, (_, index): Slot => {
    return { number: index + 1, worker: undefined, since: 0, losses: 0, starting: undefined };
  });
  /** All worker processes, including those that are starting or stopping. */
  const workers = new Set<WorkerProcess>();
  const assignedTo = new WeakMap<WorkerProcess, SharedAssignment>();
  /** Workers that serve requests and can therefore report metrics. */
  const answering = new Set<WorkerProcess>();
  const relay = createRelay<WorkerProcess>({
    onSilent(worker) {
      log.error({ worker: worker.number, worker_pid: worker.pid }, 'a worker does not respond; killing it');
      worker.kill();
    },
  });
  const metrics = createWorkerMetrics();
  const end = new AbortController();
  let shared: SharedAssignment;

  const receive = (worker: WorkerProcess, message: ToPrimary): void => {
    if (message.type === 'join') relay.join(worker);
    if (message.type === 'events') relay.publish(worker, message.id, message.events);
    if (message.type === 'acknowledged') relay.acknowledge(worker, message.id);
    if (message.type === 'metrics') metrics.handIn(worker, message.families);
    if (message.type === 'total') void total(worker, message.id, message.families);
    if (message.type === 'leaving') {
      answering.delete(worker);
      metrics.handIn(worker, message.families);
      worker.send({ type: 'farewell' });
    }
  };

  const total = async (from: WorkerProcess, id: number, own: Parameters<typeof metrics.handIn>[1]): Promise<void> => {
    metrics.handIn(from, own);
    const others = [...answering].filter((worker) => worker !== from);
    from.send({ type: 'total', id, families: await sharedTotal(others) });
  };

  let gathering: Promise<Awaited<ReturnType<typeof metrics.total>>> | undefined;
  /** /metrics may be public: requests during a collection, and shortly after it, get the same totals. */
  const sharedTotal = (others: readonly WorkerProcess[]) => {
    gathering ??= metrics.total(others).finally(() => {
      setTimeout(() => {
        gathering = undefined;
      }, REUSE_TOTAL_MS).unref();
    });
    return gathering;
  };

  const begin = (slot: Slot): WorkerProcess => {
    const worker = startWorker({
      number: slot.number,
      assignment: () => {
        assignedTo.set(worker, shared);
        return { ...shared, number: slot.number };
      },
      receive,
    });
    workers.add(worker);
    worker.ready.then(
      () => answering.add(worker),
      () => {},
    );
    worker.gone.then(() => {
      workers.delete(worker);
      answering.delete(worker);
      relay.leave(worker);
      metrics.leave(worker);
    });
    return worker;
  };

  /** Starts a worker for the slot. The current one stays until the new one listens. */
  const fill = (slot: Slot): Promise<WorkerProcess> => {
    const worker = begin(slot);
    const filled = worker.ready.then(
      () => {
        slot.starting = undefined;
        take(slot, worker);
        return worker;
      },
      (error) => {
        slot.starting = undefined;
        throw error;
      },
    );
    slot.starting = filled.catch(() => {});
    return filled;
  };

  const take = (slot: Slot, worker: WorkerProcess): void => {
    slot.worker = worker;
    slot.since = performance.now();
    worker.gone.then((exit) => lost(slot, worker, exit));
  };

  const lost = (slot: Slot, worker: WorkerProcess, exit: Exit): void => {
    if (slot.worker !== worker || end.signal.aborted) return;
    slot.worker = undefined;
    slot.losses = performance.now() - slot.since < STABLE_AFTER_MS ? slot.losses + 1 : 1;
    const { code: exit_code, signal } = exit;
    log.error(
      { worker: slot.number, worker_pid: worker.pid, exit_code, signal },
      'a worker exited unexpectedly; starting a new one',
    );
    if (!slot.starting) void refill(slot);
  };

  const refill = async (slot: Slot): Promise<void> => {
    while (!slot.worker) {
      await sleep(restartDelay(slot.losses), undefined, { signal: end.signal }).catch(() => {});
      if (end.signal.aborted) return;
      await fill(slot).then(
        (worker) => log.info({ worker: slot.number, worker_pid: worker.pid }, 'the worker is back'),
        (error) => {
          slot.losses++;
          const next = { worker: slot.number, reason: error.message, next_try_ms: restartDelay(slot.losses) };
          if (!end.signal.aborted) log.error(next, 'a worker could not start; it will be retried');
        },
      );
    }
  };

  const replace = async (slot: Slot, old: WorkerProcess): Promise<void> => {
    try {
      await fill(slot);
    } catch (error) {
      if (end.signal.aborted) return;
      // The worker that was to be replaced may have exited meanwhile.
      if (!slot.worker) void refill(slot);
      throw error;
    }
    old.send({ type: 'stop', handover: true });
    await goneWithin(old, HANDOVER_TIMEOUT_MS);
  };

  const renew = async (given: SharedAssignment): Promise<void> => {
    const before = shared;
    shared = given;
    try {
      for (const slot of slots) {
        await slot.starting;
        const { worker } = slot;
        if (end.signal.aborted) return;
        // An empty slot is being refilled with the new assignment, so only occupied slots are replaced.
        if (worker && assignedTo.get(worker) !== shared) await replace(slot, worker);
      }
    } catch (error) {
      // Workers that exit later are replaced with the assignment that is known to work.
      shared = before;
      throw error;
    }
  };

  return {
    async start(given) {
      shared = given;
      const first = slots.map(begin);
      try {
        const [port] = await Promise.all(first.map(({ ready }) => ready));
        for (const [index, slot] of slots.entries()) take(slot, first[index]!);
        return port!;
      } catch (error) {
        for (const worker of first) worker.kill();
        await Promise.all(first.map(({ gone }) => gone));
        throw error;
      }
    },
    moved(host) {
      for (const worker of workers) worker.send({ type: 'moved', host });
    },
    renew,
    async stop(drain = 0) {
      end.abort();
      const all = [...workers];
      for (const worker of all) {
        if (assignedTo.has(worker)) worker.send({ type: 'stop', handover: false });
        else worker.kill();
      }
      await Promise.all(all.map((worker) => goneWithin(worker, STOP_TIMEOUT_MS + drain)));
    },
  };
}

/** Kills the worker if it has not exited in time. */
async function goneWithin(worker: WorkerProcess, milliseconds: number): Promise<void> {
  const timeout = setTimeout(worker.kill, milliseconds);
  await worker.gone;
  clearTimeout(timeout);
}
