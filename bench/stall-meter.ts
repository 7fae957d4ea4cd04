import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder, root, type Started, startNode } from './start-process.ts';

interface Stalls {
  /** Milliseconds of the longest event-loop stall. */
  readonly service: number;
  /** The longest stall of an idle process, which is caused by the machine. */
  readonly idle: number;
}

export interface StallMeter {
  /** Environment variables for the measured service. */
  readonly env: Readonly<Record<string, string>>;
  during(service: Pick<Started, 'pid'>, work: () => Promise<unknown>): Promise<Stalls>;
}

const METER = join(root, 'trust/fuzz/stall-meter.mjs');

/** Measures in the process itself, without the time in which it waited for a core. Linux only. */
export function createStallMeter(): StallMeter {
  const folder = makeFolder();
  const env = { STALL_FOLDER: folder, NODE_OPTIONS: `--import=${METER}` };
  const idle = startNode(['-e', 'process.stdin.on("end", () => process.exit()).resume()'], { env });

  const read = async ({ pid }: Pick<Started, 'pid'>): Promise<number> => {
    const file = join(folder, String(pid));
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    while (!existsSync(file)) await sleep(1);
    return Number(readFileSync(file, 'utf8'));
  };

  return {
    env,
    async during(service, work) {
      await Promise.all([read(service), read(idle)]);
      await work();
      const [ofService, ofIdle] = await Promise.all([read(service), read(idle)]);
      return { service: ofService, idle: ofIdle };
    },
  };
}
