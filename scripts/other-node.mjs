// Another version of Node for one run. npm has it as a package for Linux: nothing is installed on the machine.
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fail, root, step } from './setup.mjs';

const OPTION = '--node';
const ARCHITECTURES = ['arm64', 'x64'];

/** The version that `--node <version>` asks for, and the arguments without it. */
export function takeVersion(args) {
  const at = args.indexOf(OPTION);
  if (at < 0) return { version: undefined, rest: args };
  const version = args[at + 1] ?? '';
  if (!/^\d+(\.\d+){0,2}$/.test(version)) fail(`${OPTION} requires a Node version, for example ${OPTION} 24.`);
  return { version, rest: args.toSpliced(at, 2) };
}

/** Returns the path of the program; installs it below `folder` if necessary. */
export async function fetchNode(version, { folder, platform, arch, install = installPackage } = {}) {
  if (platform !== 'linux' || !ARCHITECTURES.includes(arch)) {
    fail(
      `npm provides Node only for Linux on ${ARCHITECTURES.join(' and ')}. On this system, put Node ${version} first on your PATH.`,
    );
  }
  const name = `node-linux-${arch}`;
  const program = join(folder, version, 'node_modules', name, 'bin/node');
  if (!existsSync(program)) {
    mkdirSync(join(folder, version), { recursive: true });
    await install(`${name}@${version}`, join(folder, version));
  }
  return program;
}

async function installPackage(name, folder) {
  // No package.json and no lock: the folder is a cache and may be removed at any time.
  const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit'];
  await step(`Fetching ${name}`, 'npm', [...args, '--no-fund', '--loglevel=error', name], folder);
}

/** An environment in which `node` is this program. */
export const environmentFor = (program) => ({
  ...process.env,
  PATH: [dirname(program), process.env.PATH].join(delimiter),
});

/** The cache is inside node_modules, so that it is removed with it. */
export const nodeFolder = join(root, 'node_modules/.cache/node');
