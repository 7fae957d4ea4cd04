import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workingIn } from './proc.ts';
import { atEnd, stopping } from './tidy.ts';

export const root = join(import.meta.dirname, '..');

/** A folder of its own, gone at the end together with whatever is still at work in it. */
export const makeFolder = (): string => makeRemovable().folder;

/** The same, for whoever is done with it earlier. */
export function makeRemovable(): { folder: string; remove: () => Promise<void> } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-bench-')));
  const remove = atEnd(async () => {
    for (const pid of workingIn(folder)) process.kill(pid, 'SIGQUIT');
    while (workingIn(folder).length > 0) await sleep(20);
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, remove };
}

export interface Started {
  readonly pid: number;
  /** The last of what it has said, for an error. */
  said(): string;
  hasEnded(): boolean;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** What it says of itself once it is ready: the first line of its standard output that is JSON. */
  readonly announced: Promise<unknown>;
  /** SIGTERM, and SIGKILL for one that does not listen; then its end. */
  close(): Promise<void>;
}

/** Milliseconds until one that starts is given up, and until one that ends is killed. */
const START_TIMEOUT_MS = 60_000;
const HARD_STOP = 20_000;
const MEMORY = 8_192;

interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A program in Node, with nothing of our environment but the way to others. */
export const startNode = (args: readonly string[], place: Place = {}): Started =>
  startProcess(process.execPath, args, { ...place, env: { ...place.env } });

/** npm, to its end. */
export function runNpm(args: readonly string[], cwd: string): Promise<void> {
  const npm = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : undefined;
  return npm ? runNode([npm, ...args], { cwd }) : runProgram('npm', args, { cwd });
}

/** A script in Node, to its end. */
export const runNode = (args: readonly string[], place: Place): Promise<void> =>
  runProgram(process.execPath, args, place);

/** A program, to its end, with the ones it starts itself: when the run is broken off, all of them are terminated. */
export async function runProgram(command: string, args: readonly string[], place: Place): Promise<void> {
  const started = startProcess(command, args, { ...place, endsGroup: true });
  if ((await started.ended) !== 0) {
    stopping.throwIfAborted();
    throw new Error(`${basename(command)} ${args.slice(0, 2).join(' ')} failed:\n${started.said()}`);
  }
  await started.close();
}

interface Placed extends Place {
  /** Signals go to the whole process group. A service is left to end its own processes in its own order. */
  readonly endsGroup?: boolean;
}

function startProcess(command: string, args: readonly string[], { cwd, env, endsGroup = false }: Placed): Started {
  stopping.throwIfAborted();
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME };
  // A group of its own: Ctrl-C is for us, and we end the others in their order. One of ours ends when its input does.
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited, ...env } as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  const listen = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-MEMORY);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      said += error.message;
      resolve(null);
    });
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const announced = new Promise<unknown>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [line] = /^\{.*(?=\n)/m.exec(text) ?? [];
      if (line !== undefined) resolve(JSON.parse(line));
    });
    const fail = () => reject(new Error(`${args[0]} did not start:\n${said}`));
    void ended.then(fail);
    setTimeout(fail, START_TIMEOUT_MS).unref();
  });
  announced.catch(() => {});
  return {
    pid: child.pid ?? 0,
    said: () => said,
    hasEnded: () => hasEnded,
    ended,
    announced,
    close: atEnd(() => (endsGroup ? endGroup(child, ended) : end(child, ended))),
  };
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), HARD_STOP);
  await ended;
  clearTimeout(timer);
}

/** The process is the leader of its group: see `detached`. */
async function endGroup({ pid }: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  const deadline = performance.now() + HARD_STOP;
  let isGone = !signalGroup(pid, 'SIGTERM');
  while (!isGone && performance.now() < deadline) {
    await sleep(20);
    isGone = !signalGroup(pid, 0);
  }
  if (!isGone) signalGroup(pid, 'SIGKILL');
  await ended;
}

/** False if nobody of the group is left. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Waits until this address answers 200. */
export async function untilReady(url: string, { said, hasEnded }: Started): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady(url))) {
    stopping.throwIfAborted();
    if (hasEnded() || performance.now() > deadline) throw new Error(`${url} does not answer:\n${said()}`);
    await sleep(5);
  }
}

const isReady = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = get(url, { agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode === 200));
    });
    asked.on('error', () => resolve(false));
  });
