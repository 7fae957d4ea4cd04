import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { systemClock } from './clock.ts';

/** A reader that is slow is waited for this long at the end, and no longer. */
const FLUSH_TIMEOUT_MS = 1_000;
const PAUSE = 20;
/** Bytes that wait for a reader; what comes beyond is counted and dropped. */
const MOST = 16 * 1024 * 1024;
const isBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN';

interface LogOutput extends DestinationStream {
  /** Writes what waits, there and then: for the very end. */
  flush(): void;
}

/**
 * Lines for standard output, written behind the work that they tell of. A reader that has gone away (`serve | tee log`, and
 * Ctrl-C ends both) ends the writing and nothing else: the output that pino brings along goes on trying then, and never exits.
 */
export function openLogOutput(fd = 1): LogOutput {
  let waiting: Buffer = Buffer.alloc(0);
  /** About the bytes that are not written yet, those under way included. */
  let held = 0;
  let lost = 0;
  let lines: string[] = [];
  let isWriting = false;
  let isGone = false;

  const gather = (): Buffer => {
    if (lost > 0 && held < MOST) {
      lines.push(
        `${JSON.stringify({ level: 40, time: systemClock.now().getTime(), pid: process.pid, lost, msg: 'lines were lost' })}\n`,
      );
      lost = 0;
    }
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
    isWriting = chunk.length > 0;
    if (!isWriting) return;
    waiting = Buffer.alloc(0);
    // Also while a busy reader is waited for it counts as writing: two at once would mix their lines.
    write(fd, chunk, (error, written) => {
      if (error && !isBusy(error)) return giveUp();
      waiting = chunk.subarray(error ? 0 : written);
      if (!error) held = Math.max(0, held - written);
      if (error) setTimeout(proceed, PAUSE);
      else proceed();
    });
  };

  return {
    write(line) {
      if (isGone) return;
      if (held >= MOST) {
        lost += 1;
        return;
      }
      held += line.length;
      lines.push(line);
      if (!isWriting) proceed();
    },
    flush() {
      const until = performance.now() + FLUSH_TIMEOUT_MS;
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
