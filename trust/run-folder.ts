import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostmaster } from '@gatehouse/embedded-postgres';

interface RunFolder {
  readonly path: string;
  clear(): Promise<void>;
}

/** Creates the folder for files and databases of a run. The parent removes it even if a test worker is interrupted. */
export function makeRunFolder(): RunFolder {
  const path = mkdtempSync(join(tmpdir(), 'gh-trust-'));
  return {
    path,
    async clear() {
      for (const name of readdirSync(path)) {
        const folder = join(path, name);
        await endDatabase(join(folder, 'postgres'));
        // The folder may be a mounted disk.
        if (name.startsWith('gh-disk-')) unmount(folder);
      }
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The number of attempts to stop a database: a test worker that is also stopping may restart it. */
const TRIES = 100;

async function endDatabase(folder: string): Promise<void> {
  for (let left = TRIES; left > 0; left--, await sleep(100)) {
    const running = await findPostmaster(folder);
    if (!running) return;
    try {
      process.kill(running.pid, 'SIGQUIT');
    } catch {
      // The process has exited.
    }
  }
}

function unmount(folder: string): void {
  try {
    execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
  } catch {
    // The folder is not mounted.
  }
}
