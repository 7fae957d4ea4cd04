import cluster, { type Worker } from 'node:cluster';
import type { Assignment, ToPrimary, ToWorker } from './messages.ts';
import type { Peer } from './relay.ts';

/** Marks our own workers: other programs may also run this program as a cluster worker. */
export const WORKER_MARK = 'GATEHOUSE_WORKER';

/** The message is the reason that the worker has reported. */
export class StartFailure extends Error {}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface WorkerProcess extends Peer {
  readonly number: number;
  readonly pid: number | undefined;
  /** Resolves with the port it listens on. Rejects with a StartFailure. */
  readonly ready: Promise<number>;
  /** Resolves when the process has ended and all of its messages were received. */
  readonly gone: Promise<Exit>;
  kill(): void;
}

interface Options {
  readonly number: number;
  /** Called when the worker is about to start. */
  assignment(): Assignment;
  receive(worker: WorkerProcess, message: ToPrimary): void;
}

/** A worker that takes longer is stuck: the schema exists by now, and an empty service starts in a second. */
const START_TIMEOUT_MS = 60_000;
const TOO_LATE = `The worker did not start within ${START_TIMEOUT_MS / 1000} seconds.`;

export function startWorker(options: Options): WorkerProcess {
  try {
    return watch(cluster.fork({ [WORKER_MARK]: '1' }), options);
  } catch (error) {
    // The fork failed, for example for lack of memory.
    return failedToStart(
      options.number,
      new StartFailure(`The worker could not be started (${(error as Error).message}).`),
    );
  }
}

function failedToStart(number: number, failure: StartFailure): WorkerProcess {
  const ready = Promise.reject(failure);
  ready.catch(() => {});
  const gone = Promise.resolve({ code: null, signal: null });
  return { number, pid: undefined, send: () => {}, kill: () => {}, ready, gone };
}

function watch(worker: Worker, { number, assignment, receive }: Options): WorkerProcess {
  const gone = goneOf(worker);
  const send = (message: ToWorker): void => {
    // A worker that is exiting no longer reads messages; `gone` reports that.
    if (worker.isConnected()) worker.send(message, () => {});
  };
  const kill = (): void => void worker.process.kill('SIGKILL');
  let late = false;
  const ready = new Promise<number>((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'hello') send({ type: 'start', assignment: assignment() });
      else if (message.type === 'ready') resolve(message.port);
      else if (message.type === 'failed') reject(new StartFailure(message.reason));
      else receive(workerProcess, message);
    });
    gone.then((exit) =>
      reject(new StartFailure(late ? TOO_LATE : `The worker exited during its start (${inWords(exit)}).`)),
    );
  });
  const timeout = setTimeout(() => {
    late = true;
    kill();
  }, START_TIMEOUT_MS);
  const settled = () => clearTimeout(timeout);
  ready.then(settled, settled);
  const workerProcess: WorkerProcess = { number, pid: worker.process.pid, send, kill, ready, gone };
  return workerProcess;
}

const inWords = ({ code, signal }: Exit): string => signal ?? `code ${code}`;

/**
 * `close` is emitted after the process has ended and its last message was read. `exit` may come earlier, and
 * `disconnect` not at all if a connection was being passed to a worker that is killed.
 */
function goneOf(worker: Worker): Promise<Exit> {
  // Send and spawn errors are covered by `close`.
  worker.on('error', () => {});
  return new Promise((resolve) => {
    worker.process.once('close', (code, signal) => resolve({ code, signal }));
  });
}
