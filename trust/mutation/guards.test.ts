import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GUARDS, SOURCES } from './guards.ts';

const root = join(import.meta.dirname, '../..');

describe('the guards that are switched off by npm run mutate', () => {
  it('the guards for npm run mutate are at least thirty, each named once', () => {
    expect(GUARDS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
  });

  it('the guards for npm run mutate are in the code, once each, and have tests', () => {
    const broken = GUARDS.filter(({ file, find, put, tests }) => {
      const parts = readFileSync(join(root, SOURCES, file), 'utf8').split(find).length;
      return parts !== 2 || find === put || !tests.every((path) => existsSync(join(root, SOURCES, path)));
    });
    expect(broken).toEqual([]);
  });
});
