import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFull } from '../effort.ts';
import type { Ledger } from '../ledger.ts';

const METER = join(import.meta.dirname, 'stall-meter.mjs');
/** How long one request may block the event loop. */
const MAX_STALL_MS = 50;
/** Tries of a case: stalls by the machine or by garbage collection do not repeat, those by a request do. */
const MAX_TRIES = 4;

interface Stalls {
  /** Environment variables for the servers that will be watched. */
  readonly env: Readonly<Record<string, string>>;
  watch(servers: readonly { readonly child: ChildProcess }[]): Promise<void>;
  /** Runs a case. The case also fails if it blocks a server for too long in every try. */
  attempt(ledger: Ledger, name: string, check: () => Promise<string | undefined>): Promise<void>;
  /** The longest stall that was not caused by the machine. */
  summary(): string;
  close(): void;
}

/** Measures only in the full form (`npm run fuzz`); in the short form (`npm test`), cases are run untimed. */
export const createStalls = (): Stalls => (isFull ? createMeter() : UNTIMED);

const UNTIMED: Stalls = {
  env: {},
  watch: async () => {},
  attempt: (ledger, name, check) => ledger.attempt(name, check),
  summary: () => 'nothing was timed',
  close: () => {},
};

function createMeter(): Stalls {
  const folder = mkdtempSync(join(tmpdir(), 'gh-stalls-'));
  const env = { STALL_FOLDER: folder, NODE_OPTIONS: `--import=${METER}` };
  // An idle process: its stalls are caused by the machine.
  const idle = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: { ...process.env, ...env } });
  let watched: readonly ChildProcess[] = [];
  let longest = { stall: 0, name: 'nothing' };

  const read = async (child: ChildProcess): Promise<number> => {
    const file = join(folder, String(child.pid));
    rmSync(file, { force: true });
    child.kill('SIGUSR2');
    while (!existsSync(file)) {
      if (child.exitCode !== null || child.signalCode !== null) return 0;
      await sleep(1);
    }
    return Number(readFileSync(file, 'utf8'));
  };
  const readAll = () => Promise.all([idle, ...watched].map(read));

  const measure = async (work: () => Promise<unknown>): Promise<number> => {
    await readAll();
    await work();
    const [machine = 0, ...servers] = await readAll();
    return Math.max(0, ...servers) - machine;
  };

  return {
    env,
    async watch(servers) {
      watched = servers.map(({ child }) => child);
      // Waits until the signal handler is installed; an earlier signal would end the process.
      await sleep(500);
      await readAll();
    },
    attempt: (ledger, name, check) =>
      ledger.attempt(name, async () => {
        let least = Number.POSITIVE_INFINITY;
        for (let tries = 0; tries < MAX_TRIES && least > MAX_STALL_MS; tries++) {
          let seen: string | undefined;
          least = Math.min(
            least,
            await measure(async () => {
              seen = await check();
            }),
          );
          if (seen !== undefined) return seen;
        }
        if (least > longest.stall) longest = { stall: least, name };
        return least > MAX_STALL_MS ? `no request was served for ${Math.round(least)} ms` : undefined;
      }),
    summary: () => `the longest stop was ${Math.round(longest.stall)} ms (${longest.name})`,
    close() {
      idle.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
