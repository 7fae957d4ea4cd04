import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CAMPAIGNS, type CampaignName, campaignOf } from '../../../trust/chapters.ts';

const root = join(import.meta.dirname, '../../..');
const source = join(root, 'packages/server/src');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const DOCUMENTS = [
  'docs/asvs.md',
  'docs/security.md',
  'docs/threat-model.md',
  'docs/decisions/0034-promises-are-tested-in-two-forms-with-a-ledger.md',
  'SECURITY.md',
  'trust/README.md',
];

/** Paths without a top-level folder are relative to the server's sources. */
const resolvePath = (path: string): string =>
  /^(packages|docs|scripts|examples|bench|trust|deploy)\//.test(path) ? join(root, path) : join(source, path);

const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)+\.(?:tsx?|mjs|md|json))`/g)].map((match) => match[1]!);

const testsIn = (text: string): { path: string; title: string }[] =>
  [...text.matchAll(/`([^`]+\.test\.ts)`: "([^"]+)"/g)].map(([, path, title]) => ({ path: path!, title: title! }));

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document);

  it('names only files that exist', () => {
    expect(pathsIn(text).filter((path) => !existsSync(resolvePath(path)))).toEqual([]);
  });

  it('names only tests that are in the named file', () => {
    const isThere = ({ path, title }: { path: string; title: string }) =>
      title.length >= 10 && readFileSync(resolvePath(path), 'utf8').includes(title);
    expect(testsIn(text).filter((test) => !isThere(test))).toEqual([]);
  });

  it('names only existing chapters', () => {
    const asked = [...text.matchAll(/npm run (attack|faults|fuzz) -- (?:"([^"]+)"|([a-z]+))/g)];
    const unknown = asked
      .map(([, campaign, quoted, word]) => [campaign as CampaignName, (quoted ?? word)!] as const)
      .filter(([campaign, chapter]) => !campaignOf(campaign).chapters.some(({ name }) => name === chapter));
    expect(unknown).toEqual([]);
  });
});

it.each(['docs/asvs.md', 'docs/threat-model.md'])('%s names more than 60 files and 60 tests', (document) => {
  const text = read(document);
  expect(pathsIn(text).length).toBeGreaterThan(60);
  expect(testsIn(text).length).toBeGreaterThan(60);
});

/** The level of every requirement of ASVS 5.0.0, by section, in the chapters that apply. */
const LEVELS: Readonly<Record<string, string>> = {
  ...{ '6.1': '122', '6.2': '111111112222', '6.3': '11223333', '6.4': '112233', '6.5': '22222333', '6.6': '2223' },
  ...{ '6.7': '33', '6.8': '2222' },
  ...{ '7.1': '222', '7.2': '1111', '7.3': '22', '7.4': '11222', '7.5': '223', '7.6': '22' },
  ...{ '8.1': '1233', '8.2': '1123', '8.3': '133', '8.4': '23' },
  ...{ '9.1': '111', '9.2': '1222' },
  ...{ '10.1': '22', '10.2': '223', '10.3': '22223', '10.4': '1111122222233333', '10.5': '22222' },
  ...{ '10.6': '22', '10.7': '222' },
  ...{ '11.1': '2233', '11.2': '22233', '11.3': '11233', '11.4': '1222', '11.5': '23', '11.6': '23', '11.7': '33' },
  ...{ '16.1': '2', '16.2': '22222', '16.3': '2222', '16.4': '222', '16.5': '2223' },
};

const VERDICTS = ['met', 'operator', 'partly', 'gap', 'does not apply'] as const;
type Verdict = (typeof VERDICTS)[number];

