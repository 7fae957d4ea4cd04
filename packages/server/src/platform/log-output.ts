import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { systemClock } from './clock.ts';

const FLUSH_TIMEOUT_MS = 1_000;
const RETRY_DELAY_MS = 20;
/** Further lines are counted and dropped while this many bytes wait for the reader. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
const isBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN';

interface LogOutput extends DestinationStream {
  /** Writes all pending lines synchronously, for use at process exit. */
  flush(): void;
}

/** Writes to standard output. Stops if the reader is gone (`serve | tee log`): pino would retry and never exit. */
export function openLogOutput(fd = 1): LogOutput {
  let waiting: Buffer = Buffer.alloc(0);
  /** Approximate number of bytes not yet written, including those of the current write. */
  let pendingBytes = 0;
  let lost = 0;
  let lines: string[] = [];
  let isWriting = false;
  let isGone = false;

  const gather = (): Buffer => {
    if (lost > 0 && pendingBytes < MAX_PENDING_BYTES) {
      lines.push(
        `${JSON.stringify({ level: 40, time: systemClock.now().getTime(), pid: process.pid, lost, msg: 'lines were lost' })}\n`,
      );
      lost = 0;
    }
    if (lines.length > 0) waiting = Buffer.concat([waiting, Buffer.from(lines.join(''))]);
    lines = [];
    return waiting;
  };
  const discardAll = (): void => {
    isGone = true;
    lines = [];
    waiting = Buffer.alloc(0);
  };
  /** One write at a time. Lines that arrive during it are written together next. */
  const proceed = (): void => {
    const chunk = gather();
    isWriting = chunk.length > 0;
    if (!isWriting) return;
    waiting = Buffer.alloc(0);
    // `isWriting` stays true while waiting for a busy reader, because two concurrent writes would mix their lines.
    write(fd, chunk, (error, written) => {
      if (error && !isBusy(error)) return discardAll();
      waiting = chunk.subarray(error ? 0 : written);
      if (!error) pendingBytes = Math.max(0, pendingBytes - written);
      if (error) setTimeout(proceed, RETRY_DELAY_MS);
      else proceed();
    });
  };

  return {
    write(line) {
      if (isGone) return;
      if (pendingBytes >= MAX_PENDING_BYTES) {
        lost += 1;
        return;
      }
      pendingBytes += line.length;
      lines.push(line);
      if (!isWriting) proceed();
    },
    flush() {
      const until = performance.now() + FLUSH_TIMEOUT_MS;
      while (!isGone && gather().length > 0) {
        try {
          waiting = waiting.subarray(writeSync(fd, waiting));
        } catch (error) {
          if (!isBusy(error) || performance.now() > until) discardAll();
          else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_DELAY_MS);
        }
      }
    },
  };
}
