import { rmSync } from 'node:fs';
import { type Replicas, startProcesses } from '../replicas.ts';
import { atWorkerEnd, forSuite } from '../suite.ts';

/** How often races of few requests are repeated in one test. `npm run attack` also repeats the tests. */
export const ROUNDS = 2;

let shared: Promise<Replicas> | undefined;

/**
 * Starts two processes of the built service, for races on values that are used once, or counted. In `npm test`, all
 * test files of a worker share them, because two starts take three seconds of CPU time.
 */
export const useProcesses = (): Replicas =>
  forSuite(async () => {
    // In a campaign each file starts its own: the repeated tests of all files would exceed limits per client address.
    if (process.env.TRUST_EFFORT === 'full') return startProcesses();
    shared ??= startShared();
    return { ...(await shared), close: async () => {} };
  });

async function startShared(): Promise<Replicas> {
  const replicas = await startProcesses();
  // `process.ts` ends the processes.
  atWorkerEnd(() => rmSync(replicas.folder, { recursive: true, force: true }));
  return replicas;
}
