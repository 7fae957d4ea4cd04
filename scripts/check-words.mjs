// Part of `npm run check`: words with a standard term (docs/glossary.md), long lines of prose, commit subjects.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { root } from './setup.mjs';

/** Words that must not be part of a name, and what to use instead. */
const NAMES = {
  patience: 'timeoutMs, maxDiscardBytes, timeoutFactor',
  seat: 'membership, slot',
  seats: 'memberships, slots',
  surroundings: 'browserGlobals, deps',
  standing: 'permission',
  crew: 'worker pool',
  keeper: 'lock connection',
  residence: 'cluster location',
  newcomer: 'new user, unused socket',
  newcomers: 'new users, unused sockets',
  told: 'auditBase, acknowledged, reported',
  door: 'sign-in completion, access',
  mend: 'fix, retry',
  judge: 'validate, verify',
  judged: 'validated, verified',
  whoever: 'the exact user, caller or client',
};

/** Phrases that must not be in the text of a page, a mail or a document. */
const PHRASES = [
  'run out',
  'runs out',
  'in vain',
  'in force',
  'at ease',
  'the other side',
  'letter by letter',
  'second look',
  'whoever',
  'came along',
  'brought along',
];

const MAX_COLUMNS = 120;
const MAX_SUBJECT = 72;
const TYPES = 'build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test';
const SUBJECT = new RegExp(`^((${TYPES})(\\([\\w, .-]+\\))?!?: \\S|Merge )`);

const words = (name) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((word) => word.toLowerCase()) ?? [];

const blank = (text) => text.replaceAll(/[^\n]/g, ' ');

/** Replaces comments and the text of strings and templates by spaces, so that names are left. */
const codeOf = (text) =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, blank)
    .replaceAll(/`(?:\\.|[^`\\])*`/g, (template) => template.replaceAll(/(^|\})[^$]*?(\$\{|`$)|^`$/g, blank));

export function checkNames(path, text) {
  return codeOf(text)
    .split('\n')
    .flatMap((line, index) =>
      [...new Set(line.match(/[A-Za-z_$][\w$]*/g))].flatMap((name) =>
        words(name)
          .filter((word) => Object.hasOwn(NAMES, word))
          .map((word) => `${path}:${index + 1} ${name}: use ${NAMES[word]}`),
      ),
    );
}

export function checkPhrases(path, text) {
  return text
    .split('\n')
    .flatMap((line, index) =>
      PHRASES.filter((phrase) => new RegExp(`\\b${phrase}\\b`, 'i').test(line)).map(
        (phrase) => `${path}:${index + 1} "${phrase}": use the term of style rule 6`,
      ),
    );
}

/** Returns the lines of prose that are too long. Tables, code blocks and lines that cannot be broken may be longer. */
export function checkColumns(path, text) {
  let isCode = false;
  return text.split('\n').flatMap((line, index) => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isExempt = isCode || /^\s*[|<]/.test(line) || !/\s\S+\s/.test(line.slice(0, MAX_COLUMNS).trim());
    return [...line].length > MAX_COLUMNS && !isExempt
      ? [`${path}:${index + 1} has ${[...line].length} columns: wrap it at ${MAX_COLUMNS}`]
      : [];
  });
}

export function checkComments(path, text) {
  return text
    .split('\n')
    .flatMap((line, index) =>
      /^\s*(\/\/|\/?\*)/.test(line) && [...line].length > MAX_COLUMNS && !/\bhttps?:|biome-ignore/.test(line)
        ? [`${path}:${index + 1} has ${[...line].length} columns: wrap it at ${MAX_COLUMNS}`]
        : [],
    );
}

export const checkSubject = (subject) =>
  SUBJECT.test(subject) && subject.length <= MAX_SUBJECT
    ? []
    : [`commit "${subject}": write "type(scope): summary" in at most ${MAX_SUBJECT} characters`];

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Returns the subjects of commits after the one that added this file; none in a checkout without history. */
function subjects() {
  try {
    const [first] = git('log', '--diff-filter=A', '--format=%H', '--', 'scripts/check-words.mjs').trim().split('\n');
    return first ? git('log', '--no-merges', '--format=%s', `${first}..HEAD`).trim().split('\n').filter(Boolean) : [];
  } catch {
    return [];
  }
}

const NOT_PROSE = /^docs\/spec\.md$/;
/** Files that are generated from the schemas, or released and so never edited. */
const IS_FIXED = /^packages\/client\/src\/wire\.ts$|\/platform\/db\/schema\.ts$|\/migrations\/\d/;
const IS_COPY = /^packages\/web\/src\/.*text.*\/en[\w-]*\.ts$|^packages\/server\/src\/domain\/mail\/templates\/en\.ts$/;

function checkAll() {
  const tracked = git('ls-files', '-z')
    .split('\0')
    .filter((path) => path !== '' && !path.includes('/frozen/'));
  const faults = tracked.flatMap((path) => {
    if (!/\.(ts|tsx|mjs|md)$/.test(path) || IS_FIXED.test(path) || /check-words/.test(path)) return [];
    const text = readFileSync(`${root}/${path}`, 'utf8');
    if (path.endsWith('.md'))
      return NOT_PROSE.test(path) ? [] : [...checkColumns(path, text), ...checkPhrases(path, text)];
    return [
      ...checkNames(path, text),
      ...checkComments(path, text),
      ...(IS_COPY.test(path) ? checkPhrases(path, text) : []),
    ];
  });
  return [...faults, ...subjects().flatMap(checkSubject)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const faults = checkAll();
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) console.error(`${faults.length} lines to reword. docs/glossary.md has the terms.`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
