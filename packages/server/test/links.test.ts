import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const IGNORED_FOLDERS = new Set(['.git', 'node_modules', 'dist', 'data', 'results']);

const pagesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED_FOLDERS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return pagesBelow(path);
    return entry.name.endsWith('.md') ? [relative(root, path)] : [];
  });

/** Removes code, in which nothing is a link. */
const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** Returns the targets of `[…](…)`, `[…]: …`, and of `src`, `srcset` and `href` in HTML. */
function linksIn(text: string): string[] {
  const found = withoutCode(text).matchAll(
    /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)|\b(?:src|srcset|href)="([^"\s]+)"/gm,
  );
  return [...found].map(([, inline, reference, html]) => (inline ?? reference ?? html)!);
}

/** Returns the anchors that GitHub generates for headings. If two are equal, the second one ends in `-1`. */
function anchorsIn(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm);
  return new Set(
    [...headings].map(([, title]) => {
      const words = title!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const name = words.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return before === 0 ? name : `${name}-${before}`;
    }),
  );
}

/** Returns what is wrong with a link, or undefined. External links are not checked. */
function faultOf(page: string, link: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  if (path.startsWith('/')) return 'begins at the root of a disk';
  const target = path === '' ? join(root, page) : join(root, dirname(page), decodeURIComponent(path));
  if (relative(root, target).startsWith('..')) return 'leads out of the checkout';
  if (!existsSync(target)) return 'leads nowhere';
  if (anchor === undefined) return undefined;
  if (statSync(target).isDirectory() || !target.endsWith('.md')) return 'has a section of what is no page';
  return anchorsIn(readFileSync(target, 'utf8')).has(anchor) ? undefined : 'names a section that is not there';
}

const pages = pagesBelow(root);

describe('links between pages', () => {
  it('finds pages and links', () => {
    for (const page of ['README.md', 'docs/operating.md', 'packages/verify/README.md', 'trust/README.md']) {
      expect(pages).toContain(page);
    }
    const all = pages.flatMap((page) => linksIn(readFileSync(join(root, page), 'utf8')));
    expect(all.filter((link) => !link.includes(':')).length).toBeGreaterThan(100);
    expect(all.filter((link) => link.includes('#')).length).toBeGreaterThan(10);
  });

  it.each(pages)('every link in %s has a target', (page) => {
    const links = linksIn(readFileSync(join(root, page), 'utf8'));
    const faults = links.map((link) => [link, faultOf(page, link)]).filter(([, fault]) => fault !== undefined);
    expect(faults).toEqual([]);
  });

  it('every page in docs can be reached from README.md', () => {
    const reached = new Set(['README.md']);
    // The set grows during the iteration.
    for (const page of reached) {
      for (const link of linksIn(readFileSync(join(root, page), 'utf8'))) {
        const path = link.split('#')[0]!;
        const target = join(dirname(page), path);
        if (pages.includes(target)) reached.add(target);
        for (const below of pages) if (path !== '' && dirname(below) === target) reached.add(below);
      }
    }
    // GitHub shows the pages of this folder where they are needed.
    expect(pages.filter((page) => !reached.has(page) && !page.startsWith('.github/'))).toEqual([]);
  });

  it.each([
    ['nowhere.md', 'leads nowhere'],
    ['decisions/nothing-here', 'leads nowhere'],
    ['../../../etc/passwd', 'leads out of the checkout'],
    ['/docs/map.md', 'begins at the root of a disk'],
    ['operating.md#no-such-section', 'names a section that is not there'],
    ['#no-such-section', 'names a section that is not there'],
    ['../LICENSE#1', 'has a section of what is no page'],
    ['operating.md#the-audit-trail', undefined],
    ['decisions', undefined],
    ['https://example.com/x', undefined],
  ])('the fault of the link %s: %s', (link, fault) => expect(faultOf('docs/scaling.md', link)).toBe(fault));

  it('finds inline, reference and HTML links, but none in code', () => {
    const text =
      '[a](x.md) ![b](y.png "words") `[no](code.md)`\n\n[c]: z.md\n<img src="w.webp">\n```\n[no](fence.md)\n```\n';
    expect(linksIn(text)).toEqual(['x.md', 'y.png', 'z.md', 'w.webp']);
  });

  it('names anchors as GitHub does', () => {
    const text = '# One: two, `three`\n## One two-three\n## A\n## A\n## [Linked](x.md) é_1\n```\n# no\n```\n';
    expect([...anchorsIn(text)]).toEqual(['one-two-three', 'one-two-three-1', 'a', 'a-1', 'linked-é_1']);
  });
});
