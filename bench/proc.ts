import { readdirSync, readFileSync } from 'node:fs';

/** Whether /proc is available (Linux); elsewhere its values are omitted. */
export const hasProc = process.platform === 'linux';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly isDatabase: boolean;
  /** Milliseconds of CPU time, including children that have ended. */
  readonly cpu: number;
}

/** Milliseconds per tick: Linux reports 100 ticks a second to every program. */
const TICK_MS = 10;

const pids = (): number[] => (hasProc ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []);

/** Returns an empty string if the process has ended or is not readable. */
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
  return [{ pid, parent: fields[1]!, isDatabase: name === 'postgres', cpu: ticks * TICK_MS }];
}

function family(roots: readonly number[]): Process[] {
  const all = pids().flatMap(readProcess);
  const found = all.filter(({ pid }) => roots.includes(pid));
  // The array grows during the loop.
  for (const one of found) {
    found.push(...all.filter((other) => other.parent === one.pid && !found.includes(other)));
  }
  return found;
}

export const ownDatabases = (): number[] =>
  pids()
    .flatMap(readProcess)
    .filter(({ parent, isDatabase }) => isDatabase && parent === process.pid)
    .map(({ pid }) => pid);

/** Milliseconds of CPU time so far. PostgreSQL is counted separately. */
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

/** Megabytes (PSS: shared pages are divided); undefined if the system does not report it. */
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

export const workingIn = (folder: string): number[] =>
  pids().filter((pid) => pid !== process.pid && read(pid, 'cmdline').includes(`${folder}/`));
