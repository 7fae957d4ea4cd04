import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../platform/config/load.ts';
import { createLogger } from '../../platform/log.ts';
import { explainDatabase, openDatabase } from './database.ts';
import { isAboutDatabase } from './database-faults.ts';
import { CommandFailure } from './failure.ts';

const failing = (code: string | undefined, message = 'x', syscall?: string) =>
  Object.assign(new Error(message), { ...(code && { code }), ...(syscall && { syscall }) });

const open = (DATABASE_URL: string) => {
  const settings = { JWT_SECRET: 'x1y2z3a4b5c6d7e8f9g0'.repeat(2), PUBLIC_BASE_URL: 'http://localhost:8080' };
  const config = loadConfig({ ...settings, DATABASE_URL });
  return openDatabase({ config, log: createLogger({ level: 'silent' }), role: 'tool' });
};

describe('database errors of commands', () => {
  it.each([
    failing('ECONNREFUSED'),
    failing('ENOENT', 'connect ENOENT /run/.s.PGSQL.5432', 'connect'),
    failing('28P01'),
    failing('53100'),
    failing('57P01'),
    failing('57014'),
    failing(undefined, 'Connection terminated unexpectedly'),
    failing(undefined, 'timeout exceeded when trying to connect'),
    failing(undefined, 'The server does not support SSL connections'),
    failing('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
    failing('ERR_TLS_CERT_ALTNAME_INVALID'),
    failing('42501', 'permission denied for schema public'),
  ])('recognizes %o as a database error', (error) => {
    expect(isAboutDatabase(error)).toBe(true);
  });

  it.each([
    new CommandFailure('there is a timeout, and terminated is not empty'),
    failing(undefined, 'terminated is not empty'),
    failing('ENOENT', 'no such file, open timeout', 'open'),
    failing('23505', 'duplicate key: terminated'),
    Object.assign(new CommandFailure('x'), { code: '57P01' }),
  ])('does not treat %o as a database error', (error) => {
    expect(isAboutDatabase(error)).toBe(false);
  });

  it.each(['sslrootcert', 'sslcert', 'sslkey'])(
    'names the file of %s in DATABASE_URL if the file does not exist',
    async (name) => {
      await expect(open(`postgresql://u@db.example.com/x?sslmode=verify-full&${name}=/no/such/file`)).rejects.toThrow(
        `${name} in DATABASE_URL is /no/such/file, which cannot be read (ENOENT).`,
      );
    },
  );

  it.each([
    ['/', 'which cannot be read (not a file)'],
    ['system', 'Remove it'],
  ])('rejects a path that is not a file: %s', async (path, words) => {
    const url = `postgresql://u@db.example.com/x?sslmode=verify-full&sslrootcert=${path}`;
    await expect(open(url)).rejects.toThrow(words);
  });

  it.each(['0', '-1', '51', '100', '2.5', '10s', ' 5', '1e1', '5&connect_timeout=0'])(
    'rejects connect_timeout=%s',
    async (seconds) => {
      const url = `postgresql://u@db.example.com/x?connect_timeout=${encodeURI(seconds)}`;
      await expect(open(url)).rejects.toThrow(
        'connect_timeout in DATABASE_URL must be a whole number of seconds from 1',
      );
    },
  );

  it('ignores an empty parameter in DATABASE_URL', async () => {
    await (await open('postgresql://u@db.example.com/x?sslmode=verify-full&sslrootcert=&connect_timeout=')).close();
  });

  it.each([
    [failing('53100', 'could not extend file'), 'Its disk is full'],
    [failing(undefined, 'timeout expired'), 'blocked by a firewall'],
    [failing(undefined, 'The server does not support SSL connections'), '`ssl = on`'],
    [failing(undefined, 'There was an error establishing an SSL connection'), 'not a PostgreSQL'],
    [failing(undefined, 'timeout exceeded when trying to connect'), 'connect_timeout=20'],
    [failing('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in chain'), 'sslrootcert=<file>'],
    [failing('CERT_HAS_EXPIRED', 'certificate has expired'), 'Renew the certificate'],
    [failing('42501', 'permission denied'), 'owner of the database'],
    [failing('ECONNREFUSED'), 'Start it'],
    [failing('28P01', 'password authentication failed'), 'Correct the user and password'],
    [
      failing('28000', 'no pg_hba.conf entry for host "::1", user "u", database "x", no encryption'),
      'sslmode=verify-full',
    ],
    [
      failing('28000', 'no pg_hba.conf entry for host "::1", user "u", database "x", SSL encryption'),
      'Allow this host',
    ],
    [failing('28000', 'pg_hba.conf rejects connection for host "::1", no encryption'), 'sslmode=verify-full'],
  ])('gives the remedy for %o', (error, fix) => {
    const config = { DATABASE_URL: 'postgresql://db.example.com/gatehouse' } as Parameters<typeof explainDatabase>[0];
    expect(explainDatabase(config, error).fix).toContain(fix);
  });
});
