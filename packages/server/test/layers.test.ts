import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

const filesBelow = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });

/** Product files with their code, comments removed, and what they import. */
const files = filesBelow(SRC)
  .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|fixture[^/]*\.ts$/.test(path))
  .map((path) => {
    const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');
    const imports = [...code.matchAll(/(?:from\s+|import\s*\(?\s*)'([^']+)'/g)].map((match) => match[1]!);
    return { path: relative(SRC, path), code, imports, targets: local(path, imports) };
  });

function local(path: string, imports: string[]): string[] {
  return imports.filter((name) => name.startsWith('.')).map((name) => relative(SRC, join(dirname(path), name)));
}

const ORDER = ['main.ts', 'cli', 'app.ts', 'features', 'http', 'domain', 'platform'];
const layerOf = (path: string): number => {
  const layer = ORDER.indexOf(path.split('/')[0]!);
  return layer < 0 ? ORDER.length : layer;
};

const offenders = (allowed: (path: string) => boolean, pattern: RegExp): string[] =>
  files.filter(({ path, code }) => !allowed(path) && pattern.test(code)).map(({ path }) => path);

describe('the layers', () => {
  it('finds files to look at', () => expect(files.length).toBeGreaterThan(40));

  it('imports go down only', () => {
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

  it('no cycles', () => {
    const targets = new Map(files.map((file) => [file.path, runtimeTargets(file)]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      if (trail.includes(path) || done.has(path)) return;
      for (const target of targets.get(path) ?? []) visit(target, [...trail, path]);
      done.add(path);
    };
    for (const { path } of files) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it('Fastify only in routes.ts, http/ and app.ts', () => {
    expect(offenders((path) => /^http\/|\/routes\.ts$|^app\.ts$/.test(path), /from 'fastify'/)).toEqual([]);
  });

  it('SQL only in queries.ts and platform/db/', () => {
    const sql = /\bsql`|\bsql\.raw|\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\.query\(\s*[`'"]/;
    expect(offenders((path) => /\/queries\.ts$|^platform\/db\//.test(path), sql)).toEqual([]);
  });

  it('process.env, the clock and fetch in one file each', () => {
    expect(offenders((path) => path === 'cli/environment.ts', /process\.env/)).toEqual([]);
    expect(offenders((path) => path === 'platform/clock.ts' || isEmbedded(path), /new Date\(\)|Date\.now\(\)/)).toEqual(
      [],
    );
    expect(offenders((path) => path === 'platform/outbound.ts', /(?<![.\w])fetch\(/)).toEqual([]);
  });

  it('no file is longer than 400 lines, and no folder hides behind an index', () => {
    expect(files.filter(({ code }) => code.split('\n').length > 400).map(({ path }) => path)).toEqual([]);
    expect(files.filter(({ path }) => path.endsWith('index.ts')).map(({ path }) => path)).toEqual([]);
  });
});

/** The launcher waits for processes, not for the service's time. */
const isEmbedded = (path: string): boolean => path.startsWith('platform/db/embedded/');

/** Types vanish: only what remains at run time can go in a circle. */
function runtimeTargets({ path, code }: { path: string; code: string }): string[] {
  const withoutTypes = code.replace(/import type [\s\S]*?from '[^']+'/g, '');
  const imports = [...withoutTypes.matchAll(/(?:from\s+|import\s*\(?\s*)'([^']+)'/g)].map((match) => match[1]!);
  return local(join(SRC, path), imports);
}
