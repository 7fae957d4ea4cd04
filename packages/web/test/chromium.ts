import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of the browser; null if this machine has none. */
    chromium: string | null;
  }
}

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/chromium');

/** Usual paths of an installed Chromium. The headless shell is first: it needs a third less time for the same pages. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Returns `CHROME_PATH`, else the browser of an npm package (Linux on x64 only), else an installed one. */
export const findChromium = async (): Promise<string | undefined> =>
  process.env.CHROME_PATH || (await fromPackage()) || PLACES.find((place) => existsSync(place));

/** Provides the browser of the run. It is unpacked here, once, and not by every worker. */
export async function setup(project: TestProject): Promise<void> {
  const path = await findChromium();
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
  // The package unpacks into TMPDIR, where another user may have placed a file of the same name.
  mkdirSync(CACHE, { recursive: true, mode: 0o700 });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = CACHE;
  const path = await chromium.executablePath().finally(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  return starts(path) ? path : undefined;
}

/** Whether the browser starts: the machine may lack libraries that it needs. */
function starts(path: string): boolean {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
