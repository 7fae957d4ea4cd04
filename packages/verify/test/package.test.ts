import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..');
const read = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');
const built = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });

it('the package contains types and license, and no tests', () => {
  expect(built).toContain('index.d.ts');
  expect(built.filter((name) => /test|fixture/.test(name))).toEqual([]);
  expect(read('LICENSE')).toBe(read('../../LICENSE'));
});

it('the package depends only on jose', () => {
  const code = built
    .filter((name) => name.endsWith('.js'))
    .map((name) => read('dist', name).replace(/\/\*[\s\S]*?\*\//g, ''));
  const imports = code.flatMap((text) => [...text.matchAll(/^(?:import|export) .*? from '([^.'][^']*)'/gms)]);
  expect(new Set(imports.map((match) => match[1]))).toEqual(new Set(['jose']));
  expect(Object.keys(JSON.parse(read('package.json')).dependencies)).toEqual(['jose']);
});

it('the types of the package do not refer to Node', () => {
  const types = built
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => read('dist', name).replace(/\/\*[\s\S]*?\*\//g, ''));
  expect(types.join('\n')).toContain('VerifierOptions');
  expect(types.join('\n')).not.toMatch(/NodeJS|Buffer|reference types|from 'node:/);
});
