import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A reader that is slow is waited for this long at the end, and no longer. */
const PATIENCE_AT_EXIT = 1_000;
const PAUSE = 20;
const isBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN';

export interface LogOutput extends DestinationStream {
  /** Writes what waits, there and then: for the very end. */
  flush(): void;
}

/**
 * Lines for standard output, written behind the work that they tell of. A reader that has gone away (`serve | tee log`, and
 * Ctrl-C ends both) ends the writing and nothing else: the output that pino brings along goes on trying then, and never exits.
 */
export function openLogOutput(fd = 1): LogOutput {
  let waiting: Buffer = Buffer.alloc(0);
  let lines: string[] = [];
  let isWriting = false;
  let isGone = false;

  const gather = (): Buffer => {
    if (lines.length > 0) waiting = Buffer.concat([waiting, Buffer.from(lines.join(''))]);
    lines = [];
    return waiting;
  };
  const giveUp = (): void => {
    isGone = true;
    lines = [];
    waiting = Buffer.alloc(0);
  };
  /** One write at a time; what comes meanwhile goes out together. */
  const proceed = (): void => {
    const chunk = gather();
    if (chunk.length === 0) return;
    isWriting = true;
    waiting = Buffer.alloc(0);
    write(fd, chunk, (error, written) => {
      isWriting = false;
      if (error && !isBusy(error)) return giveUp();
      waiting = chunk.subarray(error ? 0 : written);
      if (error) setTimeout(proceed, PAUSE);
      else proceed();
    });
  };

  return {
    write(line) {
      if (isGone) return;
      lines.push(line);
      if (!isWriting) proceed();
    },
    flush() {
      const until = performance.now() + PATIENCE_AT_EXIT;
      while (!isGone && gather().length > 0) {
        try {
          waiting = waiting.subarray(writeSync(fd, waiting));
        } catch (error) {
          if (!isBusy(error) || performance.now() > until) giveUp();
          else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
        }
      }
    },
  };
}
