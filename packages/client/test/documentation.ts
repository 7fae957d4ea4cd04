import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/documentation');

export interface Block {
  readonly from: string;
  readonly code: string;
}

export function blocksIn(from: string, text: string, language = 'ts'): Block[] {
  const plain = text.replaceAll(/^ *\* ?/gm, '');
  const fenced = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...plain.matchAll(fenced)].map(([, code], index) => ({
    from: `${from}, block ${index + 1}`,
    code: code!,
  }));
}

const sourcesOf = (folder: string): string[] =>
  readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|-fixture\.ts$/.test(name))
    .map((name) => join('src', name));

export function blocksOf(folder: string): Block[] {
  return ['README.md', ...sourcesOf(folder)].flatMap((name) =>
    blocksIn(name, readFileSync(join(folder, name), 'utf8')),
  );
}

export function undocumented(folder: string, names: readonly string[]): string[] {
  const code = sourcesOf(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  return names.filter((name) => {
    const begin = new RegExp(`\\*/\\nexport (async )?(function|const|class) ${name}\\b`);
    const source = code.find((text) => begin.test(text)) ?? '';
    const before = source.slice(0, source.search(begin));
    return !before.slice(before.lastIndexOf('/**')).includes('@example');
  });
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

export const faultsOf = (diagnostics: readonly ts.Diagnostic[], nameOf: (file: string) => string): string[] =>
  diagnostics.map(
    ({ file, messageText }) =>
      `${file ? nameOf(file.fileName) : 'the compiler'}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
  );

/** Puts the blocks into a folder. `write` writes one of them, after `change`, as a runnable file. */
export function putAll(blocks: readonly Block[]) {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'blocks-'));
  const put = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  put('package.json', '{ "type": "module" }');
  const files = blocks.map(({ code }, index) => put(`${index}.ts`, code));
  const write = (index: number, change: (code: string) => string): string => {
    const { outputText } = ts.transpileModule(change(blocks[index]!.code), {
      compilerOptions: { ...OPTIONS, module: ts.ModuleKind.ESNext },
    });
    return put(`${index}.mjs`, outputText);
  };
  return { folder, files, put, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Compiles the blocks against the built packages. */
export function pasteAll(blocks: readonly Block[], globals = '') {
  const { files, put, remove } = putAll(blocks);
  const program = ts.createProgram(
    [...files, put('globals.d.ts', `declare global { ${globals} }\nexport {};\n`)],
    OPTIONS,
  );
  const faults = faultsOf(ts.getPreEmitDiagnostics(program), (file) => blocks[files.indexOf(file)]?.from ?? file);
  return { faults, remove };
}
