import { reasonOf, Skipped } from '../bench/debian.ts';
import { makeFolder, runNpm } from '../bench/start-process.ts';

/** A proof that other software works with the service. Each file `<name>.interop.ts` exports one as `proof`. */
export interface Proof {
  readonly about: string;
  run(ledger: Ledger): Promise<void>;
}

interface Ledger {
  /** One row of the result. It passes if `seen` equals `expected` as JSON. */
  check(what: string, seen: unknown, expected: unknown): void;
}

/** Installs packages of npm into a temporary folder, which is removed at the end. Returns the folder. */
export async function installNpm(...packages: readonly string[]): Promise<string> {
  const folder = makeFolder();
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runNpm(['install', ...options, ...packages], folder).catch((error: Error) => {
    throw new Skipped(`npm could not install ${packages.join(', ')}: ${reasonOf(error)}`);
  });
  return folder;
}
