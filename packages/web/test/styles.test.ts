import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const DIST = join(import.meta.dirname, '../dist/assets');
const mantine = createRequire(import.meta.url).resolve('@mantine/core/styles.css');
const wholeSheet = readFileSync(mantine, 'utf8');

const built = (ending: string) =>
  readdirSync(DIST)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(DIST, name), 'utf8'))
    .join('\n');
const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));

it('the built sheets contain every Mantine class that the scripts use', () => {
  const known = classesIn(wholeSheet);
  const set = [...classesIn(built('.js'))].filter((name) => known.has(name));
  const styled = classesIn(built('.css'));
  expect(set.length).toBeGreaterThan(100);
  expect(set.filter((name) => !styled.has(name))).toEqual([]);
});

it('the app imports the sheets in the order of Mantine, where later ones refine earlier ones', () => {
  const list = readFileSync(join(import.meta.dirname, '../src/app/styles.ts'), 'utf8');
  const starts = [...list.matchAll(/@mantine\/core\/(styles\/[\w-]+\.css)/g)].map(([, path]) =>
    readFileSync(join(dirname(mantine), path!), 'utf8')
      .trim()
      .slice(0, 80),
  );
  const places = starts.map((start) => wholeSheet.indexOf(start));
  expect(places.length).toBeGreaterThan(10);
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});
