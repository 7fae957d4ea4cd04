import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostmaster } from '../packages/server/src/platform/db/embedded/postmaster-file.ts';

interface RunFolder {
  readonly path: string;
  /** Ends the databases that are at work in it, and removes it. */
  clear(): Promise<void>;
}

/** Where a run keeps what must not outlive it: a worker that is broken off ends nothing any more, but we do. */
export function makeRunFolder(): RunFolder {
  const path = mkdtempSync(join(tmpdir(), 'gh-trust-'));
  return {
    path,
    async clear() {
      for (const name of readdirSync(path)) {
        const folder = join(path, name);
        await endDatabase(join(folder, 'postgres'));
        // One of them may be a disk of its own; elsewhere this does nothing.
        if (name.startsWith('gh-disk-')) unmount(folder);
      }
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Somebody who is ending too may bring it back once more. */
const TRIES = 100;

async function endDatabase(folder: string): Promise<void> {
  for (let left = TRIES; left > 0; left--, await sleep(100)) {
    const running = await findPostmaster(folder);
    if (!running) return;
    try {
      process.kill(running.pid, 'SIGQUIT');
    } catch {
      // It has gone by itself.
    }
  }
}

function unmount(folder: string): void {
  try {
    execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
  } catch {
    // It was not mounted any more.
  }
}
