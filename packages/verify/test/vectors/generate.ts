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

/** Returns the text of each file of vectors. The same for every call: keys, ids and times are fixed. */
export const generateVectors = (): ReadonlyMap<string, string> =>
  new Map(Object.entries(FILES).map(([name, file]) => [`${name}.json`, `${JSON.stringify(file, null, 1)}\n`]));
