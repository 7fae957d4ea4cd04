import { describe, expect, it } from 'vitest';
import { describeUnexpected } from './unexpected.ts';

const databaseError = (code: string, message: string) =>
  Object.assign(new Error(message), {
    code,
    severity: 'ERROR',
    detail: 'Failing row contains (ada@example.com, $2b$10$secret).',
    where: 'ada@example.com',
    parameters: ['ada@example.com'],
  });

describe('unexpected errors', () => {
  it('shows a database error without the values that it quotes', () => {
    const message = 'new row for relation "users" violates check constraint "x"';
    expect(describeUnexpected(databaseError('23514', message))).toBe(`Database error: ${message} (SQLSTATE 23514)`);
    expect(describeUnexpected(databaseError('22P02', 'invalid input: "ada@example.com"'))).not.toContain('ada@');
  });

  it('shows name, message, stack and cause of any other error, without further fields', () => {
    const cause = databaseError('23505', 'duplicate key value violates unique constraint "y"');
    const error = Object.assign(new TypeError('x is not a function', { cause }), { row: 'ada@example.com' });
    const text = describeUnexpected(error);
    expect(text).toContain('TypeError: x is not a function\n    at ');
    expect(text).toContain('Caused by: Database error: duplicate key');
    expect(text).not.toMatch(/ada@|secret/);
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    expect(describeUnexpected(broken)).toContain('Error: write EPIPE\n    at ');
    expect(describeUnexpected('a word')).toContain('a word');
  });
});
