// The exported names of a published package, with their types, as its built type declarations contain them.
import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import ts from 'typescript';

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noEmit: true,
};

/** Generated from the contract and checked in, so the report does not repeat it. */
const WIRE = 'wire.d.ts';

const printer = ts.createPrinter({ removeComments: true });

/** Returns the statement of a declaration at the top level of a module, undefined for all others. */
function statementOf(node: ts.Node): ts.Node | undefined {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  return !ts.isSourceFile(node) && ts.isSourceFile(statement.parent) ? statement : undefined;
}

const blockOf = (texts: readonly string[]): string => `\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`;

export function renderApiReport(folder: string): string {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entries = Object.entries<{ types: string }>(exports).map(([entry, { types }]) => ({
    title: join(name, entry),
    file: join(folder, types),
  }));
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    OPTIONS,
  );
  const checker = program.getTypeChecker();
  const isHere = (node: ts.Node) =>
    !relative(join(folder, 'dist'), node.getSourceFile().fileName).startsWith('..') &&
    basename(node.getSourceFile().fileName) !== WIRE;

  /** Returns the statements that declare a symbol in this package. */
  const declarationsOf = (symbol: ts.Symbol): ts.Node[] => {
    const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (original.declarations ?? []).filter(isHere).flatMap((node) => statementOf(node) ?? []);
  };

  const printed = new Set<ts.Node>();
  /** Returns the declarations of a symbol; for one that another section has, only its name. */
  const print = (symbol: ts.Symbol): string[] =>
    declarationsOf(symbol).map((node) => {
      if (printed.has(node)) return `export { ${symbol.name} };`;
      printed.add(node);
      return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
    });

  const sections = entries.map(({ title, file }) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
    const symbols = checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return `## ${title}\n\n${blockOf(symbols.flatMap(print))}`;
  });
  // The set grows during the iteration: a type that is used may use others.
  const texts: string[] = [];
  const addUsed = (node: ts.Node): void => {
    const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    if (symbol && !declarationsOf(symbol).some((declaration) => printed.has(declaration))) texts.push(...print(symbol));
    ts.forEachChild(node, addUsed);
  };
  for (const node of printed) addUsed(node);
  const others = texts.length === 0 ? [] : [`## Not exported, but used by these types\n\n${blockOf(texts.toSorted())}`];
  return [`# The exports of ${name}\n`, INTRODUCTION, ...sections, ...others].join('\n');
}

const INTRODUCTION = `Generated from the built types, without comments; \`src/wire.ts\` has the types of the API. A change in this file is a
change that users of the package notice: [docs/upgrading.md](../../docs/upgrading.md#version-numbers). To update:
\`npm run check\`, then \`npx vitest run --project embedded scripts/api-report.test.ts -u\`.
`;
