import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, root, runNode, runProgram } from '../start-process.ts';

/** The full hash of a commit, branch or tag of this repository; undefined if none has this name. */
export function findCommit(name: string): string | undefined {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

const SETUP = 'scripts/setup.mjs';

/** Clones the commit and builds it by its setup script. Unlike a worktree, a clone leaves nothing in our `.git`. */
export async function checkOut(commit: string): Promise<string> {
  const folder = join(makeFolder(), 'checkout');
  await runProgram('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder], { cwd: root });
  await runProgram('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder });
  if (!existsSync(join(folder, SETUP))) throw new Error(`${commit} has no ${SETUP}, so it cannot be built`);
  await runNode([SETUP], { cwd: folder });
  return folder;
}
