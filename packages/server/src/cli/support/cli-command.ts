import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { workingFolder } from './environment.ts';

/**
 * In a checkout, npx finds the command. Outside of it, npx would download an unrelated package: then the command is
 * called by its file or, without a checkout, by the name it is installed under.
 */
export function nameOfCommand(code: string, cwd: string): string {
  for (let folder = code; folder !== dirname(folder); folder = dirname(folder)) {
    if (!existsSync(join(folder, 'scripts/setup.mjs'))) continue;
    const isInside = !relative(folder, cwd).startsWith('..');
    return isInside ? 'npx gatehouse' : `node ${quoted(join(folder, 'packages/server/bin/gatehouse.mjs'))}`;
  }
  return INSTALLED;
}

const INSTALLED = 'gatehouse';
const name = (): string => nameOfCommand(import.meta.dirname, workingFolder());

/** A `gatehouse` command as it is typed in this installation. */
export const cliCommand = (words: string): string => `${name()} ${words}`;

/** How to start the service. An installed service has a service manager and should not be started in another way. */
export const startCommand = (): string =>
  name() === INSTALLED
    ? 'with its service manager, for example `systemctl start gatehouse`'
    : `\`${cliCommand('serve')}\``;

export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
