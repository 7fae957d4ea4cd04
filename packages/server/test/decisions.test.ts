import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDoc } from './spec-tables.ts';

const root = join(import.meta.dirname, '../../..');
const files = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d/.test(name));
const decisions = files.map((file) => {
  const text = readDoc(`decisions/${file}`);
  const [, number, title] = text.match(/^# (\d+)\. (.+)\n/) ?? [];
  return { file, number: Number(number), title, words: text.split(/\s+/).length };
});

describe('docs/decisions', () => {
  it('the index lists each decision once, with its number and title', () => {
    const listed = [...readDoc('decisions/README.md').matchAll(/^\| (\d+) \| \[(.+)\]\((.+)\) \|$/gm)];
    const rows = listed.map(([, number, title, file]) => `${number} ${title} ${file}`).sort();
    expect(rows).toEqual(decisions.map(({ number, title, file }) => `${number} ${title} ${file}`).sort());
  });

  it('each decision has at most 340 words', () => {
    expect(decisions.filter(({ words }) => words > 340)).toEqual([]);
  });

  it('the numbers have no gaps', () => {
    expect(decisions.map(({ number }) => number).sort((a, b) => a - b)).toEqual(decisions.map((_, index) => index + 1));
  });

  it('the number of each decision is that of its file', () => {
    expect(decisions.filter(({ file, number }) => Number(file.slice(0, 4)) !== number)).toEqual([]);
  });
});

it('the files that docs/architecture.md and the decisions name exist', () => {
  const pages = ['architecture.md', ...files.map((file) => `decisions/${file}`)];
  const named = pages.flatMap((page) =>
    [...readDoc(page).matchAll(/`((?:[a-z-]+\/)+[a-z.-]+\.(?:ts|mjs|json))`/g)].map(([, path]) => path!),
  );
  const folders = ['', 'packages/server', 'packages/server/src', 'packages/web', 'packages/client'];
  const missing = named.filter((path) => !folders.some((folder) => existsSync(join(root, folder, path))));
  expect(named.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});
