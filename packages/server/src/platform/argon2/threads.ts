import { Worker } from 'node:worker_threads';
import { cores } from '../cores.ts';

interface Reply {
  readonly result?: unknown;
  readonly error?: Error;
}

interface Job {
  readonly task: object;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  begin(job: Job): void;
}

interface Hooks {
  onFree(thread: Thread): void;
  onLost(thread: Thread): void;
}

/** A thread runs one job at a time. An idle one does not keep the process alive. If it exits, its job is rejected. */
function startThread(file: URL, { onFree, onLost }: Hooks): Thread {
  const worker = new Worker(file);
  let job: Job | undefined;
  const thread: Thread = {
    begin(next) {
      job = next;
      worker.ref();
      worker.postMessage(next.task);
    },
  };
  worker.on('message', ({ result, error }: Reply) => {
    const done = job;
    job = undefined;
    worker.unref();
    if (error) done?.reject(error);
    else done?.resolve(result as never);
    onFree(thread);
  });
  let failure = new Error('a thread ended');
  worker.on('error', (error) => {
    failure = error;
  });
  worker.on('exit', () => {
    job?.reject(failure);
    onLost(thread);
  });
  return thread;
}

/** Runs tasks in at most `maxThreads` threads. A thread is started only if all others are busy. */
export function createThreads(file: URL, maxThreads = cores()) {
  const waiting: Job[] = [];
  let idle: Thread[] = [];
  let running = 0;

  const begin = (job: Job): void => {
    const free = idle.pop();
    if (free) free.begin(job);
    else if (running >= maxThreads) waiting.push(job);
    else start(job);
  };

  /** If the thread cannot be started, only its own job fails. */
  const start = (job: Job): void => {
    try {
      startThread(file, hooks).begin(job);
      running++;
    } catch (error) {
      job.reject(error as Error);
    }
  };

  const hooks: Hooks = {
    onFree(thread) {
      const next = waiting.shift();
      if (next) thread.begin(next);
      else idle.push(thread);
    },
    onLost(thread) {
      running--;
      idle = idle.filter((other) => other !== thread);
      const next = waiting.shift();
      if (next) begin(next);
    },
  };

  return {
    run: <T>(task: object): Promise<T> => new Promise((resolve, reject) => begin({ task, resolve, reject })),
  };
}
