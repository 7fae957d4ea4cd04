import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { workingFolder } from './environment.ts';

/**
 * In a checkout npm knows the command. Elsewhere npx would fetch a stranger's: there it is called by its file or, where there is no checkout,
 * by the name that it is installed under.
 */
export function nameOfCommand(code: string, standing: string): string {
  for (let folder = code; folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, 'scripts/setup.mjs'))) continue;
    const isInside = !relative(folder, standing).startsWith('..');
    return isInside ? 'npx gatehouse' : `node ${join(folder, 'packages/server/bin/gatehouse.mjs')}`;
  }
  return 'gatehouse';
}

/** A command of ours, as it is typed here. */
export const ours = (words: string): string => `${nameOfCommand(import.meta.dirname, workingFolder())} ${words}`;
