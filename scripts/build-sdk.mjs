// `node scripts/build-sdk.mjs <package>`: builds an SDK for publishing, unbundled, as modules with types.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tool } from './run.mjs';
import { root } from './setup.mjs';

const folder = join(root, 'packages', process.argv[2]);
const result = join(folder, 'dist');
rmSync(result, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tool('typescript/bin/tsc'), '-p', folder], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// The compiler refers to modules by their source names in type declarations.
for (const name of readdirSync(result, { recursive: true }).filter((file) => file.endsWith('.d.ts'))) {
  const path = join(result, name);
  const types = readFileSync(path, 'utf8');
  writeFileSync(path, types.replaceAll(/(from |import\()(["']\.{1,2}\/[^"']+)\.ts(["'])/g, '$1$2.js$3'));
}
