import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it('the example of the README runs', async () => {
  const page = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, code] = /```ts\n([\s\S]*?)```/.exec(page)!;
  // In this package, so that the imports are found.
  const folder = await mkdtemp(join(import.meta.dirname, '../.readme-'));
  try {
    await writeFile(join(folder, 'example.ts'), code!);
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const { stdout } = await run(process.execPath, ['--import', loader, 'example.ts'], { cwd: folder });
    expect(stdout).toBe('notes\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
