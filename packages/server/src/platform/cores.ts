import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The usable cores: the visible ones or, if lower, the CPU quota of the container, which Node 20 ignores. */
export const cores = (): number => Math.max(1, Math.min(availableParallelism(), quota()));

/** The CPU quota of cgroup v2: microseconds per period, or `max`. */
function quota(): number {
  try {
    const [quotaUs, periodUs] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').trim().split(' ').map(Number);
    return quotaUs! > 0 && periodUs! > 0 ? Math.ceil(quotaUs! / periodUs!) : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
