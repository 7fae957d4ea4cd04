import cluster, { type Worker } from 'node:cluster';
import type { Assignment, ToPrimary, ToWorker } from './messages.ts';
import type { Peer } from './relay.ts';

/** Other programs run us as workers of theirs; this one of the environment tells ours. */
export const WORKER_MARK = 'GATEHOUSE_WORKER';

/** Why a worker could not start, in the words it found for it. */
export class StartFailure extends Error {}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One worker process, as the primary sees it. */
export interface Member extends Peer {
  readonly number: number;
  readonly pid: number | undefined;
  /** The port on which it listens. Rejects with a StartFailure. */
  readonly ready: Promise<number>;
  /** It is no more, and nothing of what it said is still on its way. */
  readonly gone: Promise<Exit>;
  kill(): void;
}

interface Options {
  readonly number: number;
  /** Asked for when the worker is about to start. */
  assignment(): Assignment;
  receive(member: Member, message: ToPrimary): void;
}

/** What takes longer hangs. The schema is there by now, and an empty service starts in a second. */
const START_LIMIT = 60_000;
const TOO_LATE = `The worker did not start within ${START_LIMIT / 1000} seconds.`;

export function startMember(options: Options): Member {
  try {
    return watch(cluster.fork({ [WORKER_MARK]: '1' }), options);
  } catch (error) {
    // No memory for a process, perhaps.
    return stillborn(
      options.number,
      new StartFailure(`The worker could not be started (${(error as Error).message}).`),
    );
  }
}

function stillborn(number: number, failure: StartFailure): Member {
  const ready = Promise.reject(failure);
  ready.catch(() => {});
  const gone = Promise.resolve({ code: null, signal: null });
  return { number, pid: undefined, send: () => {}, kill: () => {}, ready, gone };
}

function watch(worker: Worker, { number, assignment, receive }: Options): Member {
  const gone = goneOf(worker);
  const send = (message: ToWorker): void => {
    // One that ends just now does not read it any more; that is noticed by its end.
    if (worker.isConnected()) worker.send(message, () => {});
  };
  const kill = (): void => void worker.process.kill('SIGKILL');
  let late = false;
  const ready = new Promise<number>((resolve, reject) => {
    worker.on('message', (message: ToPrimary) => {
      if (message.type === 'hello') send({ type: 'start', assignment: assignment() });
      else if (message.type === 'ready') resolve(message.port);
      else if (message.type === 'failed') reject(new StartFailure(message.reason));
      else receive(member, message);
    });
    gone.then((exit) =>
      reject(new StartFailure(late ? TOO_LATE : `The worker exited during its start (${inWords(exit)}).`)),
    );
  });
  const limit = setTimeout(() => {
    late = true;
    kill();
  }, START_LIMIT);
  const settled = () => clearTimeout(limit);
  ready.then(settled, settled);
  const member: Member = { number, pid: worker.process.pid, send, kill, ready, gone };
  return member;
}

const inWords = ({ code, signal }: Exit): string => signal ?? `code ${code}`;

/**
 * `close` comes when the process has ended and the last of its messages was read; `exit` may come before that, and
 * `disconnect` not at all, when a connection was on its way to a worker that is killed.
 */
function goneOf(worker: Worker): Promise<Exit> {
  // What cannot be sent to one that has just died, or be started at all, is told by its end.
  worker.on('error', () => {});
  return new Promise((resolve) => {
    worker.process.once('close', (code, signal) => resolve({ code, signal }));
  });
}
