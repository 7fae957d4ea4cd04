import { feeds } from './feeds.ts';
import type { VectorFile } from './format.ts';
import { keys } from './keys.ts';
import { machines } from './machines.ts';
import { needs } from './needs.ts';
import { responses } from './responses.ts';
import { stale } from './stale.ts';
import { tokens } from './tokens.ts';

const FILES: Readonly<Record<string, VectorFile | typeof responses>> = {
  feeds,
  keys,
  machines,
  needs,
  responses,
  stale,
  tokens,
};

/** JSON with one line for each request, check and key: the fourth level is the last that begins a line. */
const format = (file: object): string =>
  JSON.stringify(file, null, 1)
    .replace(/,\n {6,}/g, ', ')
    .replace(/\n {6,}|\n {5}(?=["\]}])|\n {4}(?=})/g, '');

/** Returns the text of each file of vectors. The same for every call: keys, ids and times are fixed. */
export const generateVectors = (): ReadonlyMap<string, string> =>
  new Map(Object.entries(FILES).map(([name, file]) => [`${name}.json`, `${format(file)}\n`]));
