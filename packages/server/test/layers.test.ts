import { describe, expect, it } from 'vitest';
import { isTest, readSources } from './sources.ts';

const SRC = 'packages/server/src/';

const sources = readSources();
const files = sources
  .filter(({ path }) => path.startsWith(SRC) && path.endsWith('.ts') && !isTest(path))
  .map(({ path, code, imports }) => ({
    path: path.slice(SRC.length),
    code,
    targets: imports.flatMap(({ target }) => (target?.startsWith(SRC) ? [target.slice(SRC.length)] : [])),
  }));

const ORDER = ['main.ts', 'cli', 'app.ts', 'deps.ts', 'features', 'http', 'domain', 'platform'];
const layerOf = (path: string): number => {
  const layer = ORDER.indexOf(path.split('/')[0]!);
  return layer < 0 ? ORDER.length : layer;
};

const offenders = (allowed: (path: string) => boolean, pattern: RegExp): string[] =>
  files.filter(({ path, code }) => !allowed(path) && pattern.test(code)).map(({ path }) => path);

describe('the layers', () => {
  it('finds the source files', () => expect(files.length).toBeGreaterThan(40));

  it('no file imports from a layer above its own', () => {
    const wrong = files.flatMap(({ path, targets }) =>
      targets.filter((target) => layerOf(target) < layerOf(path)).map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('no feature imports another', () => {
    const featureOf = (path: string) => /^features\/([^/]+)/.exec(path)?.[1];
    const wrong = files.flatMap(({ path, targets }) =>
      targets
        .filter((target) => featureOf(path) && featureOf(target) && featureOf(path) !== featureOf(target))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('Fastify is used only in routes.ts, http/ and app.ts', () => {
    expect(offenders((path) => /^http\/|\/routes\.ts$|^app\.ts$/.test(path), /from 'fastify'/)).toEqual([]);
  });

  it('SQL is used only in queries.ts and platform/db/', () => {
    const sql = /\bsql`|\bsql\.raw|\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\.query\(\s*[`'"]/;
    expect(offenders((path) => /\/queries\.ts$|^platform\/db\//.test(path), sql)).toEqual([]);
  });

  it('features only read; statements that write are in the domain folder that owns the table', () => {
    const writes = /\.(insertInto|updateTable|deleteFrom)\(|\b(insert into|delete from) |\bupdate \w+ set /;
    expect(offenders((path) => !path.startsWith('features/'), writes)).toEqual([]);
  });

  it('process.env, the clock and fetch are each used in one file', () => {
    expect(offenders((path) => path === 'cli/support/environment.ts', /process\.env/)).toEqual([]);
    expect(offenders((path) => path === 'platform/clock.ts', /new Date\(\)|Date\.now\(\)/)).toEqual([]);
    expect(offenders((path) => path === 'platform/outbound.ts', /(?<![.\w])fetch\(/)).toEqual([]);
  });

  it('no file has more than 400 lines, and no folder has an index file', () => {
    expect(files.filter(({ code }) => code.split('\n').length > 400).map(({ path }) => path)).toEqual([]);
    expect(files.filter(({ path }) => path.endsWith('index.ts')).map(({ path }) => path)).toEqual([]);
  });
});

describe('all packages, and the folders next to them', () => {
  it('packages have no import cycles, including type-only imports', () => {
    const byPath = new Map(sources.map((source) => [source.path, source]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (trail.includes(path) || done.has(path)) return;
      for (const { target } of byPath.get(path)?.imports ?? []) if (target) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(cycles).toEqual([]);
    // Ensures that all packages were read.
    expect([...new Set(sources.map(({ path }) => packageOf(path)))]).toEqual(
      expect.arrayContaining(Object.keys(MAY_USE)),
    );
  });

  it('packages import only the packages below them', () => {
    const wrong = sources
      .filter(({ path }) => isProduct(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => target && packageOf(target) !== packageOf(path))
          .filter(({ target }) => !MAY_USE[packageOf(path)]?.includes(packageOf(target!)))
          .map(({ target }) => `${path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('packages import nothing from tests', () => {
    const wrong = sources
      .filter(({ path }) => isProduct(path))
      .flatMap(({ path, imports }) =>
        imports.filter(({ target }) => target && isTest(target)).map(({ target }) => `${path} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });
});

const isProduct = (path: string): boolean => /^packages\/[\w-]+\/src\//.test(path) && !isTest(path);

const packageOf = (path: string): string => /^(packages\/[\w-]+|\w+)\//.exec(path)?.[1] ?? path;

const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  'packages/contract': [],
  'packages/embedded-postgres': [],
  'packages/client': [],
  'packages/verify': [],
  'packages/web': ['packages/contract', 'packages/client'],
  'packages/server': ['packages/contract', 'packages/embedded-postgres', 'packages/web'],
  examples: ['packages/client', 'packages/verify'],
  bench: [],
  trust: [],
  scripts: [],
};
