import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFault } from './json.ts';

const LEVELS = 32;
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('findFault', () => {
  it.each([
    ['{', 1, 2],
    ['{"a": 1,}', 1, 9],
    ['{\n  "a": tru\n}', 2, 8],
    ['{\n  "a": "x\ny"\n}', 2, 10],
    ['{"a" 1}', 1, 6],
    ['{a: 1}', 1, 2],
    ["{'a': 1}", 1, 2],
    ['{"a": 01}', 1, 8],
    ['{} x', 1, 4],
    ['{"a": "\\x"}', 1, 8],
    ['[1 2]', 1, 4],
    ['', 1, 1],
  ])('finds the syntax error of %j at line %i, column %i', (text, line, column) => {
    expect(findFault(text, LEVELS)).toEqual({ kind: 'syntax', line, column });
  });

  it('finds valid JSON that the service would reject', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
    expect(findFault(nested(LEVELS), LEVELS)).toBeUndefined();
    expect(findFault(nested(LEVELS + 1), LEVELS)).toMatchObject({ kind: 'depth', line: 1 });
    expect(findFault('['.repeat(100_000), LEVELS)).toMatchObject({ kind: 'depth', column: LEVELS + 1 });
    expect(findFault('{"a": 1e999}', LEVELS)).toEqual({ kind: 'number', line: 1, column: 7 });
    expect(findFault('{"a": "x\\n\\ty"}', LEVELS)).toBeUndefined();
    expect(findFault('{"a": "x\\u0000"}', LEVELS)).toEqual({ kind: 'character', line: 1, column: 7 });
    expect(findFault('{"a\\n": 1}', LEVELS)).toEqual({ kind: 'character', line: 1, column: 2 });
    expect(findFault('{"\\ud800": 1}', LEVELS)).toEqual({ kind: 'character', line: 1, column: 2 });
  });

  it('finds a syntax error only if JSON.parse does', () => {
    const signs = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', ':', ',', ' ', '\n', '\\', 'a', '0', '1', '-', '.', 'e', 'true', 'null'),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(signs, (parts) => {
        const text = parts.join('');
        const fault = findFault(text, 1000);
        // In invalid JSON, the first fault may also be a value that cannot be stored.
        return parses(text) ? fault?.kind !== 'syntax' : fault !== undefined;
      }),
      { numRuns: 5_000 },
    );
  });

  it('finds no syntax error in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const fault = findFault(JSON.stringify(value, null, indent), 1000);
        expect(fault === undefined || fault.kind === 'character').toBe(true);
      }),
    );
  });
});
