import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GUARDS, SOURCES, without } from './guards.ts';

const root = join(import.meta.dirname, '../..');

describe('the guards that are switched off by npm run mutate', () => {
  it('the guards for npm run mutate are at least thirty, each named once', () => {
    expect(GUARDS.length).toBeGreaterThanOrEqual(30);
    expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
  });

  it('the guards for npm run mutate are in the code, once each, and have tests', () => {
    for (const guard of GUARDS) {
      const text = readFileSync(join(root, SOURCES, guard.file), 'utf8');
      expect(without(guard, text), guard.name).not.toBe(text);
      for (const path of guard.tests) expect(existsSync(join(root, SOURCES, path)), path).toBe(true);
    }
  });
});
