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

  it('folders of domain/ do not import one another in a circle', () => {
    expect(circlesIn('packages/server/src/domain/')).toEqual([]);
  });

  it('Fastify is used only in routes.ts, http/ and app.ts', () => {
    expect(offenders((path) => /^http\/|\/routes\.ts$|^app\.ts$/.test(path), /from 'fastify'/)).toEqual([]);
  });

  it('SQL is used only in queries.ts, *-queries.ts, kernel/statements.ts and platform/db/', () => {
    const sql = /\bsql`|\bsql\.raw|\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\.query\(\s*[`'"]/;
    expect(
      offenders((path) => /\/([\w-]+-)?queries\.ts$|^domain\/kernel\/statements\.ts$|^platform\/db\//.test(path), sql),
    ).toEqual([]);
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

  it('no file has more than 400 lines, unless it is generated, and no folder has an index file', () => {
    const long = files.filter(({ code }) => code.split('\n').length > 400).map(({ path }) => path);
    expect(long.filter((path) => path !== 'platform/db/schema.ts')).toEqual([]);
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

/**
 * Returns the imports, also of types, between folders that import one another in a circle. `context.ts` names the types
 * of many concepts and is imported by all, so it does not count.
 */
function circlesIn(root: string): string[] {
  const folderOf = (path: string): string | undefined =>
    path.startsWith(root) && !path.endsWith('/context.ts') ? path.slice(root.length).split('/')[0] : undefined;
  const imports = sources
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, imports }) => imports.map(({ target }) => ({ path, target, from: folderOf(path) })))
    .map((found) => ({ ...found, to: found.target === undefined ? undefined : folderOf(found.target) }))
    .filter(({ from, to }) => from !== undefined && to !== undefined && from !== to);
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const queue = [start];
    for (const folder of queue) {
      for (const { to } of imports.filter(({ from }) => from === folder)) {
        if (!seen.has(to!)) queue.push(to!);
        seen.add(to!);
      }
    }
    return seen;
  };
  const reach = new Map([...new Set(imports.map(({ to }) => to!))].map((folder) => [folder, reachable(folder)]));
  return imports
    .filter(({ from, to }) => reach.get(to!)?.has(from!))
    .map(({ path, target }) => `${path.slice(root.length)} → ${target!.slice(root.length)}`);
}

const isProduct = (path: string): boolean => /^packages\/[\w-]+\/src\//.test(path) && !isTest(path);

const packageOf = (path: string): string => /^(packages\/[\w-]+|\w+)\//.exec(path)?.[1] ?? path;

const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  'packages/contract': [],
  'packages/embedded-postgres': [],
  'packages/migrate': [],
  'packages/client': [],
  'packages/verify': [],
  'packages/web': ['packages/contract', 'packages/client'],
  'packages/server': ['packages/contract', 'packages/embedded-postgres', 'packages/migrate', 'packages/web'],
  examples: ['packages/client', 'packages/verify'],
  bench: [],
  trust: [],
  scripts: [],
};
