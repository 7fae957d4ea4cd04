import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workingIn } from './proc.ts';
import { atEnd, stopping } from './tidy.ts';

export const root = join(import.meta.dirname, '..');

/** Creates a temporary folder. At the end of the run the folder is removed, and processes that work in it are ended. */
export const makeFolder = (): string => makeRemovable().folder;

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
  /** The last part of its output, for error messages. */
  output(): string;
  hasEnded(): boolean;
  readonly ended: Promise<number | null>;
  /** The first line of its standard output that is JSON, which it prints when ready. */
  readonly announced: Promise<unknown>;
  /** Sends SIGTERM, later SIGKILL, and waits until the process has ended. */
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_CHARS = 8_192;

interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a Node program with only PATH and HOME of our environment. */
export const startNode = (args: readonly string[], place: StartOptions = {}): Started =>
  startProcess(process.execPath, args, { ...place, env: { ...place.env } });

/** Starts any other program with only PATH and HOME of our environment. */
export const startProgram = (command: string, args: readonly string[], place: StartOptions = {}): Started =>
  startProcess(command, args, place);

/** How this machine reaches the network: through a proxy, or with certificates of its own. */
const NETWORK = ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'npm_config_registry'];

export function runNpm(args: readonly string[], cwd: string): Promise<void> {
  const npm = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : undefined;
  const env = Object.fromEntries(NETWORK.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  return npm ? runNode([npm, ...args], { cwd, env }) : runProgram('npm', args, { cwd, env });
}

export const runNode = (args: readonly string[], place: StartOptions): Promise<void> =>
  runProgram(process.execPath, args, place);

/** Runs a program until it ends. If the run is interrupted, the program is terminated with its children. */
export async function runProgram(command: string, args: readonly string[], place: StartOptions): Promise<void> {
  const started = startProcess(command, args, { ...place, endsGroup: true });
  if ((await started.ended) !== 0) {
    stopping.throwIfAborted();
    throw new Error(`${basename(command)} ${args.slice(0, 2).join(' ')} failed:\n${started.output()}`);
  }
  await started.close();
}

interface RunOptions extends StartOptions {
  /** Sends signals to the whole process group. Not set for a service, which ends its own child processes in order. */
  readonly endsGroup?: boolean;
}

function startProcess(command: string, args: readonly string[], { cwd, env, endsGroup = false }: RunOptions): Started {
  stopping.throwIfAborted();
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME };
  // A separate process group: Ctrl-C reaches only us, and we end the children in order. Our own programs also end when
  // their stdin is closed.
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited, ...env } as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const listen = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      output += error.message;
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
    const fail = () => reject(new Error(`${args[0]} did not start:\n${output}`));
    void ended.then(fail);
    setTimeout(fail, START_TIMEOUT_MS).unref();
  });
  announced.catch(() => {});
  return {
    pid: child.pid ?? 0,
    output: () => output,
    hasEnded: () => hasEnded,
    ended,
    announced,
    close: atEnd(() => (endsGroup ? endGroup(child, ended) : end(child, ended))),
  };
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

/** The process is the leader of its group: see `detached`. */
async function endGroup({ pid }: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  let isGone = !signalGroup(pid, 'SIGTERM');
  while (!isGone && performance.now() < deadline) {
    await sleep(20);
    isGone = !signalGroup(pid, 0);
  }
  if (!isGone) signalGroup(pid, 'SIGKILL');
  await ended;
}

/** Returns false if the group has no process left. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

export async function untilReady(url: string, { output, hasEnded }: Started): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady(url))) {
    stopping.throwIfAborted();
    if (hasEnded() || performance.now() > deadline) throw new Error(`${url} does not answer:\n${output()}`);
    await sleep(5);
  }
}

const isReady = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(url, { agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode === 200));
    });
    request.on('error', () => resolve(false));
  });
