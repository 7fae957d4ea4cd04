import { describe, expect, it } from 'vitest';
import { describeUnexpected } from './unexpected.ts';

const refused = (code: string, message: string) =>
  Object.assign(new Error(message), {
    code,
    severity: 'ERROR',
    detail: 'Failing row contains (ada@example.com, $2b$10$secret).',
    where: 'ada@example.com',
    parameters: ['ada@example.com'],
  });

describe('an error that no command foresaw', () => {
  it('of the database: what it is, and no value', () => {
    const message = 'new row for relation "users" violates check constraint "x"';
    expect(describeUnexpected(refused('23514', message))).toBe(`Database error: ${message} (SQLSTATE 23514)`);
    expect(describeUnexpected(refused('22P02', 'invalid input: "ada@example.com"'))).not.toContain('ada@');
  });

  it('of any other kind: name, message, stack, and what it came from, without the fields', () => {
    const cause = refused('23505', 'duplicate key value violates unique constraint "y"');
    const error = Object.assign(new TypeError('x is not a function', { cause }), { row: 'ada@example.com' });
    const told = describeUnexpected(error);
    expect(told).toContain('TypeError: x is not a function\n    at ');
    expect(told).toContain('Caused by: Database error: duplicate key');
    expect(told).not.toMatch(/ada@|secret/);
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    expect(describeUnexpected(broken)).toContain('Error: write EPIPE\n    at ');
    expect(describeUnexpected('a word')).toContain('a word');
  });
});
