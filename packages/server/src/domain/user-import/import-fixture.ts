import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBrowser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import type { LinkedProvider } from './foreign-user.ts';
import type { Format } from './formats.ts';
import { importUsers } from './import-users.ts';
import type { Target } from './insert.ts';
import { emptyReport, enter, type Line, type Report } from './report.ts';
import { openSource } from './source.ts';

export interface Files {
  write(name: string, content: string | Buffer): string;
  readonly folder: string;
  remove(): void;
}

export function openFiles(): Files {
  const folder = mkdtempSync(join(tmpdir(), 'gh-foreign-'));
  return {
    folder,
    write(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const ndjson = (records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

interface Options {
  readonly dry_run?: boolean;
  readonly target?: Target;
  readonly hash_config?: string;
  readonly password_hashes?: string;
  readonly linkable?: readonly LinkedProvider[];
  readonly unverified?: boolean;
}

interface Outcome {
  readonly report: Report;
  readonly lines: readonly Line[];
  of(email: string): Line | undefined;
  readonly unused: number;
  readonly odd_hashes: number;
}

export async function importFile(
  { deps }: TestApp,
  format: Format,
  path: string,
  { dry_run = false, target, linkable = ['oauth_a', 'oauth_b'], unverified = false, ...files }: Options = {},
): Promise<Outcome> {
  const source = await openSource(deps, { format, path, ...files });
  const report = emptyReport();
  const lines: Line[] = [];
  await importUsers(deps, {
    source,
    target,
    linkable: new Set(linkable),
    unverified,
    dry_run,
    onLine: (line) => {
      lines.push(line);
      enter(report, line);
    },
  });
  const of = (email: string) => lines.find((line) => line.email === email);
  return { report, lines, of, unused: source.unused(), odd_hashes: source.odd_hashes };
}

export const signIn = (app: TestApp, email: string, password: string) =>
  createBrowser(app).post('/auth/login', { email, password });

export const findByEmail = ({ deps }: TestApp, email: string) =>
  deps.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
