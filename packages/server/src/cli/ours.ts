import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** In a checkout npm knows the command. Elsewhere it is installed under its own name, and npx would fetch a stranger's. */
export function nameOfCommand(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'scripts/setup.mjs'))) return 'npx gatehouse';
  }
  return 'gatehouse';
}

const NAME = nameOfCommand(import.meta.dirname);

/** A command of ours, as it is typed here. */
export const ours = (words: string): string => `${NAME} ${words}`;
