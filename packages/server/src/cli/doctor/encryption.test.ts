import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import { examineEncryption } from './encryption.ts';

const REMOTE = 'postgresql://u:hunter2@db.example.com/x';
const examine = (DATABASE_URL: string | undefined, version?: string | null, DATABASE_POOLER = 'none') => {
  const findings = examineEncryption(configOf({ DATABASE_URL, DATABASE_POOLER }), version);
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  return findings;
};

describe('doctor: encryption of the database connection', () => {
  it.each([
    undefined,
    'postgresql://u:hunter2@localhost/x',
    'postgresql://u:hunter2@127.0.0.1:6432/x',
    'postgresql://u:hunter2@base/x?host=%2Frun%2Fpostgresql',
    'postgresql://u:hunter2@%2Frun%2Fpostgresql/x',
  ])('does not check %s, which is on this machine', (url) => expect(examine(url, null)).toEqual([]));

  it('is ok if the connection uses TLS, and warns if it does not', () => {
    expect(examine(REMOTE, 'TLSv1.3')).toMatchObject([{ status: 'ok', detail: expect.stringContaining('TLSv1.3') }]);
    expect(examine(`${REMOTE}?sslmode=prefer`, null)).toMatchObject([
      { check: 'DATABASE_URL', status: 'warning', fix: expect.stringContaining('sslmode=verify-full') },
    ]);
  });

  it('sslmode decides the finding if there was no connection, or if a pooler is used', () => {
    for (const [pooler, version] of [
      ['none', undefined],
      ['transaction', 'TLSv1.3'],
      ['transaction', null],
    ] as const) {
      expect(examine(REMOTE, version, pooler)).toMatchObject([{ status: 'warning' }]);
      const status = pooler === 'none' ? 'skipped' : 'ok';
      expect(examine(`${REMOTE}?sslmode=verify-full`, version, pooler)).toMatchObject([{ status }]);
      expect(examine(`${REMOTE}?sslmode=disable`, version, pooler)).toMatchObject([{ status: 'warning' }]);
    }
  });

  it('warns if the certificate is not verified', () => {
    expect(examine(`${REMOTE}?sslmode=no-verify`, 'TLSv1.3')).toMatchObject([
      { status: 'warning', detail: expect.stringContaining('the certificate of the server is not verified') },
    ]);
  });
});
