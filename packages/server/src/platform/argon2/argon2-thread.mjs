// Computes Argon2 hashes in a thread of lower priority, so that hashing does not delay requests of signed-in users.
// JavaScript, because Node must be able to load the thread's file directly.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';

const NICENESS_INCREMENT = 10;

try {
  // Only on Linux: there a thread has its own priority. Elsewhere the file does not exist.
  const thread = Number(readlinkSync('/proc/thread-self').split('/').pop());
  setPriority(thread, Math.min(getPriority(thread) + NICENESS_INCREMENT, constants.priority.PRIORITY_LOW));
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
