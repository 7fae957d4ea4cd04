import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFull } from '../effort.ts';
import type { Ledger } from '../ledger.ts';

const METER = join(import.meta.dirname, 'stall-meter.mjs');
/** How long nobody else may be served because of one request, in milliseconds. */
const LONGEST = 50;
/** A machine hiccups, and tidies up its memory; what a request does, it does every time. */
const TRIES = 4;

interface Stalls {
  /** For the servers that are to be watched. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on. */
  watch(servers: readonly { readonly child: ChildProcess }[]): Promise<void>;
  /** One case; it fails too when it stops a server, each time it is tried, for longer than it may. */
  attempt(ledger: Ledger, name: string, look: () => Promise<string | undefined>): Promise<void>;
  /** The longest that was seen, and not put down to the machine. */
  summary(): string;
  close(): void;
}

/** In the short form nothing is timed, and cases are only tried. */
export const createStalls = (): Stalls => (isFull ? createMeter() : UNTIMED);

const UNTIMED: Stalls = {
  env: {},
  watch: async () => {},
  attempt: (ledger, name, look) => ledger.attempt(name, look),
  summary: () => 'nothing was timed',
  close: () => {},
};

function createMeter(): Stalls {
  const folder = mkdtempSync(join(tmpdir(), 'gh-stalls-'));
  const env = { STALL_FOLDER: folder, NODE_OPTIONS: `--import=${METER}` };
  // A process that does nothing at all: what stops this one is the machine.
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
      // Its handler is there as soon as its meter is; a signal before that would end it.
      await sleep(500);
      await readAll();
    },
    attempt: (ledger, name, look) =>
      ledger.attempt(name, async () => {
        let least = Number.POSITIVE_INFINITY;
        for (let tries = 0; tries < TRIES && least > LONGEST; tries++) {
          let seen: string | undefined;
          least = Math.min(
            least,
            await measure(async () => {
              seen = await look();
            }),
          );
          if (seen !== undefined) return seen;
        }
        if (least > longest.stall) longest = { stall: least, name };
        return least > LONGEST ? `nobody was served for ${Math.round(least)} ms` : undefined;
      }),
    summary: () => `the longest stop was ${Math.round(longest.stall)} ms (${longest.name})`,
    close() {
      idle.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
