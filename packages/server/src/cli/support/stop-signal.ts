/** In milliseconds. If the process still runs then, something hangs, and an unclean exit is better than none. */
export const HARD_STOP = 15_000;
const PARENT_CHECK_MS = 1_000;
/** One Ctrl-C may arrive twice: from the terminal and from a parent that passes it on. */
const SAME_PRESS_MS = 1_000;
/** 128 plus the number of the signal, as in shells. */
const INTERRUPTED = 130;

/**
 * Aborts once, at SIGTERM or SIGINT. A later second Ctrl-C ends the process immediately. npm passes a SIGTERM to a
 * shell, which dies without passing it on: under npm, the loss of the parent process counts as the signal. SIGHUP also
 * aborts, as when a terminal closes, unless `handleHangUp` returns true. `drain`: milliseconds for which requests are
 * still answered, added to `HARD_STOP`.
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
      if (reason === 'SIGINT' && performance.now() - since > SAME_PRESS_MS) process.exit(INTERRUPTED);
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
    setInterval(() => process.ppid !== parent && abort('npm has ended'), PARENT_CHECK_MS).unref();
  }
  return stop.signal;
}

export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Exits cleanly. If the terminal has closed, exits by SIGHUP: Node crashes if it cannot reset the terminal. */
export function exit(terminalClosed: boolean): never {
  if (terminalClosed) {
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(0);
}
