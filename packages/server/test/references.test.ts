import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDoc } from './spec-tables.ts';

const root = join(import.meta.dirname, '../../..');
const REFERENCE = 'docs/reference';

/** `§5` and `§4.2` are headings of the specification, `§5.3` is item 3 of the list in section 5. */
const SECTION = /§(\d+)(?:\.(\d+))?/g;
const LINK = /docs\/reference\/([a-z-]+\.md)(?:#([a-z-]+))?/g;

const FOLDERS = ['packages', 'trust', 'interop', 'bench', 'scripts', 'sdks', 'examples'];
const IGNORED = new Set(['node_modules', 'dist', 'data', 'results']);

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return IGNORED.has(entry.name) ? [] : filesBelow(path);
    return /\.(ts|tsx|mjs|py|go)$/.test(path) && !path.endsWith('references.test.ts') ? [path] : [];
  });

const sources = FOLDERS.flatMap(filesBelow).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const isCode = ({ path }: { path: string }): boolean => !path.endsWith('.test.ts');

function sectionsOfSpec(): { headings: string[]; all: Set<string> } {
  const chapters = readDoc('spec.md').split(/^## /m).slice(1);
  const headings = chapters.flatMap((text) => [text.match(/^\d+/)![0], ...headingsBelow(text)]);
  const items = chapters
    .filter((text) => headingsBelow(text).length === 0)
    .flatMap((text) => [...text.matchAll(/^(\d+)\. /gm)].slice(1).map(([, item]) => `${parseInt(text, 10)}.${item}`));
  return { headings, all: new Set([...headings, ...items]) };
}

const headingsBelow = (text: string): string[] => [...text.matchAll(/^### (\d+\.\d+)/gm)].map(([, name]) => name!);

const headings = readdirSync(join(root, REFERENCE))
  .filter((page) => page !== 'README.md')
  .flatMap((page) =>
    [...readDoc(`reference/${page}`).matchAll(/^##+ (.+)$/gm)].map(
      ([, title]) =>
        `${page}#${title!
          .toLowerCase()
          .replaceAll(/[^a-z -]/g, '')
          .replaceAll(' ', '-')}`,
    ),
  );

const citedIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)];

describe('references in code', () => {
  const { headings: sections, all } = sectionsOfSpec();

  it('every § is a section of docs/spec.md', () => {
    const unknown = sources.flatMap(({ path, text }) =>
      citedIn(text, SECTION)
        .map(([cited]) => cited.slice(1))
        // Sections of an RFC, which the comment names.
        .filter((section) => !all.has(section) && !new RegExp(`RFC \\d+ §${section}`).test(text))
        .map((section) => `${path}: §${section}`),
    );
    expect(unknown).toEqual([]);
  });

  it('every cited page and heading of docs/reference exists', () => {
    const pages = new Set(headings.map((heading) => heading.split('#')[0]));
    const unknown = sources.flatMap(({ path, text }) =>
      citedIn(text, LINK)
        .filter(([, page, anchor]) => (anchor ? !headings.includes(`${page}#${anchor}`) : !pages.has(page)))
        .map(([cited]) => `${path}: ${cited}`),
    );
    expect(unknown).toEqual([]);
  });

  it('every section of docs/spec.md is cited', () => {
    const cited = new Set(
      sources.flatMap(({ text }) =>
        citedIn(text, SECTION).flatMap(([, chapter, sub]) => [chapter, `${chapter}.${sub}`]),
      ),
    );
    expect(sections.length).toBeGreaterThan(20);
    expect(sections.filter((section) => !cited.has(section))).toEqual([]);
  });

  it('every heading of docs/reference is cited in code that is no test', () => {
    const cited = new Set(
      sources.filter(isCode).flatMap(({ text }) => citedIn(text, LINK).map(([, page, anchor]) => `${page}#${anchor}`)),
    );
    expect(headings.length).toBeGreaterThan(60);
    expect(headings.filter((heading) => !cited.has(heading))).toEqual([]);
  });
});
