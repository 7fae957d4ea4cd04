// Loaded into a process before anything else: records the longest stall of its event loop, without the time spent
// waiting for a core. On SIGUSR2, writes the longest stall to a file and starts over.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const STEP_MS = 2;

/** Milliseconds that the main thread has waited for a core; 0 where this is not available. */
function waited() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

if (isMainThread && process.env.STALL_FOLDER) {
  const file = `${process.env.STALL_FOLDER}/${process.pid}`;
  let longest = 0;
  let last = { at: performance.now(), waited: waited() };
  setInterval(() => {
    const now = { at: performance.now(), waited: waited() };
    longest = Math.max(longest, now.at - last.at - (now.waited - last.waited) - STEP_MS);
    last = now;
  }, STEP_MS).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, String(longest));
    renameSync(`${file}.new`, file);
    longest = 0;
  });
}
