import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksIn, faultsOf } from '../../client/test/documentation.ts';
import { applyDiff, type CheckoutCopy, copyCheckout } from './checkout-copy.ts';

const root = join(import.meta.dirname, '../../..');
interface Example {
  readonly name: string;
  readonly text: string;
  /** `files` are whole files, `diffs` changes of existing files. */
  readonly files: readonly Part[];
  readonly diffs: readonly Part[];
  readonly touched: readonly string[];
}

interface Part {
  readonly path: string;
  readonly text: string;
}

function readExample(name: string): Example {
  const text = readFileSync(join(root, name), 'utf8');
  const named = (language: string, head: RegExp) =>
    blocksIn(name, text, language).map(({ from, code }) => {
      const [whole, path] = head.exec(code) ?? [];
      if (!whole || !path) throw new Error(`${from} does not begin with a path`);
      return { path, text: code.slice(whole.length) };
    });
  const files = named('ts', /^\/\/ (\S+)\n/);
  const diffs = named('diff', /^\+\+\+ (\S+)\n/);
  return { name, text, files, diffs, touched: [...new Set([...files, ...diffs].map(({ path }) => path))] };
}

const feature = readExample('docs/adding-a-feature.md');
const provider = readExample('docs/adding-a-provider.md');
const EXAMPLES = [feature, provider];
const touched = EXAMPLES.flatMap((example) => example.touched).filter((path) => /\.tsx?$/.test(path));

/** The tests of both examples, and those that fail if a new table, endpoint, action, call or provider is incomplete. */
const TEST_FILTERS: Readonly<Record<string, string>> = {
  'packages/server/src/features/announcements': 'announcements',
  'packages/server/src/domain/export/tables.test.ts': 'what is moved',
  'packages/server/test/access-table.test.ts': 'the access table has|docs/access.md|/announcements',
  'packages/server/test/catalog.test.ts': '4.1 catalog',
  'packages/server/test/layers.test.ts': 'the layers',
  'packages/server/test/month.test.ts': 'every table is described in TABLES',
  'packages/server/test/schema-reference.test.ts': 'docs/schema.sql',
  'packages/server/test/schema-types.test.ts': 'the types of the tables',
  'packages/client/src/index.test.ts': 'a call for every endpoint',
  'packages/client/test/calls.test.ts': 'every call',
  'packages/client/test/wire.test.ts': 'wire.ts matches|wire-compared.ts compares',
  'packages/server/src/features/social/gitlab.test.ts': 'oauth_f',
  'packages/server/src/features/social/providers.test.ts': 'oauth_f',
  'packages/server/src/features/provider-settings/save.test.ts': 'oauth_f',
  'packages/server/src/platform/config/reference.test.ts': 'docs/configuration.md matches',
};

/** Titles that must be among the passed tests. */
const REQUIRED_TITLES = [
  'the owner posts, everybody in the organization reads, newest first',
  'an owner who has just become a member gets 403, and nothing is written',
  'the access table > POST /orgs/:org_id/announcements {"text":"We move on Friday."}',
  'POST /orgs/:org_id/announcements without the CSRF header',
  'GET /orgs/:org_id/announcements is 403 for another organization',
  'every table that a moved table refers to is also moved, and before it',
  'docs/schema.sql matches the migrations',
  'the types of the tables match the migrations',
  'every table is described in TABLES',
  'has only endpoints of the specification and known additions',
  'has a call for every endpoint',
  'oauth_f > signs in a new and a returning user',
  'oauth_f: signing keys > signing keys are cached for ten minutes',
  'oauth_f, GitLab > email_verified true: returns 200 if an account has that address',
  'oauth_f: a valid change is 200 with the same entry as in the list',
];

let copy: CheckoutCopy;
beforeAll(() => {
  copy = copyCheckout();
  for (const { files, diffs } of EXAMPLES) {
    for (const { path, text } of files) copy.put(path, text);
    for (const { path, text } of diffs) copy.change(path, text);
  }
});
afterAll(() => copy.remove());

interface ToolResult {
  readonly code: unknown;
  readonly output: string;
}

