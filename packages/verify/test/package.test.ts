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

it('the package depends only on jose, and only webhooks on a module of Node', () => {
  const importsOf = (name: string) => [
    ...read('dist', name)
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .matchAll(/^(?:import|export) .*? from '([^.'][^']*)'/gms),
  ];
  const imports = built
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => importsOf(name).map((match) => (match[1] === 'jose' ? 'jose' : `${match[1]} in ${name}`)));
  expect(new Set(imports)).toEqual(new Set(['jose', 'node:crypto in webhooks.js']));
  expect(Object.keys(JSON.parse(read('package.json')).dependencies)).toEqual(['jose']);
});

it('the types of the package do not refer to Node', () => {
  const types = built
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => read('dist', name).replace(/\/\*[\s\S]*?\*\//g, ''));
  expect(types.join('\n')).toContain('VerifierOptions');
  expect(types.join('\n')).not.toMatch(/NodeJS|\bBuffer\b|reference types|from 'node:/);
});
