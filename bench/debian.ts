import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from './start-process.ts';

/** Thrown if this machine lacks something, such as a program, a package or the network. */
export class Skipped extends Error {}

export interface Unpacked {
  readonly folder: string;
  /** Lets programs find the libraries in the folder. */
  readonly env: { readonly LD_LIBRARY_PATH: string };
}

const execute = promisify(execFile);

/**
 * Downloads packages of Debian, with those they depend on, and unpacks them into a temporary folder, which is removed
 * at the end. Nothing is installed or started, so no root rights are needed. Packages that are already installed are
 * used from the system: `packagePath` finds a file in either place.
 */
export async function unpackDebian(...packages: readonly string[]): Promise<Unpacked> {
  if (!existsSync('/usr/bin/apt-get')) throw new Skipped('this machine has no apt-get');
  const folder = makeFolder();
  const apt = async (...args: readonly string[]) => (await execute('apt-get', args, { cwd: folder })).stdout;
  const simulate = () => apt('--simulate', '--no-install-recommends', 'install', ...packages);
  const plan = await simulate()
    .catch(async () => {
      // The lists of packages may be missing or old. Only root can update them.
      await apt('update');
      return simulate();
    })
    .catch((error: Error) => {
      throw new Skipped(`apt-get cannot find ${packages.join(', ')}: ${reasonOf(error)}`);
    });
  const missing = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!);
  if (missing.length > 0) {
    await apt('download', ...missing).catch((error: Error) => {
      throw new Skipped(`apt-get cannot download ${packages.join(', ')}: ${reasonOf(error)}`);
    });
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    await execute('dpkg-deb', ['--extract', file, '.'], { cwd: folder });
  }
  const libraries = existsSync(join(folder, 'usr/lib'))
    ? readdirSync(join(folder, 'usr/lib')).filter((name) => name.includes('-linux-'))
    : [];
  return { folder, env: { LD_LIBRARY_PATH: libraries.map((name) => join(folder, 'usr/lib', name)).join(':') } };
}

export function packagePath({ folder }: Unpacked, path: string): string {
  const found = [join(folder, path), join('/', path)].find((place) => existsSync(place));
  if (!found) throw new Error(`the packages have no file ${path}`);
  return found;
}

/** Returns the first error line of apt-get, or else the first two lines. */
export function reasonOf({ message }: Error): string {
  const lines = message.trim().split('\n');
  return lines.find((line) => line.startsWith('E: ')) ?? lines.slice(0, 2).join(' ');
}