const run = (tool: string, ...args: string[]): Promise<ToolResult> =>
  new Promise((resolve) => {
    // No test in the copy opens a page, so the browser is not unpacked there, which takes four seconds of CPU.
    const env = { ...process.env, NO_COLOR: '1', CHROME_PATH: 'unused' };
    const options = { cwd: copy.folder, env, maxBuffer: 1 << 26 };
    execFile(process.execPath, [join(root, 'node_modules', tool), ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    );
  });

/** Compiles only the files that the examples change; the rest of the copy is unchanged and checked in this checkout. */
function compile(folder: string, paths: readonly string[]): string[] {
  const config = join(copy.folder, folder, 'tsconfig.json');
  const { options, errors } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(config, ts.sys.readFile).config,
    ts.sys,
    join(copy.folder, folder),
    undefined,
    config,
  );
  const program = ts.createProgram(
    paths.map((path) => join(copy.folder, path)),
    options,
  );
  const diagnostics = paths.flatMap((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(join(copy.folder, path))),
  );
  return faultsOf([...errors, ...diagnostics], (file) => relative(copy.folder, file));
}

const isWebFile = (path: string): boolean => path.startsWith('packages/web/');

describe('docs/adding-a-provider.md', () => {
  it('changes at most five files', () => {
    expect(provider.touched.length).toBeLessThanOrEqual(5);
    const listed = [...provider.text.matchAll(/^\| (?:`(\S+)`|\[(\S+)\]\(\S+\)) \| (?:new: |a row: |two lines: )/gm)];
    expect(listed.map(([, code, link]) => code ?? `docs/${link}`).sort()).toEqual([...provider.touched].sort());
  });
});

describe('docs/adding-a-feature.md', () => {
  it('changes files in every package', () => {
    expect(feature.files.length).toBeGreaterThan(6);
    expect(feature.diffs.length).toBeGreaterThan(10);
    for (const part of ['contract/src', 'server/src', 'server/test', 'client/src', 'web/src']) {
      expect(
        feature.touched.some((path) => path.startsWith(`packages/${part}/`)),
        part,
      ).toBe(true);
    }
  });
});

describe.each(EXAMPLES)('$name', ({ text, files }) => {
  it('names only files that exist in the example or in the repository', () => {
    const paths = [...text.matchAll(/`(packages\/[\w./-]+\.ts)`/g)].map((match) => match[1]!);
    expect(paths.length).toBeGreaterThan(8);
    const isNew = (path: string) => files.some((file) => file.path === path);
    expect(paths.filter((path) => !existsSync(join(root, path)) && !isNew(path))).toEqual([]);
  });

  it('puts -u at the end of a command, because a word after it would be taken as its value', () => {
    const commands = [...text.matchAll(/^(?:npx vitest|npm test) .*$/gm)].map(([line]) => line.replace(/ +#.*/, ''));
    const printing = commands.filter((command) => / -u\b/.test(command));
    expect(printing.length).toBeGreaterThan(0);
    expect(printing.filter((command) => !command.endsWith(' -u'))).toEqual([]);
  });
});

describe('both examples in one copy', () => {
  it('both examples pass their own tests and every completeness test', async () => {
    const { code, output } = await run(
      'vitest/vitest.mjs',
      // One worker loads the modules once, and this run shares the machine with the run of this test.
      ...['run', '--project', 'embedded', '-u', '--reporter', 'verbose', '--maxWorkers', '1'],
      ...['--testNamePattern', Object.values(TEST_FILTERS).join('|')],
      ...Object.keys(TEST_FILTERS),
    );
    expect(code, output).toBe(0);
    const passed = output.split('\n').filter((line) => line.includes('✓'));
    expect(REQUIRED_TITLES.filter((title) => !passed.some((line) => line.includes(title)))).toEqual([]);
  });

  // Runs after the test above, which generates the types of the SDK.
  it('both examples compile', () => {
    expect(
      compile(
        '.',
        touched.filter((path) => !isWebFile(path)),
      ),
    ).toEqual([]);
    expect(compile('packages/web', touched.filter(isWebFile))).toEqual([]);
  });

  it('both examples pass the linter', async () => {
    const { code, output } = await run('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', ...touched);
    expect(code, output).toBe(0);
  });
});

describe('a diff', () => {
  const text = 'one\ntwo\nthree\nfour\n';
  it('adds and removes lines next to the lines it names', () => {
    expect(applyDiff(text, ' one\n+one and a half\n-two\n')).toBe('one\none and a half\nthree\nfour\n');
    expect(applyDiff(text, ' one\n…\n+three and a half\n four\n')).toBe('one\ntwo\nthree\nthree and a half\nfour\n');
  });
  it('applying a diff throws if its context lines do not exist', () => {
    expect(() => applyDiff(text, ' one\n three\n')).toThrow('there are no such lines');
    expect(() => applyDiff(text, ' two\n …\n one\n')).toThrow('there are no such lines');
    expect(() => applyDiff(text, '+five\n')).toThrow('there are no such lines');
  });
});
