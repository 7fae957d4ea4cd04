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
    return isInside ? 'npx gatehouse' : `node ${quoted(join(folder, 'packages/server/bin/gatehouse.mjs'))}`;
  }
  return INSTALLED;
}

const INSTALLED = 'gatehouse';
const name = (): string => nameOfCommand(import.meta.dirname, workingFolder());

/** A command of ours, as it is typed here. */
export const cliCommand = (words: string): string => `${name()} ${words}`;

/** How it is started: what is installed has something that starts it, and beside that nobody should. */
export const startCommand = (): string =>
  name() === INSTALLED
    ? 'with its service manager, for example `systemctl start gatehouse`'
    : `\`${cliCommand('serve')}\``;

/** One word to a shell, whatever is in it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
