import { parseEnv } from 'node:util';
import { textOfEnvironmentFile } from './env-file.ts';
import { SETTINGS } from './settings.ts';

/** A line of `.env` that means something else than whoever wrote it thinks, and would be taken without a word. */
export interface Oddity {
  readonly detail: string;
  readonly remedy: string;
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=([ \t]*\S[^\r\n]*)/gm;
/** What somebody meant for a name. Anything else may be a piece of a secret. */
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

/** As they stand there, the last of each name. */
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
 * Of a mark that has no other in its line: one that is never closed is a part of the value; one that another setting or a comment
 * closes takes all lines between them.
 */
const isOpen = (mark: string, taken: string): boolean =>
  taken.startsWith(mark) ||
  /\n[ \t]*#/.test(taken) ||
  [...taken.matchAll(/\n[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=/g)].some(([, name]) => name! in SETTINGS);

/** A comment has a space before it, or stands for a value that is not there: `HOST=#`. */
const isCut = (line: string, taken: string): boolean => {
  const [before, after] = line.split(/#(.*)/s) as [string, string | undefined];
  const isMeant = before === '' ? /^\S/.test(after ?? '') : /\S$/.test(before);
  return after !== undefined && isMeant && before.trimStart() === taken;
};

/** What is padded with `=` is the rest of a value, and no name. */
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
