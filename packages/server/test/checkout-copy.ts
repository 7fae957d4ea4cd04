import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Generated, installed or local files. */
const NOT_COPIED = /^(\.git|\.env.*|node_modules|dist|data|results|pictures)$/;

export interface CheckoutCopy {
  readonly folder: string;
  /** `put` writes a whole file; `change` applies a diff, see `applyDiff`. */
  put(path: string, text: string): void;
  change(path: string, diff: string): void;
  remove(): void;
}

/** Copies this checkout, to try changes in. Installed packages are linked; those of the workspace are copies. */
export function copyCheckout(): CheckoutCopy {
  const folder = mkdtempSync(join(tmpdir(), 'gh-copy-'));
  cpSync(root, folder, { recursive: true, filter: (path) => path === root || !NOT_COPIED.test(basename(path)) });
  linkPackages(folder);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  return {
    folder,
    put,
    change: (path, diff) => put(path, applyDiff(readFileSync(join(folder, path), 'utf8'), diff)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkPackages(folder: string): void {
  const link = (path: string): void => symlinkSync(join(root, path), join(folder, path));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@gatehouse' && !name.startsWith('.')) link(join('node_modules', name));
  }
  // These links are relative (`../../packages`) and so point into the copy.
  cpSync(join(root, 'node_modules/@gatehouse'), join(folder, 'node_modules/@gatehouse'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const name of readdirSync(join(root, 'packages'))) {
    for (const made of ['node_modules', 'dist']) {
      if (existsSync(join(root, 'packages', name, made))) link(join('packages', name, made));
    }
  }
}

/** Lines with `+` are added, with `-` removed; others must exist. `…` stands for any number of lines in between. */
export function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n');
  const result: string[] = [];
  let at = 0;
  for (const part of diff.replace(/\n$/, '').split(/^ ?…\n/m)) {
    const steps = part.replace(/\n$/, '').split('\n');
    const old = steps.filter((step) => !step.startsWith('+')).map((step) => step.slice(1));
    const from = lines.findIndex(
      (_, index) => index >= at && old.every((line, offset) => lines[index + offset] === line),
    );
    if (old.length === 0 || from < 0) throw new Error(`there are no such lines:\n${old.join('\n')}`);
    const added = steps.filter((step) => !step.startsWith('-')).map((step) => step.slice(1));
    result.push(...lines.slice(at, from), ...added);
    at = from + old.length;
  }
  return [...result, ...lines.slice(at)].join('\n');
}
