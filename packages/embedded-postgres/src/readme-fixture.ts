import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the first TypeScript example in the README of a package, and returns what it prints. */
export async function runExample(folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const page = await readFile(join(folder, 'README.md'), 'utf8');
  const [, code] = /```ts\n([\s\S]*?)```/.exec(page)!;
  // In the package, so that the imports are found.
  const place = await mkdtemp(join(folder, '.example-'));
  try {
    await writeFile(join(place, 'example.ts'), code!);
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const options = { cwd: place, env: { ...process.env, ...env } };
    const { stdout } = await run(process.execPath, ['--import', loader, 'example.ts'], options);
    return stdout;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
