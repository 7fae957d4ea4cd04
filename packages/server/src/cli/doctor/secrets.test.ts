import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { configOf, NEW_KEY } from '../../domain/provider-settings/rows-fixture.ts';
import type { Environment } from '../../platform/config/load.ts';
import { examineSecrets } from './secrets.ts';
import { areWeakBytes, weaknessOf } from './strength.ts';

const GOOD = randomBytes(48).toString('base64');
const KEY = randomBytes(32).toString('base64');

const examine = (environment: Environment, fromFirstStart = false) => {
  const given = { JWT_SECRET: GOOD, ...environment };
  const findings = examineSecrets({ config: configOf(given), environment: given, fromFirstStart });
  for (const [name, value] of Object.entries(given)) {
    if (/SECRET|KEY|URL/.test(name) && value) expect(JSON.stringify(findings)).not.toContain(value);
  }
  return findings;
};

describe('doctor: strength of secrets', () => {
  it.each<[string, () => string]>([
    ['openssl rand -base64 48', () => randomBytes(48).toString('base64')],
    ['openssl rand -base64 32', () => randomBytes(32).toString('base64')],
    ['openssl rand -hex 32', () => randomBytes(32).toString('hex')],
    ['openssl rand -hex 16', () => randomBytes(16).toString('hex')],
    ['base64url of the first start', () => randomBytes(48).toString('base64url')],
    ['a UUID', randomUUID],
  ])('accepts every output of %s', (_, draw) => {
    expect(Array.from({ length: 200 }, draw).filter((secret) => weaknessOf(secret))).toEqual([]);
  });

  it('accepts a long sentence', () => {
    expect(weaknessOf('correct horse battery staple and a few more of them to be quite sure')).toBeUndefined();
  });

  it.each([
    ['changeme'.repeat(5), 'repeats'],
    ['0123456789abcdef0123456789abcdef', 'repeats'],
    ['abcabcabcabcabcabcabcabcabcabcabca', 'repeats'],
    ['your-super-secret-jwt-key-change-this-in-production', 'placeholder'],
    ['PleaseReplaceThisWithARandomString1234', 'placeholder'],
    ['development-secret-do-not-use-in-production', 'placeholder'],
    ['super-secret-jwt-token-with-at-least-32-characters-long', 'placeholder'],
    ['use-a-minimum-of-32-characters-for-this-key-in-production', 'placeholder'],
    ['abcdefghijklmnopqrstuvwxyz0123456789', 'few'],
    ['qwertyuiopasdfghjklzxcvbnm1234567890', 'few'],
    ['the-quick-brown-fox-jumps-over-lazy-dogs', 'words'],
    ['it was a dark and stormy night.', 'words'],
    ['our office is on the 3rd floor, left', 'words'],
    ['my-cat-is-called-felix2-and-is-grey', 'words'],
    ['welcome to acme corp id service v2', 'words'],
  ])('reports the weakness of "%s": %s', (secret, weakness) => expect(weaknessOf(secret)).toBe(weakness));

  it('rejects a key that looks typed instead of random, or has few distinct bytes', () => {
    expect(Array.from({ length: 1000 }, () => randomBytes(32)).filter(areWeakBytes)).toEqual([]);
    expect(areWeakBytes(Buffer.from('a key of 32 letters, not a byte!'))).toBe(true);
    expect(areWeakBytes(Buffer.from(`${'0f'.repeat(31)}1e`, 'hex'))).toBe(true);
  });
});

