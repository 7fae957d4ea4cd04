// One thread that computes, below everything else: who has a session is served first, and hashing takes what is left.
// JavaScript, since a thread is started from a file that Node itself can read.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';

const LESS_URGENT = 10;

try {
  // Linux counts threads as it counts processes. Elsewhere there is no such file, and all are equal.
  const thread = Number(readlinkSync('/proc/thread-self').split('/').pop());
  setPriority(thread, Math.min(getPriority(thread) + LESS_URGENT, constants.priority.PRIORITY_LOW));
} catch {}

const WORK = {
  hash: ({ password, cost }) => hashSync(password, cost),
  verify: ({ stored, password }) => verifySync(stored, password),
};

parentPort.on('message', (task) => {
  try {
    parentPort.postMessage({ result: WORK[task.work](task) });
  } catch (error) {
    parentPort.postMessage({ error });
  }
});
