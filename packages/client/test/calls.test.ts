import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { hostedPages } from '../src/hosted-pages.ts';
import { createClient } from '../src/index.ts';

const src = join(import.meta.dirname, '../src');

interface Documented {
  readonly name: string;
  /** The doc comment; empty if there is none. */
  readonly doc: string;
}

function methodsIn(file: string, text: string): Documented[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: Documented[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isObjectLiteralExpression(node.parent) && isReturned(node.parent)) {
      const doc = ts.getJSDocCommentsAndTags(node).flatMap(({ comment }) => ts.getTextOfJSDocComment(comment) ?? []);
      found.push({ name: `${file}: ${node.name.getText(source)}`, doc: doc.join('\n') });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `(call) => ({ … })`, or `return { … }`. */
const isReturned = ({ parent }: ts.Node): boolean =>
  ts.isReturnStatement(parent) || (ts.isParenthesizedExpression(parent) && ts.isArrowFunction(parent.parent));

const read = (name: string): Documented[] => methodsIn(name, readFileSync(join(src, name), 'utf8'));
const calls = readdirSync(join(src, 'calls')).flatMap((name) => read(join('calls', name)));
const pages = read('hosted-pages.ts');

const undocumented = (methods: readonly Documented[]): string[] =>
  methods.filter(({ doc }) => !/^[A-Z].{8,}[.]$/s.test(doc)).map(({ name }) => name);

describe('calls of the client', () => {
  it('every call is found in its source file', () => {
    const { pages: _, ...client } = createClient({ base: 'http://localhost/v1' });
    const names = Object.values(client).flatMap((group) => (typeof group === 'object' ? Object.keys(group) : []));
    expect(names.length).toBeGreaterThan(60);
    const written = calls.map(({ name }) => name.split(': ')[1]!);
    expect(written.toSorted()).toEqual(names.toSorted());
    expect(pages).toHaveLength(Object.keys(hostedPages('/v1')).length);
  });

  it('every call has a doc comment', () => {
    expect(undocumented([...calls, ...pages])).toEqual([]);
  });

  it('the check detects a call without a doc comment', () => {
    const text =
      'const calls = (call: Call) => ({\n  /** Says what it does. */\n  one: () => call(),\n  two: () => call(),\n});';
    expect(undocumented(methodsIn('x.ts', text))).toEqual(['x.ts: two']);
  });
});
