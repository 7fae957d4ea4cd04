import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDoc } from './spec-tables.ts';

const root = join(import.meta.dirname, '../../..');
const map = readDoc('map.md');

describe('docs/map.md', () => {
  it('names every section of the specification', () => {
    const sections = [...readDoc('spec.md').matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map((match) => match[1]!);
    expect(sections.length).toBeGreaterThan(20);
    const missing = sections.filter((section) => !new RegExp(`^\\| §${section.replace('.', '\\.')} `, 'm').test(map));
    expect(missing).toEqual([]);
  });

  it('names only files that exist', () => {
    const paths = [...map.matchAll(/`((?:packages|docs|scripts|examples)\/[^`]+)`/g)].map((match) => match[1]!);
    expect(paths.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
