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

it('the package has no dependencies', () => {
  const code = built.filter((name) => name.endsWith('.js')).map((name) => read('dist', name));
  expect(code.join('\n')).not.toMatch(/^(?:import|export) .*? from ["'][^."']/m);
  expect(JSON.parse(read('package.json'))).not.toHaveProperty('dependencies');
});

it('the types of the package do not refer to Node', () => {
  const types = built
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => read('dist', name).replace(/\/\*[\s\S]*?\*\//g, ''));
  expect(types.join('\n')).toContain('ClientOptions');
  expect(types.join('\n')).not.toMatch(/NodeJS|Buffer|reference types|from 'node:/);
});
