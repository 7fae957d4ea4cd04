// Loaded into a process before anything else: notes the longest stop of its event loop, without the time it stood in line for
// a core, and writes it down when asked by SIGUSR2, beginning anew.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const STEP = 2;

/** Milliseconds that the first thread has stood in line so far; where there is no such file, nobody knows. */
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
    longest = Math.max(longest, now.at - last.at - (now.waited - last.waited) - STEP);
    last = now;
  }, STEP).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, String(longest));
    renameSync(`${file}.new`, file);
    longest = 0;
  });
}
