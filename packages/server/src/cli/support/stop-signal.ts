/** After this long something hangs, and an exit without a clean end is better than none. */
export const HARD_STOP = 15_000;
const PARENT_CHECK = 1_000;
/** One Ctrl-C may come more than once: from the terminal, and from whoever started us and passes it on. */
const SAME_PRESS = 1_000;
/** As a shell has it: 128 and the number of the signal. */
const INTERRUPTED = 130;

/**
 * Aborts once, at SIGTERM or SIGINT, from the first moment on. Another Ctrl-C, later, is from somebody who will not wait: it ends the process. npm passes a SIGTERM to a shell that dies without telling
 * us: under npm, the loss of the parent counts as the signal. Who handles SIGHUP says by true that it was not meant as an
 * end; otherwise it is one, as when a terminal closes. `drain`: milliseconds for which the service goes on first.
 */
export function stopSignal(
  underNpm: boolean,
  handleHangUp?: () => boolean,
  drain: () => number = () => 0,
): AbortSignal {
  const stop = new AbortController();
  let since = 0;
  const abort = (reason: string): void => {
    if (stop.signal.aborted) {
      if (reason === 'SIGINT' && performance.now() - since > SAME_PRESS) process.exit(INTERRUPTED);
      return;
    }
    since = performance.now();
    setTimeout(() => process.exit(1), HARD_STOP + drain()).unref();
    stop.abort(reason);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => abort(signal));
  if (handleHangUp) process.on('SIGHUP', () => handleHangUp() || abort('SIGHUP'));
  if (underNpm) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && abort('npm has ended'), PARENT_CHECK).unref();
  }
  return stop.signal;
}

export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * A clean end. When the terminal has closed, by the signal that told of it: Node crashes at an exit where it cannot set the
 * terminal back.
 */
export function exit(terminalClosed: boolean): never {
  if (terminalClosed) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(0);
}
