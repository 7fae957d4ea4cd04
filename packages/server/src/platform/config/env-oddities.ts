import { parseEnv } from 'node:util';
import { textOfEnvironmentFile } from './env-file.ts';
import { SETTINGS } from './settings.ts';

/** A line of `.env` that means something else than whoever wrote it thinks, and would be taken without a word. */
export interface Oddity {
  readonly detail: string;
  readonly remedy: string;
}

interface Setting {
  readonly name: string;
  readonly value: string;
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=[ \t]*(\S[^\n]*)$/gm;

export function listOddities(folder: string): Oddity[] {
  const text = textOfEnvironmentFile(folder);
  if (text === undefined) return [];
  const taken = new Map(Object.entries(parseEnv(text) as Record<string, string>));
  const written = settingsIn(text);
  const isOpen = ({ name, value }: Setting) => isOpenAs(value, taken.get(name) ?? '');
  const isCut = ({ name, value }: Setting) => isCutAs(value, taken.get(name));
  return [
    ...[...taken.keys()].filter((name) => !(name in SETTINGS)).map(misspelt),
    ...written.filter(isOpen).map(({ name }) => open(name)),
    ...written.filter(isCut).map(({ name }) => cut(name)),
  ];
}

const settingsIn = (text: string): Setting[] =>
  [...text.matchAll(ASSIGNMENT)].map(([, name, value]) => ({ name: name!, value: value! }));

/** A mark that is never closed is a part of the value; one that another setting closes takes all lines between them. */
const isOpenAs = (written: string, taken: string): boolean =>
  /^["'`]/.test(written) && (taken[0] === written[0] || settingsIn(taken).some(({ name }) => name in SETTINGS));

/** A comment has a space before it. A line inside a quoted value is no setting, whatever it looks like. */
const isCutAs = (written: string, taken: string | undefined): boolean => {
  const end = written.indexOf('#');
  return end > 0 && written[end - 1]!.trim() !== '' && written.slice(0, end) === taken;
};

const misspelt = (name: string): Oddity => ({
  detail: `${name} is not a setting of Gatehouse and is ignored`,
  remedy: 'Correct its name or remove it.',
});

const open = (name: string): Oddity => ({
  detail: `the quotation mark before the value of ${name} is not closed`,
  remedy: 'Close it on the same line, or remove it.',
});

const cut = (name: string): Oddity => ({
  detail: `the value of ${name} ends before its #, as if a comment began there`,
  remedy: 'Put the value in quotation marks; a comment begins with a space before the #.',
});
