import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, expect, it } from 'vitest';

const packages = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-types-'));
mkdirSync(join(folder, 'node_modules/@gatehouse'), { recursive: true });
for (const name of ['client', 'verify'])
  symlinkSync(join(packages, name), join(folder, 'node_modules/@gatehouse', name));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
afterAll(() => rmSync(folder, { recursive: true }));

const ENTRIES = ['client', 'verify', 'verify/express', 'verify/fastify', 'verify/hono', 'verify/webhooks'];

it.each([
  ['node10', ts.ModuleResolutionKind.Node10],
  ['node16', ts.ModuleResolutionKind.Node16],
  ['bundler', ts.ModuleResolutionKind.Bundler],
])('the types of every entry of the SDKs resolve with moduleResolution %s', (_, moduleResolution) => {
  const from = join(folder, 'main.ts');
  const resolved = ENTRIES.map((entry) => {
    const mode = moduleResolution === ts.ModuleResolutionKind.Node16 ? ts.ModuleKind.ESNext : undefined;
    const { resolvedModule } = ts.resolveModuleName(
      `@gatehouse/${entry}`,
      from,
      { moduleResolution },
      ts.sys,
      undefined,
      undefined,
      mode,
    );
    return resolvedModule?.resolvedFileName.slice(packages.length + 1);
  });
  expect(resolved).toEqual(
    ENTRIES.map((entry) => `${entry.split('/')[0]}/dist/${entry.split('/')[1] ?? 'index'}.d.ts`),
  );
});
