import { parseEnv } from 'node:util';
import { textOfEnvironmentFile } from './env-file.ts';
import { SETTINGS } from './settings.ts';

/** A line of `.env` that is parsed differently than its author probably meant, without an error. */
export interface Oddity {
  readonly detail: string;
  readonly remedy: string;
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=([ \t]*\S[^\r\n]*)/gm;
/** Looks like the name of a setting. Anything else may be part of a secret and must not be shown. */
const NAME = /^([A-Z][A-Z0-9_]{0,39}|[a-z][a-z0-9_]{0,39})$/;

export function listOddities(folder: string): Oddity[] {
  const text = textOfEnvironmentFile(folder);
  if (text === undefined) return [];
  const taken = Object.entries(parseEnv(text) as Record<string, string>);
  const written = assignmentsIn(text);
  return [
    ...taken.filter(([name]) => !(name in SETTINGS)).map(([name, value]) => unknown(name, value)),
    ...taken.flatMap(([name, value]) => oddityOf(name, written.get(name) ?? '', value)),
  ];
}

/** The unparsed values; if a name occurs twice, the last one. */
const assignmentsIn = (text: string): Map<string, string> =>
  new Map([...text.matchAll(ASSIGNMENT)].map(([, name, value]) => [name!, value!.trimEnd()]));

function oddityOf(name: string, line: string, taken: string): Oddity[] {
  const written = line.trimStart();
  const mark = /^["'`]/.exec(written)?.[0];
  if (mark === undefined) return isCut(line, taken) ? [cut(name)] : [];
  const end = written.indexOf(mark, 1);
  if (end < 0) return isOpen(mark, taken) ? [open(name)] : [];
  const rest = written.slice(end + 1).trim();
  return rest !== '' && !rest.startsWith('#') ? [followed(name)] : [];
}

/**
 * Called if the opening quotation mark has no closing one in its line. If none follows at all, the mark becomes part of
 * the value; if a later setting or comment contains one, the value includes all lines up to it.
 */
const isOpen = (mark: string, taken: string): boolean =>
  taken.startsWith(mark) ||
  /\n[ \t]*#/.test(taken) ||
  [...taken.matchAll(/\n[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=/g)].some(([, name]) => name! in SETTINGS);

/** A `#` without a space before it is probably part of the value, unless there is no value: `HOST=#`. */
const isCut = (line: string, taken: string): boolean => {
  const [before, after] = line.split(/#(.*)/s) as [string, string | undefined];
  const isMeant = before === '' ? /^\S/.test(after ?? '') : /\S$/.test(before);
  return after !== undefined && isMeant && before.trimStart() === taken;
};

/** A line whose value is only `=` is the end of a base64 value, not a name. */
const unknown = (name: string, value: string): Oddity => ({
  detail:
    NAME.test(name) && !/^=*$/.test(value)
      ? `${name} is not a setting of Gatehouse and is ignored`
      : 'a line is not a setting of Gatehouse; it may be the rest of a value that contains a line break',
  remedy: 'Correct its name or remove it.',
});

const open = (name: string): Oddity => ({
  detail: `the opening quotation mark of ${name} has no closing one`,
  remedy: 'Add the closing quotation mark on the same line, or remove the opening one.',
});

const followed = (name: string): Oddity => ({
  detail: `the value of ${name} ends at its second quotation mark, and the rest of the line is ignored`,
  remedy: "Enclose the whole value in another kind of quotation mark, for example '…'.",
});

const cut = (name: string): Oddity => ({
  detail: `the value of ${name} ends before its #, which starts a comment`,
  remedy:
    'If # is part of the value, enclose the value in quotation marks. If it is a comment, put a space before the #.',
});
