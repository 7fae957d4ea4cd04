// `node scripts/build-sdk.mjs <package>`: what is published of an SDK. Each source as a module with its types beside it: whoever installs it bundles it or not.
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

// In what it writes about types, the compiler names modules by their source.
for (const name of readdirSync(result, { recursive: true }).filter((file) => file.endsWith('.d.ts'))) {
  const path = join(result, name);
  const types = readFileSync(path, 'utf8');
  writeFileSync(path, types.replaceAll(/(from |import\()(["']\.{1,2}\/[^"']+)\.ts(["'])/g, '$1$2.js$3'));
}