describe('doctor: secrets', () => {
  it('is ok for random secrets', () => {
    const all = { CONFIG_ENCRYPTION_KEY: KEY, AUDIT_EXPORT_KEY: randomBytes(32).toString('hex') };
    expect(examine(all)).toMatchObject([{ check: 'secrets', status: 'ok' }]);
  });

  it('fails for a weak JWT_SECRET in production', () => {
    const JWT_SECRET = 'please-change-this-secret-before-production';
    expect(examine({ JWT_SECRET })).toMatchObject([{ check: 'JWT_SECRET', status: 'warning' }]);
    const [finding] = examine({ JWT_SECRET, NODE_ENV: 'production' });
    expect(finding).toMatchObject({ check: 'JWT_SECRET', status: 'failed' });
    expect(finding!.fix).toContain('keys rewrap');
  });

  it('does not check the placeholder that is used while JWT_SECRET is not set', () => {
    const config = configOf({ JWT_SECRET: 'stands in for a secret that is missing' });
    expect(examineSecrets({ config, environment: {}, fromFirstStart: false })).toMatchObject([{ status: 'ok' }]);
  });

  it('warns about a weak key in settings other than JWT_SECRET', () => {
    expect(examine({ CONFIG_ENCRYPTION_KEY: NEW_KEY })).toMatchObject([
      { check: 'CONFIG_ENCRYPTION_KEY', status: 'warning', fix: expect.stringContaining('config-key rotate') },
    ]);
    expect(examine({ AUDIT_EXPORT_KEY: 'a key' })).toMatchObject([{ check: 'AUDIT_EXPORT_KEY', status: 'warning' }]);
    expect(examine({ METRICS_TOKEN: 'metrics' })).toMatchObject([{ check: 'METRICS_TOKEN', status: 'warning' }]);
  });

  it('warns about an open /metrics in production', () => {
    const open = { JWT_SECRET: GOOD, NODE_ENV: 'production' };
    expect(examine(open)).toMatchObject([
      { check: 'METRICS_TOKEN', status: 'warning', detail: expect.stringContaining('/metrics') },
    ]);
    const METRICS_TOKEN = randomBytes(32).toString('hex');
    expect(examine({ ...open, METRICS_TOKEN })).toMatchObject([{ check: 'secrets', status: 'ok' }]);
  });

  it('warns about the same secret in two settings, however it is encoded', () => {
    const AUDIT_EXPORT_KEY = GOOD;
    expect(examine({ AUDIT_EXPORT_KEY })).toMatchObject([
      { check: 'secrets', status: 'warning', detail: expect.stringContaining('JWT_SECRET and AUDIT_EXPORT_KEY') },
    ]);
    const shared = 'f8+/=Zq2 9wPl-77xKc';
    const url = `${encodeURIComponent(shared)}@example.com`;
    const findings = examine({ DATABASE_URL: `postgresql://u:${url}/x`, SMTP_URL: `smtp://u:${url}` });
    expect(findings[0]!.detail).toContain('the password in DATABASE_URL and the password in SMTP_URL');
    expect(JSON.stringify(findings)).not.toContain(shared);
  });

  it.each([
    ['postgresql://postgres:postgres@db.example.com/x', true],
    ['postgresql://service:service@10.0.0.7/x', true],
    ['postgresql://u:changeme@db.example.com/x', true],
    ['postgresql://postgres:postgres@localhost/x', false],
    ['postgresql://postgres:postgres@base/x?host=%2Frun%2Fpostgresql', false],
    ['postgresql://u:kR7mWq0yZ2@db.example.com/x', false],
    ['postgresql://u@db.example.com/x', false],
    ['postgresql://service:service@localhost/x', false],
    ['postgresql://service:service@localhost/x', true, 'production'],
    ['postgresql://service:service@base/x?host=%2Frun%2Fpostgresql', false, 'production'],
  ] as [string, boolean, string?][])(
    'warns about a common password in %s: %s (NODE_ENV: %s)',
    (DATABASE_URL, isUsual, NODE_ENV) => {
      const checks = examine({ DATABASE_URL, ...(NODE_ENV && { NODE_ENV }) }).map(({ check }) => check);
      expect(checks.includes('DATABASE_URL')).toBe(isUsual);
    },
  );

  it('warns in production about secrets that a development start generated', () => {
    const [finding] = examine({ NODE_ENV: 'production' }, true);
    expect(finding).toMatchObject({ check: '.env', status: 'warning' });
    expect(examine({}, true)).toMatchObject([{ status: 'ok' }]);
  });
});
