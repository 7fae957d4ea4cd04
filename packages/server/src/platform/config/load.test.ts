import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cores } from '../cores.ts';
import { isFromFirstStart, planFirstEnvironment, readEnvironment, writeFirstEnvironment } from './env-file.ts';
import { type ConfigError, type Environment, loadConfig } from './load.ts';

const REQUIRED = { JWT_SECRET: 'x1y2z3a4b5c6d7e8f9g0'.repeat(2), PUBLIC_BASE_URL: 'https://id.example.com' };
const load = (environment: Environment = {}) => loadConfig({ ...REQUIRED, ...environment });
const faults = (environment: Environment): readonly string[] => {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

describe('settings', () => {
  it('the configuration has the documented defaults', () => {
    expect(load()).toMatchObject({
      NODE_ENV: 'development',
      PORT: 8080,
      HOST: '127.0.0.1',
      ROUTE_PREFIX: '/v1',
      DATA_DIR: './data',
      ACCESS_TOKEN_TTL: 900,
      REFRESH_TOKEN_TTL: 30 * 86400,
      SESSION_MAX_AGE: 90 * 86400,
      REFRESH_GRACE_SECONDS: 0,
      SECURE_COOKIES: true,
      REGISTRATION: 'open',
      TIER: 'free',
      WORKERS: 1,
      LIMIT_PASSWORD_PER_ADDRESS: { count: 20, window: 900 },
      LIMIT_PASSWORD_PER_ACCOUNT: { count: 200, window: 3600 },
      LIMIT_REGISTRATION_PER_ADDRESS: { count: 5000, window: 3600 },
      TRUST_PROXY: undefined,
      FAILURES_PER_ADDRESS: 600,
      CORS_ORIGINS: [],
    });
    expect(load({ PUBLIC_BASE_URL: 'http://localhost:8080' }).SECURE_COOKIES).toBe(false);
  });

  it('reports DATABASE_URL if an unescaped character of its password ends the host name too early, without showing the password', () => {
    for (const password of ['/abcdefSECRET', '12/SECRET', '12#SECRET', '12?SECRET']) {
      const [fault] = faults({ ...REQUIRED, DATABASE_URL: `postgresql://gatehouse:${password}@127.0.0.1/gatehouse` });
      expect(fault).toContain('DATABASE_URL');
      expect(fault).toContain('%2F');
      expect(fault).not.toContain('SECRET');
    }
    expect(load({ DATABASE_URL: 'postgresql://a:b%40c@db.internal/gatehouse' }).DATABASE_URL).toContain('db.internal');
  });

  it('lists every fault at once, by name, with the remedy and without the value', () => {
    const found = faults({
      JWT_SECRET: 'hunter2',
      PORT: 'eighty',
      ROUTE_PREFIX: 'v1',
      CORS_ORIGINS: 'https://a.example/path',
      TRUST_PROXY: 'nonsense',
      LIMIT_TOTP: 'many',
      ACCESS_TOKEN_TTL: '1 hour',
      CONFIG_ENCRYPTION_KEY: 'short',
      DATABASE_URL: 'mysql://hunter2@x',
    });
    expect(found.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      'ACCESS_TOKEN_TTL',
      'CONFIG_ENCRYPTION_KEY',
      'CORS_ORIGINS',
      'DATABASE_URL',
      'JWT_SECRET',
      'LIMIT_TOTP',
      'PORT',
      'PUBLIC_BASE_URL',
      'ROUTE_PREFIX',
      'TRUST_PROXY',
    ]);
    expect(found.join()).not.toContain('hunter2');
    expect(found.find((fault) => fault.startsWith('JWT_SECRET'))).toContain('openssl rand');
  });

  it('treats an empty variable as unset', () => {
    expect(load({ PORT: '', DATABASE_URL: '', TIER: ' ' })).toMatchObject({
      PORT: 8080,
      DATABASE_URL: undefined,
      TIER: 'free',
    });
    expect(faults({ ...REQUIRED, JWT_SECRET: '' })).toHaveLength(1);
  });

  it('rejects a weak secret in production', () => {
    const weak = { ...REQUIRED, JWT_SECRET: 'a'.repeat(40) };
    expect(faults({ ...weak, NODE_ENV: 'production' })).toHaveLength(1);
    expect(faults(weak)).toHaveLength(0);
  });

  it.each([
    ['PUBLIC_BASE_URL', 'https://id.example.com/', 'https://id.example.com'],
    ['ROUTE_PREFIX', '/api/id/', '/api/id'],
    ['PASSKEY_RP_ID', 'Example.com', 'example.com'],
    ['PASSKEY_RP_ID', 'id.example.com', 'id.example.com'],
    ['PASSKEY_ORIGINS', 'https://login.example.org/', ['https://login.example.org']],
    ['ACCESS_TOKEN_TTL', '5m', 300],
    ['REFRESH_TOKEN_TTL', '7d', 604800],
    ['SECURE_COOKIES', 'off', false],
    ['LIMIT_TOTP', '3/30s', { count: 3, window: 30 }],
    ['AUDIT_EXPORT_KEY', 'key with spaces', 'key with spaces'],
    ['METRICS_TOKEN', 'short', 'short'],
    ['SIGNING_KEY_MAX_AGE', '30d', 2_592_000],
    ['SIGNING_KEY_MAX_AGE', 'never', Number.POSITIVE_INFINITY],
    ['CONFIG_ENCRYPTION_KEY', `${'0f'.repeat(31)}1e`, Buffer.from(`${'0f'.repeat(31)}1e`, 'hex')],
    ['TRUST_PROXY', '10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['TRUST_PROXY', 'none', []],
    ['FAILURES_PER_ADDRESS', '0', 0],
    ['WORKERS', '4', 4],
    ['WORKERS', 'auto', Math.min(cores(), 64)],
  ])('parses %s=%s', (name, given, expected) => {
    expect(load({ [name]: given })[name as 'PORT']).toEqual(expected);
  });

  it('FAILURES_PER_ADDRESS defaults to 0 in production if TRUST_PROXY is unset', () => {
    const failures = (given: Record<string, string>) =>
      load({ NODE_ENV: 'production', JWT_SECRET: 'Zk3-9fQ_u7Rz2Lw8Xv5Bn1Tc6Yh4Jd0Ms', ...given }).FAILURES_PER_ADDRESS;
    expect(failures({})).toBe(0);
    expect(failures({ TRUST_PROXY: 'none' })).toBe(600);
    expect(failures({ TRUST_PROXY: '10.0.0.5' })).toBe(600);
    expect(failures({ FAILURES_PER_ADDRESS: '50' })).toBe(50);
    expect(failures({ NODE_ENV: 'development' })).toBe(600);
  });

  it('rejects a previous key that equals the current one in any encoding', () => {
    const key = Buffer.from(`${'0f'.repeat(31)}1e`, 'hex');
    const [hex, base64] = [key.toString('hex'), key.toString('base64')];
    expect(faults({ ...REQUIRED, CONFIG_ENCRYPTION_KEY: hex, CONFIG_ENCRYPTION_KEY_PREVIOUS: base64 })).toEqual([
      'CONFIG_ENCRYPTION_KEY_PREVIOUS equals CONFIG_ENCRYPTION_KEY. Set it to the old key, or unset it.',
    ]);
    const other = `${'0f'.repeat(31)}1d`;
    expect(faults({ ...REQUIRED, CONFIG_ENCRYPTION_KEY: hex, CONFIG_ENCRYPTION_KEY_PREVIOUS: other })).toEqual([]);
    expect(faults({ ...REQUIRED, CONFIG_ENCRYPTION_KEY_PREVIOUS: hex })).toEqual([]);
  });

  it.each([
    ['PUBLIC_BASE_URL', 'https://id.example.com/path'],
    ['PUBLIC_BASE_URL', 'https://user@id.example.com'],
    ['PUBLIC_BASE_URL', 'ftp://id.example.com'],
    ['PUBLIC_BASE_URL', 'id.example.com'],
    ['PASSKEY_RP_ID', 'https://example.com'],
    ['PASSKEY_RP_ID', 'com'],
    ['PASSKEY_RP_ID', 'example.org'],
    ['PASSKEY_RP_ID', 'ample.com'],
    ['PASSKEY_RP_ID', 'login.id.example.com'],
    ['PASSKEY_ORIGINS', 'http://login.example.org'],
    ['PASSKEY_ORIGINS', Array.from({ length: 21 }, (_, index) => `https://${index}.example.org`).join()],
    ['ROUTE_PREFIX', '/'],
    ['ROUTE_PREFIX', '/docs'],
    ['ROUTE_PREFIX', '/a/../b'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '1e3'],
    ['TIER', 'gold'],
    ['WORKERS', '0'],
    ['WORKERS', '65'],
    ['WORKERS', 'many'],
    ['JWT_SECRET_PREVIOUS', REQUIRED.JWT_SECRET],
    ['SESSION_MAX_AGE', '10m'],
    ['METRICS_TOKEN', 'two words'],
    ['METRICS_TOKEN', 'größe'],
  ])('rejects %s=%s', (name, given) => {
    expect(faults({ ...REQUIRED, [name]: given })).toHaveLength(1);
  });
});

describe('.env', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gh-env-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const writeFirst = (environment: Environment): string | undefined => {
    const first = planFirstEnvironment(folder, environment);
    if (first) writeFirstEnvironment(first);
    return first?.file;
  };

  it('the first start writes new secrets with mode 0600', () => {
    const first = planFirstEnvironment(folder, { PORT: '9000' })!;
    const planned = loadConfig(readEnvironment(folder, {}, first));
    writeFirstEnvironment(first);
    expect(statSync(first.file).mode & 0o777).toBe(0o600);
    const config = loadConfig(readEnvironment(folder, {}));
    expect(config).toEqual(planned);
    expect(config).toMatchObject({ PORT: 9000, PUBLIC_BASE_URL: 'http://localhost:9000' });
    expect(config.CONFIG_ENCRYPTION_KEY).toHaveLength(32);
    expect(() => writeFirstEnvironment({ ...first, text: 'another' })).toThrow('EEXIST');
    expect(planFirstEnvironment(folder, {})).toBeUndefined();
    expect(readFileSync(first.file, 'utf8')).toBe(first.text);
  });

  it.each(['production', ' production', 'production\t'])(
    'the first start writes no .env in production: %j',
    (NODE_ENV) => {
      expect(planFirstEnvironment(folder, { NODE_ENV })).toBeUndefined();
    },
  );

  it('the first start generates no secret or key if JWT_SECRET is given', () => {
    expect(planFirstEnvironment(folder, { JWT_SECRET: REQUIRED.JWT_SECRET })!.text).not.toMatch(/SECRET|KEY/);
  });

  it('is recognized as written by a first start while its secret is active', () => {
    expect(isFromFirstStart(folder, {})).toBe(false);
    writeFirst({});
    expect(isFromFirstStart(folder, {})).toBe(true);
    expect(isFromFirstStart(folder, { JWT_SECRET: 'of the environment' })).toBe(false);
    writeFileSync(join(folder, '.env'), 'JWT_SECRET=written by hand\n');
    expect(isFromFirstStart(folder, {})).toBe(false);
  });

  it('the first start ignores an invalid PORT', () => {
    for (const PORT of ['abc', '99999', '0']) {
      const file = writeFirst({ PORT })!;
      expect(readFileSync(file, 'utf8')).toContain('PUBLIC_BASE_URL=http://localhost:8080\n');
      expect(loadConfig(readEnvironment(folder, {})).PORT).toBe(8080);
      rmSync(file);
    }
  });

  it('is not written in production, nor if nothing is missing', () => {
    expect(writeFirst({ NODE_ENV: 'production' })).toBeUndefined();
    expect(writeFirst(REQUIRED)).toBeUndefined();
  });

  it('in development, PORT of the environment replaces the port of the generated address, and of no other', () => {
    const first = readFileSync(writeFirst({})!, 'utf8').split('\n')[0]!;
    const addressOf = (written: string, environment: Environment, heading = first) => {
      writeFileSync(join(folder, '.env'), `${heading}\n${written}`);
      return readEnvironment(folder, environment).PUBLIC_BASE_URL;
    };
    const local = 'PUBLIC_BASE_URL=http://localhost:8080\n';
    expect(addressOf(local, { PORT: '9000' }, '# by hand')).toBe('http://localhost:8080');
    expect(addressOf('PUBLIC_BASE_URL=http://localhost:3000\n', { PORT: '9000' })).toBe('http://localhost:3000');
    expect(addressOf('PORT=7000\nPUBLIC_BASE_URL=http://localhost:7000\n', { PORT: '9000' })).toBe(
      'http://localhost:9000',
    );
    expect(addressOf(local, { PORT: '9000' })).toBe('http://localhost:9000');
    expect(addressOf(local, {})).toBe('http://localhost:8080');
    expect(addressOf(`${local}PORT=9000\n`, {})).toBe('http://localhost:8080');
    for (const PORT of ['', '0', 'eighty']) expect(addressOf(local, { PORT })).toBe('http://localhost:8080');
    expect(addressOf(local, { PORT: '9000', NODE_ENV: 'production' })).toBe('http://localhost:8080');
    expect(addressOf(`${local}NODE_ENV=production\n`, { PORT: '9000' })).toBe('http://localhost:8080');
    expect(addressOf(local, { PORT: '9000', PUBLIC_BASE_URL: 'http://localhost:7000' })).toBe('http://localhost:7000');
    const elsewhere = 'https://id.example.com';
    expect(addressOf(`PUBLIC_BASE_URL=${elsewhere}\n`, { PORT: '9000' })).toBe(elsewhere);
  });

  it('a byte order mark in .env is ignored', () => {
    writeFileSync(join(folder, '.env'), '\uFEFFPORT=9000\n');
    expect(readEnvironment(folder, {})).toEqual({ PORT: '9000' });
  });

  it('a variable of the environment takes precedence over .env, even if it is empty', () => {
    writeFileSync(join(folder, '.env'), 'PORT=9000\nTIER=premium\n');
    expect(readEnvironment(folder, { PORT: '9001', TIER: '' })).toMatchObject({ PORT: '9001', TIER: '' });
  });
});
