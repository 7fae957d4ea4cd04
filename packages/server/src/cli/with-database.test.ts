import { describe, expect, it } from 'vitest';
import { explainDatabase } from './database.ts';
import { CommandFailure } from './failure.ts';
import { isAboutDatabase } from './with-database.ts';

const failing = (code: string | undefined, message = 'x', syscall?: string) =>
  Object.assign(new Error(message), { ...(code && { code }), ...(syscall && { syscall }) });

describe('what a command that failed says of the database', () => {
  it.each([
    failing('ECONNREFUSED'),
    failing('ENOENT', 'connect ENOENT /run/.s.PGSQL.5432', 'connect'),
    failing('28P01'),
    failing('53100'),
    failing('57P01'),
    failing('57014'),
    failing(undefined, 'Connection terminated unexpectedly'),
    failing(undefined, 'timeout exceeded when trying to connect'),
  ])('%o is about it', (error) => {
    expect(isAboutDatabase(error)).toBe(true);
  });

  it.each([
    new CommandFailure('there is a timeout, and terminated is not empty'),
    failing(undefined, 'terminated is not empty'),
    failing('ENOENT', 'no such file, open timeout', 'open'),
    failing('23505', 'duplicate key: terminated'),
    Object.assign(new CommandFailure('x'), { code: '57P01' }),
  ])('%o is not', (error) => {
    expect(isAboutDatabase(error)).toBe(false);
  });

  it('a disk that is full is told', () => {
    const config = { DATABASE_URL: 'postgresql://db.example.com/gatehouse' } as Parameters<typeof explainDatabase>[0];
    const { fix } = explainDatabase(config, failing('53100', 'could not extend file'));
    expect(fix).toContain('Its disk is full');
  });
});
