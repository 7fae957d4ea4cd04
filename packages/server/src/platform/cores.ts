import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** How many cores this process may keep busy: those it sees, or what its container is given, which Node 20 does not ask for. */
export const cores = (): number => Math.max(1, Math.min(availableParallelism(), quota()));

/** Of control groups, version 2: microseconds in each period, or `max`. */
function quota(): number {
  try {
    const [given, period] = readFileSync('/sys/fs/cgroup/cpu.max', 'utf8').trim().split(' ').map(Number);
    return given! > 0 && period! > 0 ? Math.ceil(given! / period!) : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
