import { findPostmaster } from './postmaster-file.ts';
import { waitUntilGone } from './process-state.ts';

const FAST_MS = 60_000;
const IMMEDIATE_MS = 10_000;

/** Fast shutdown; when that hangs the immediate one, which loses nothing but costs a recovery at the next start. */
export async function stopPostmaster(pid: number, cluster: string): Promise<boolean> {
  for (const [signal, patience] of [['SIGINT', FAST_MS] as const, ['SIGQUIT', IMMEDIATE_MS] as const]) {
    // Never signal a number that meanwhile belongs to somebody else.
    if ((await findPostmaster(cluster))?.pid === pid) process.kill(pid, signal);
    if (await waitUntilGone(pid, patience)) return true;
  }
  return false;
}
