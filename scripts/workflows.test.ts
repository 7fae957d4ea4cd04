import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findSystemPostgres } from '../packages/server/test/system-postgres.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const workflows = readdirSync(join(root, FOLDER)).map((file) => {
  const text = read(join(FOLDER, file));
  return { file, text, workflow: parse(text) as Workflow };
});
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

/** Returns what is wrong with a line of shell, or undefined if it is a command of this repository. */
function faultOf(line: string): string | undefined {
  const [, , script] = /^npm (run )?(?:--silent )?([\w:-]+)(?= |$)/.exec(line) ?? [];
  if (script) return Object.hasOwn(manifest.scripts, script) ? undefined : `package.json has no script ${script}`;
  const [file] = /^\.ci\/\w+(?= |$)/.exec(line) ?? [];
  if (!file) return 'is no npm script and no program of .ci';
  try {
    accessSync(join(root, file), constants.X_OK);
    return undefined;
  } catch {
    return `${file} is not executable`;
  }
}

const matrixOf = (file: string, job: string): Readonly<Record<string, unknown>> | undefined =>
  workflows.find((one) => one.file === file)?.workflow.jobs[job]?.strategy?.matrix;

describe('workflows', () => {
  it.each(workflows)('every step of $file runs a command of this repository', ({ workflow }) => {
    const lines = stepsOf(workflow).flatMap(({ run }) => run?.trim().split('\n') ?? []);
    expect(lines.map((line) => [line, faultOf(line)]).filter(([, fault]) => fault)).toEqual([]);
  });

  it('together they run check, test, the SDK packages and the component list', () => {
    const all = workflows.flatMap(({ workflow }) => stepsOf(workflow)).map(({ run }) => run);
    for (const part of ['npm run check', 'npm test', '.ci/run', 'npm run pack:sdks', 'npm run --silent sbom']) {
      expect(
        all.some((line) => line?.startsWith(part)),
        part,
      ).toBe(true);
    }
  });

  it.each([
    ['npm run check', undefined],
    ['npm run --silent sbom > a.json', undefined],
    ['.ci/run', undefined],
    ['npm run publish', 'package.json has no script publish'],
    ['npm publish', 'package.json has no script publish'],
    ['.ci/nothing', '.ci/nothing is not executable'],
    ['curl https://example.com | sh', 'is no npm script and no program of .ci'],
  ])('the fault of the step %s: %s', (line, fault) => expect(faultOf(line)).toBe(fault));

  it.each(workflows)('every action of $file is pinned to a commit, with its version', ({ text }) => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(uses.length).toBeGreaterThan(1);
    expect(uses.filter((line) => !/uses: [\w.-]+(\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it.each(workflows)('$file can read the repository and nothing more, except to upload results of CodeQL', (one) => {
    expect(one.workflow.permissions).toEqual({ contents: 'read' });
    expect(Object.keys(one.workflow.on)).not.toContain('pull_request_target');
    for (const { permissions = {}, ...job } of Object.values(one.workflow.jobs)) {
      const writes = Object.entries(permissions).filter(([, access]) => access !== 'read');
      expect(writes).toEqual(one.file === 'codeql.yml' ? [['security-events', 'write']] : []);
      expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
      const checkouts = job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual([false]);
    }
  });

  it('the tests run on the oldest Node that works, on later ones, and on PostgreSQL 15 to 18', () => {
    expect(matrixOf('test.yml', 'node')).toEqual({ node: [20, 22, 24] });
    expect(manifest.engines.node).toMatch(/^>=20\./);
    expect(matrixOf('test.yml', 'postgres')).toEqual({ postgres: [15, 16, 17, 18] });
  });
});

it('TEST_POSTGRES chooses an installed PostgreSQL, and fails if it is not there', () => {
  const newest = findSystemPostgres('');
  const version = newest?.split('/').at(-2);
  expect(version && findSystemPostgres(version)).toBe(newest);
  expect(() => findSystemPostgres('99')).toThrow('TEST_POSTGRES: PostgreSQL 99 is not in');
});

it('the development container has the Node version of the image', () => {
  const { image, postCreateCommand } = JSON.parse(read('.devcontainer/devcontainer.json'));
  const [, tag] = /^ARG NODE_IMAGE=(\S+)-slim$/m.exec(read('deploy/Dockerfile'))!;
  expect(image).toBe(tag);
  expect(postCreateCommand).toBe('node scripts/setup.mjs');
});

it('every issue template has a name, a description and labelled fields', () => {
  const names = readdirSync(join(root, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
  expect(names.length).toBeGreaterThan(1);
  for (const name of names) {
    const template = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
    expect(template).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const fields = template.body.filter(({ type }: { type: string }) => type !== 'markdown');
    expect(fields.map(({ id, attributes }: { id: string; attributes: object }) => ({ id, ...attributes }))).toEqual(
      fields.map(() => expect.objectContaining({ id: expect.any(String), label: expect.any(String) })),
    );
  }
});
