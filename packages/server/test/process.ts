import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { learnDocument } from './openapi-watch.ts';
import { freePort } from './ports.ts';
import { SECRET } from './postgres.ts';
import { NO_LOAD_SHEDDING } from './timeouts.ts';

const MAIN = join(import.meta.dirname, '../dist/main.mjs');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string | undefined>;

export interface Place {
  cwd: string;
  /** The program to start instead of the built CLI. */
  program?: readonly [name: string, ...args: string[]];
  env?: Environment;
  /** Standard input. Default: an input that stays open. */
  input?: string | Buffer;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGTERM');
});

function launch(
  args: string[],
  { cwd, env = {}, input, program = [process.execPath, MAIN] }: Place,
): { child: ChildProcess; finished: Promise<Finished>; output: () => string } {
  const inherited = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };
  const [name, ...before] = program;
  const child = spawn(name, [...before, ...args], { cwd, env: { ...inherited, ...env } as NodeJS.ProcessEnv });
  children.add(child);
  if (input !== undefined) child.stdin!.end(input);
  child.on('close', () => children.delete(child));
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = new Promise<Finished>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { child, finished, output: () => stdout + stderr };
}

export const runCommand = (args: string[], place: Place): Promise<Finished> => launch(args, place).finished;

export const launchCommand = launch;

export const launchServer = (place: Place) => launch(['serve'], place);

export interface Server {
  readonly url: string;
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  output(): string;
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<Finished>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<Finished>;
}

export async function startServer(place: Place): Promise<Server> {
  const port = await freePort();
  const own = { JWT_SECRET: SECRET, PUBLIC_BASE_URL: `http://localhost:${port}`, PORT: String(port) };
  const env: Environment = { ...own, ...NO_LOAD_SHEDDING, ...place.env };
  const { child, finished, output } = launch(place.program ? [] : ['serve'], { ...place, env });
  const url = `http://127.0.0.1:${port}`;
  const end = (signal: NodeJS.Signals) => () => {
    child.kill(signal);
    return finished;
  };
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`the server ended at start:\n${output()}`);
    await sleep(20);
  }
  // The kind names the settings on which the routes of the built service depend.
  const kind = place.program ? undefined : `built ${env.NODE_ENV} ${env.ROUTE_PREFIX}`;
  await learnDocument(url, finished, kind);
  return { url, child, finished, output, stop: end('SIGTERM'), kill: end('SIGKILL') };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (response) => response.status === 200,
    () => false,
  );
