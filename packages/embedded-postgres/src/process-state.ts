import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorCode } from './error.ts';

const run = promisify(execFile);
const POLL_MS = 10;

interface ProcessState {
  zombie: boolean;
  argv: string[];
}

async function readProcess(pid: number): Promise<ProcessState | undefined> {
  if (process.platform === 'linux') {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
      const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
      // The name in parentheses may contain parentheses; the state follows the last one.
      const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
      return { zombie: state === 'Z' || state === 'X', argv };
    } catch {
      return undefined;
    }
  }
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,args=', '-p', String(pid)]);
    const [state = '', ...argv] = stdout.trim().split(/\s+/);
    return { zombie: state.startsWith('Z'), argv: [argv[0] ?? '', argv.join(' ')] };
  } catch {
    return undefined;
  }
}

/** Whether this pid is a running PostgreSQL of this cluster, not a zombie and not a reused pid. */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  const state = await readProcess(pid);
  if (!state || state.zombie || basename(state.argv[0] ?? '') !== 'postgres') return false;
  if (process.platform !== 'linux') return (state.argv[1] ?? '').includes(cluster);
  // The working folder is right even after a move of the data folder; reading another account's needs CAP_SYS_PTRACE.
  return state.argv.includes(cluster) || (await workingFolder(pid)) === (await resolved(cluster));
}

async function resolved(cluster: string): Promise<string> {
  return realpath(cluster).catch(() => cluster);
}

async function workingFolder(pid: number | string): Promise<string | undefined> {
  try {
    return await realpath(await readlink(`/proc/${pid}/cwd`));
  } catch {
    return undefined;
  }
}

export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  const state = await readProcess(pid);
  return state !== undefined && !state.zombie;
}

/** Returns false if the process still runs after the timeout. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (await isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** All PostgreSQL processes of this cluster, including orphaned backends. Linux only; elsewhere empty. */
export async function listClusterProcesses(cluster: string): Promise<number[]> {
  const pids = await readdir('/proc').catch(() => []);
  const folder = await resolved(cluster);
  const found: number[] = [];
  for (const pid of pids) {
    if (!/^\d+$/.test(pid) || (await workingFolder(pid)) !== folder) continue;
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (name.trim() === 'postgres') found.push(Number(pid));
  }
  return found;
}
