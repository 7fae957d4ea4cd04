import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDoc } from './spec-tables.ts';

const files = readdirSync(join(import.meta.dirname, '../../../docs/decisions')).filter((name) => /^\d/.test(name));
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
