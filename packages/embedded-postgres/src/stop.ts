import { findPostmaster } from './postmaster-file.ts';
import { waitUntilGone } from './process-state.ts';

const FAST_MS = 60_000;
const IMMEDIATE_MS = 10_000;

/** First a fast shutdown; if that hangs, an immediate one, which loses nothing but needs recovery at the next start. */
export async function stopPostmaster(pid: number, cluster: string): Promise<boolean> {
  for (const [signal, timeoutMs] of [['SIGINT', FAST_MS] as const, ['SIGQUIT', IMMEDIATE_MS] as const]) {
    // The pid may have been reused.
    if ((await findPostmaster(cluster))?.pid === pid) process.kill(pid, signal);
    if (await waitUntilGone(pid, timeoutMs)) return true;
  }
  return false;
}
