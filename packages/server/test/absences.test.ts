import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ABSENCES, LIMITATIONS, OTHER_STATEMENTS } from './absences.ts';
import { useTestApp } from './harness.ts';
import { namesOf, wordsOf } from './names.ts';
import { isTest, ROOT, readSources } from './sources.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The documents that a reader evaluates the product with. */
const DOCUMENTS = [
  'README.md',
  'SECURITY.md',
  'docs/security.md',
  'docs/threat-model.md',
  'docs/asvs.md',
  'docs/comparison.md',
  'docs/applications.md',
  'docs/sdks.md',
  'docs/sso.md',
  'docs/policy.md',
];

/** Says that something does not exist, cannot be done, or is missing until later. */
const SAYS_ABSENT =
  /\bthere (is|are|has been|have been) (no|not)\b|\*\*No \w|\bno [\w-]+( [\w-]+){0,4} (exists?|can be)\b|\b(does|do) not exist\b|\b(is|are) not (supported|implemented)\b|\bcannot be (enforced|required)\b|\b(has|have) no\b|\bnot yet\b|\byet\b/i;

/** Returns the sentences and table cells of a page that say that something does not exist. */
function statementsIn(text: string): string[] {
  const prose = text
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/"[^"\n]*"/g, '')
    .replaceAll(/\n(?![\n|#*-]|\d+\. )\s*/g, ' ');
  const sentences = prose.split('\n').flatMap((line) => line.split(/(?<=[.;:])\*{0,2}\s|\|/));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => SAYS_ABSENT.test(sentence));
}

const KNOWN = [...ABSENCES, ...LIMITATIONS].map(({ statement }) => statement);
const unknownIn = (statements: readonly string[], others = OTHER_STATEMENTS): string[] =>
  statements.filter((sentence) => ![...KNOWN, ...others].some((pattern) => pattern.test(sentence)));

const sectionOf = (text: string, heading: string): string => {
  const [, section] = text.split(new RegExp(`^##+ ${heading}$`, 'm'));
  expect(section, `no section "${heading}"`).toBeDefined();
  return section!.split(/^## /m)[0]!;
};

describe('what the documents say does not exist', () => {
  it.each(DOCUMENTS)('every such sentence of %s is about something that is checked here', (document) => {
    expect(unknownIn(statementsIn(read(document)))).toEqual([]);
  });

  it.each(['README.md', 'docs/comparison.md'])(
    'every bold term under "What it does not have" in %s is checked',
    (page) => {
      const section = sectionOf(read(page), 'What it does not have').replaceAll(/\s+/g, ' ');
      const terms = [...section.matchAll(/\*\*([^*]+)\*\*/g)].map((match) => match[1]!);
      expect(terms.length).toBeGreaterThan(8);
      expect(unknownIn(terms, [])).toEqual([]);
    },
  );

  it('every entry of the column "not supported" of docs/applications.md is checked', () => {
    const rows = sectionOf(read('docs/applications.md'), 'What is supported, and what is not').matchAll(
      /^\|[^|]*\|([^|]+)\|$/gm,
    );
    const entries = [...rows].map(([, cell]) => cell!.trim()).filter((cell) => !/^not supported$|^-*$/.test(cell));
    const terms = entries.flatMap((cell) => cell.split(/[;,] /));
    expect(terms.length).toBeGreaterThan(12);
    expect(unknownIn(terms, [])).toEqual([]);
  });

  it('every requirement that docs/asvs.md lists as missing has a test in its row, or is checked here', () => {
    const text = read('docs/asvs.md');
    const items = sectionOf(text, 'What is missing').split(/^- /m).slice(1);
    expect(items.length).toBeGreaterThan(15);
    const isTested = (number: string) =>
      new RegExp(`^\\| ${number.replaceAll('.', '\\.')} \\|.*test\\.ts\`: "`, 'm').test(text);
    const untested = items.filter((item) => {
      const [first] = item.replaceAll(/\s+/g, ' ').split(/(?<=\.) (?=[A-Z])/);
      const numbers = [...item.matchAll(/\*\*([\d.]+)\*\*/g)].map((match) => match[1]!);
      return !numbers.some(isTested) && unknownIn([first!], []).length > 0;
    });
    expect(untested).toEqual([]);
  });

  it.each([
    '- **No second factor can be enforced.** Every user may have one.',
    '- **No authorization server**: products on another site than the service cannot use it yet.',
    'There is no policy for a whole organization.',
  ])('reports a sentence about something that exists: %s', (sentence) => {
    expect(unknownIn(statementsIn(sentence))).not.toEqual([]);
  });

  it('every checked statement is in a document', () => {
    const all = DOCUMENTS.map(read).join('\n').replaceAll(/\s+/g, ' ');
    expect([...KNOWN, ...OTHER_STATEMENTS].filter((pattern) => !pattern.test(all))).toEqual([]);
  });
});

describe('what the service has', () => {
  const app = useTestApp();
  let names: readonly string[];
  beforeAll(async () => {
    names = await namesOf(app);
  });

  it('finds endpoints, fields, metadata, settings, columns, commands and dependencies', () => {
    expect(names.length).toBeGreaterThan(1000);
    const known = [
      'post v1 auth login',
      'access token claims sid',
      'grant types supported refresh token',
      'public base url',
    ];
    expect(names).toEqual(expect.arrayContaining([...known, 'users email', 'command doctor ts', 'fastify']));
  });

  it.each(ABSENCES)('has nothing named like $example', ({ name, example }) => {
    expect(wordsOf(example)).toMatch(name);
    expect(names.filter((one) => name.test(one))).toEqual([]);
  });

  it.each(LIMITATIONS)('still has the limit $code', ({ code }) => {
    const product = readSources().filter(({ path }) => /^packages\/\w+\/src\//.test(path) && !isTest(path));
    expect(product.some((source) => code.test(source.code))).toBe(true);
  });
});
