import { readdirSync, readFileSync } from 'node:fs';

/** What /proc tells, on Linux; elsewhere these figures are left out. */
export const hasProc = process.platform === 'linux';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly isDatabase: boolean;
  /** Milliseconds of CPU time: its own, and of children that have ended. */
  readonly cpu: number;
}

/** Milliseconds in a tick: Linux tells every program 100 a second. */
const TICK = 10;

const pids = (): number[] => (hasProc ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []);

/** Empty for what is gone, or not ours to read. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function readProcess(pid: number): Process[] {
  const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(read(pid, 'stat')) ?? [];
  if (rest === undefined) return [];
  const fields = rest.split(' ').map(Number);
  const ticks = fields[11]! + fields[12]! + fields[13]! + fields[14]!;
  return [{ pid, parent: fields[1]!, isDatabase: name === 'postgres', cpu: ticks * TICK }];
}

/** These processes and all below them. */
function family(roots: readonly number[]): Process[] {
  const all = pids().flatMap(readProcess);
  const found = all.filter(({ pid }) => roots.includes(pid));
  // It grows while it is walked.
  for (const one of found) {
    found.push(...all.filter((other) => other.parent === one.pid && !found.includes(other)));
  }
  return found;
}

/** The PostgreSQL that this process has started itself. */
export const ownDatabases = (): number[] =>
  pids()
    .flatMap(readProcess)
    .filter(({ parent, isDatabase }) => isDatabase && parent === process.pid)
    .map(({ pid }) => pid);

/** Milliseconds of CPU time so far. PostgreSQL below the others counts for itself. */
interface CpuTime {
  readonly service: number;
  readonly database: number;
}

export function readCpu(roots: readonly number[]): CpuTime {
  const sum = (processes: Process[]) => processes.reduce((total, { cpu }) => total + cpu, 0);
  const all = family(roots);
  return {
    service: sum(all.filter(({ isDatabase }) => !isDatabase)),
    database: sum(all.filter(({ isDatabase }) => isDatabase)),
  };
}

/** Megabytes, each shared page counted in parts; undefined where the system does not tell. */
export function readMemory(roots: readonly number[]): { service: number; database: number } | undefined {
  const sizes = family(roots).map(({ pid, isDatabase }) => {
    const [, kilobytes] = /^Pss: +(\d+) kB/m.exec(read(pid, 'smaps_rollup')) ?? [];
    return { isDatabase, size: kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1024 };
  });
  const sum = (database: boolean) =>
    sizes.filter(({ isDatabase }) => isDatabase === database).reduce((total, { size }) => total + size, 0);
  const memory = { service: sum(false), database: sum(true) };
  return sizes.length === 0 || Number.isNaN(memory.service + memory.database) ? undefined : memory;
}

/** Who was started to work in this folder. */
export const workingIn = (folder: string): number[] =>
  pids().filter((pid) => pid !== process.pid && read(pid, 'cmdline').includes(`${folder}/`));