describe('docs/asvs.md', () => {
  const text = read('docs/asvs.md');
  const rows = [...text.matchAll(/^\| (\d+)\.(\d+\.\d+) \| (\d) \| [^|]+ \| \*\*([a-z ]+)\*\*/gm)].map(
    ([, chapter, line, level, verdict]) => ({
      line: `${chapter}.${line}`,
      chapter: `V${chapter}`,
      level: level!,
      verdict: verdict as Verdict,
    }),
  );

  it('has a row for every requirement of level 1 and 2, with its level and a verdict', () => {
    const asked = Object.entries(LEVELS).flatMap(([section, levels]) =>
      [...levels].map((level, index) => `${section}.${index + 1} level ${level}`).filter((line) => !line.endsWith('3')),
    );
    expect(asked).toHaveLength(126);
    expect(rows.map(({ line, level }) => `${line} level ${level}`)).toEqual(asked);
    expect(rows.filter(({ verdict }) => !VERDICTS.includes(verdict))).toEqual([]);
  });

  it('the summary of docs/asvs.md matches its rows', () => {
    const sum = (of: readonly { verdict: Verdict }[]) => [
      ...VERDICTS.map((verdict) => of.filter((row) => row.verdict === verdict).length),
      of.length,
    ];
    const listed = [...text.matchAll(/^\| (V\d+|all)\b[^|]*\|((?: \d+ \|){6})$/gm)].map(
      ([, name, cells]) => [name!, cells!.split('|').slice(0, -1).map(Number)] as const,
    );
    const chapters = [...new Set(rows.map(({ chapter }) => chapter))];
    expect(listed).toEqual([
      ...chapters.map((name) => [name, sum(rows.filter(({ chapter }) => chapter === name))]),
      ['all', sum(rows)],
    ]);
  });

  it('lists every requirement that is partly met or not met under what is missing', () => {
    const list = text.split('## What is missing')[1]!.split('\n## ')[0]!;
    const listed = [...list.matchAll(/\*\*(\d+\.\d+\.\d+)\*\*/g)].map((match) => match[1]!);
    const missing = rows.filter(({ verdict }) => verdict === 'partly' || verdict === 'gap').map(({ line }) => line);
    expect(listed.toSorted()).toEqual(missing.toSorted());
  });

  it('docs/asvs.md names every purpose that a key is derived for', () => {
    const inventory = text.split('## Keys and algorithms')[1]!.split('\n## ')[0]!;
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.test|-fixture)\.ts$/.test(file),
    );
    const code = files.map((file) => readFileSync(join(source, file), 'utf8')).join('\n');
    const derived = [...code.matchAll(/(?<!\w)derive\(['`]([\w: -]+)/g)].map((match) => match[1]!);
    const sealed = [...code.matchAll(/purpose: '([a-z-]+)'/g)].map((match) => match[1]!);
    const purposes = new Set([...derived, ...sealed]);
    expect(purposes.size).toBeGreaterThan(15);
    expect([...purposes].filter((purpose) => !inventory.includes(`\`${purpose}\``))).toEqual([]);
  });
});

const firstSentenceOf = (item: string): string => item.split(/(?<=\.\)?) (?=[A-Z`])/)[0]!;

/** Breaks a list item at 120 columns. */
const wrap = (item: string): string =>
  item.split(' ').reduce((text, word) => {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    return `${text}${line.length + word.length + 1 > 120 ? '\n  ' : ' '}${word}`;
  });

it('docs/security.md lists the gaps of docs/asvs.md', async () => {
  const missing = read('docs/asvs.md').split('## What is missing')[1]!.split('\n## ')[0]!;
  const lines = missing.replaceAll(/\n {2}/g, ' ').split('\n');
  const gaps = lines
    .slice(lines.findIndex((line) => line.endsWith(':')))
    .map((line) => (line.startsWith('- ') ? wrap(firstSentenceOf(line).replaceAll('**', '')) : line));
  const page = read('docs/security.md');
  const [before, after] = [page.split('<!-- gaps -->')[0]!, page.split('<!-- end of gaps -->')[1]!];
  const section = `<!-- gaps -->\n\n${gaps.join('\n').trim()}\n\n<!-- end of gaps -->`;
  await expect(`${before}${section}${after}`).toMatchFileSnapshot('../../../docs/security.md');
});

it('docs/threat-model.md names every chapter of the campaigns', () => {
  const text = read('docs/threat-model.md');
  const commands = Object.entries(CAMPAIGNS).flatMap(([campaign, { chapters }]) =>
    chapters.map(({ name }) => `npm run ${campaign} -- ${name.includes(' ') ? `"${name}"` : name}`),
  );
  expect(commands.filter((command) => !text.includes(command))).toEqual([]);
});
