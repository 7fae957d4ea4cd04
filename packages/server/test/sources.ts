import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

interface Import {
  /** The path from the root of the repository; undefined for modules of npm or Node. */
  readonly target: string | undefined;
  /** `*` stands for all names. */
  readonly names: readonly string[];
  /** True for `export * from`: importers of this file use the target. */
  readonly passedOn: boolean;
  /** True if the import has no effect at run time. */
  readonly typeOnly: boolean;
}

export interface Source {
  readonly path: string;
  /** The source text without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
  /** Exported names, without those of `export *`. */
  readonly exports: readonly string[];
}

export function readSources(): readonly Source[] {
  const modules = packageModules();
  return ['packages', 'bench', 'trust', 'interop', 'examples', 'scripts', 'vitest.config.ts']
    .flatMap((name) => filesBelow(name))
    .filter((path) => /\.(tsx?|m?js)$/.test(path))
    .map((path) => {
      const code = withoutComments(readFileSync(join(ROOT, path), 'utf8'));
      return { path, code, imports: importsOf(path, code, modules), exports: exportsOf(code) };
    });
}

export const isTest = (path: string): boolean => /\.test\.ts$|-fixture\.ts$|^packages\/[\w-]+\/test\//.test(path);

function filesBelow(path: string): string[] {
  if (/(^|\/)(node_modules|dist)$/.test(path) || !existsSync(join(ROOT, path))) return [];
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)],
  );
}

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');

/** Maps `@gatehouse/…` to source files, also where a package exports its build output. */
function packageModules(): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const folder of readdirSync(join(ROOT, 'packages'))) {
    const description = JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8'));
    for (const [entry, value] of Object.entries<string | { default: string }>(description.exports ?? {})) {
      const file = typeof value === 'string' ? value : value.default;
      const source = file.replace(/^\.\/dist\/(.*)\.js$/, './src/$1.ts');
      modules.set(join(description.name, entry), join('packages', folder, source));
    }
  }
  return modules;
}

const STATEMENT = /^(import|export)\s+(type\s+)?([^'"`;=()]*?)\s*from\s+'([^']+)'/gm;
/** Matches `import './x.ts'` and `import('./x.ts')`. */
const WHOLE = /^import\s+'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function importsOf(path: string, code: string, modules: ReadonlyMap<string, string>): Import[] {
  const targetOf = (name: string) =>
    name.startsWith('.') ? join(dirname(path), name.replace(/\?.*$/, '')) : modules.get(name);
  const statements = [...code.matchAll(STATEMENT)].map(([, word, type, clause, name]) => ({
    target: targetOf(name!),
    names: namesIn(clause!),
    passedOn: word === 'export' && clause === '*',
    typeOnly: type !== undefined,
  }));
  const whole = [...code.matchAll(WHOLE)].map(([, bare, called]) => ({
    target: targetOf((bare ?? called)!),
    names: bare ? [] : ['*'],
    passedOn: false,
    typeOnly: false,
  }));
  return [...statements, ...whole];
}

/** Reads `type A, B as C` inside braces, `* as all`, or the name of a default import. */
function namesIn(clause: string): string[] {
  if (clause.includes('*')) return ['*'];
  const braces = /\{([\s\S]*)\}/.exec(clause)?.[1] ?? '';
  const named = braces.split(',').map(
    (part) =>
      part
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)[0]!,
  );
  const byDefault = /^\w+/.test(clause) ? ['default'] : [];
  return [...named.filter((name) => name !== ''), ...byDefault];
}

function exportsOf(code: string): string[] {
  const declared = code.matchAll(
    /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm,
  );
  const listed = code.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [
    ...[...declared].map((match) => match[1]!),
    ...[...listed].flatMap((match) =>
      match[1]!
        .split(',')
        .map(
          (part) =>
            part
              .trim()
              .replace(/^type\s+/, '')
              .split(/\s+as\s+/)
              .at(-1)!,
        )
        .filter((name) => name !== ''),
    ),
    ...(/^export default\b/m.test(code) ? ['default'] : []),
  ];
}
