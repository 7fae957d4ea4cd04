import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from './env-file.ts';
import { listOddities } from './env-oddities.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-env-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (...lines: string[]) => {
  writeFileSync(join(folder, '.env'), `${lines.join('\n')}\n`);
  return { values: readEnvironment(folder, {}), said: listOddities(folder).map(({ detail }) => detail) };
};

describe('lines of .env that are probably not parsed as meant', () => {
  it('reports nothing without a file and for a valid one', () => {
    expect(listOddities(join(folder, 'nowhere'))).toEqual([]);
    const { said } = read(
      '\uFEFF# a comment # and more',
      'PORT=9000',
      'TIER=premium # for the audit trail',
      'export SMTP_URL="smtp://id:a#b@mail.example.com"',
      "JWT_SECRET='#0123456789abcdef0123456789abcdef'",
      'AUDIT_EXPORT_KEY=',
      'EMAIL_FROM=\'"Sign-in" <id@example.com>\'',
      'HOST=#',
      "ROUTE_PREFIX='PORT=1'",
      "DEFAULT_LOCALE='a'",
      'DEFAULT_LOCALE="\'b\'"  # twice',
      'CORS_ORIGINS="https://a.example.com"# ours',
      'OAUTH_B_CLIENT_SECRET="one\\n#two"',
      'OAUTH_A_CLIENT_SECRET="one',
      'two"',
    );
    expect(said).toEqual([]);
  });

  it('reports an unknown name', () => {
    expect(read('PORT=9000', 'PROT=1').said).toEqual(['PROT is not a setting of Gatehouse and is ignored']);
  });

  it('reports a value that begins with # and is treated as a comment', () => {
    const { values, said } = read('JWT_SECRET=#0123456789abcdef', 'HOST= # where it listens', 'PORT=9000');
    expect(values).toEqual({ JWT_SECRET: '', HOST: '', PORT: '9000' });
    expect(said).toEqual([expect.stringContaining('JWT_SECRET ends before its #')]);
  });

  it.each(['SMTP_URL=smtp://id:a#b@mail.example.com', '  export SMTP_URL = smtp://id:a#b@mail.example.com # ours'])(
    'reports a value that ends before a # within it: %s',
    (line) => {
      const { values, said } = read('PORT=9000', line);
      expect(values).toEqual({ PORT: '9000', SMTP_URL: 'smtp://id:a' });
      expect(said).toEqual([expect.stringContaining('SMTP_URL ends before its #')]);
    },
  );

  it('ignores # inside of quotation marks', () => {
    const { values, said } = read('EMAIL_FROM="one', 'two=a#b', '"', 'PORT=9000');
    expect(values).toEqual({ EMAIL_FROM: 'one\ntwo=a#b\n', PORT: '9000' });
    expect(said).toEqual([]);
  });

  it.each(['"', "'", '`'])('reports a quotation mark %s that is never closed', (mark) => {
    const { values, said } = read(`EMAIL_FROM=${mark}id@example.com`, 'PORT=9000');
    expect(values).toEqual({ EMAIL_FROM: `${mark}id@example.com`, PORT: '9000' });
    expect(said).toEqual([expect.stringContaining('quotation mark of EMAIL_FROM has no closing one')]);
  });

  it.each([
    ['"Sign-in" <id@example.com>', 'Sign-in'],
    ['"\\"Sign-in\\" <id@example.com>"', '\\'],
    ['"Sign-in""id@example.com"', 'Sign-in'],
  ])('reports a value that continues after its closing quotation mark: %s', (value, taken) => {
    const { values, said } = read(`EMAIL_FROM=${value}`);
    expect(values).toEqual({ EMAIL_FROM: taken });
    expect(said).toEqual([expect.stringContaining('EMAIL_FROM ends at its second quotation mark')]);
  });

  it.each(['bLx7Kd2Zq9TtYw3RrUu1Pp==', 'JBSWY3DPEHPK3PXP====', 'jbswy3dpehpk3pxp='])(
    'reports a line that is the rest of a broken secret without quoting it: %s',
    (rest) => {
      const { said } = read('JWT_SECRET=PkJ0bFqGJmq2cRkqk0QeV0vH9m', rest);
      expect(said).toEqual([expect.stringContaining('a line is not a setting')]);
      expect(said.join()).not.toContain(rest.slice(0, 4));
    },
  );

  it('parses lines with CRLF', () => {
    expect(read('PORT=9000\r', 'SMTP_URL="smtp://a"\r', 'HOST=a#b\r').said).toEqual([
      expect.stringContaining('HOST ends before its #'),
    ]);
  });

  it('reports a quotation mark that a comment closes', () => {
    const { values, said } = read('JWT_SECRET="0123456789abcdef', '# the "public" address', 'PORT=9000');
    expect(values.JWT_SECRET).toBe('0123456789abcdef\n# the ');
    expect(said).toEqual([expect.stringContaining('quotation mark of JWT_SECRET has no closing one')]);
  });

  it('reports a quotation mark that the next setting closes', () => {
    const { values, said } = read('JWT_SECRET="0123456789abcdef', 'PORT="9000"', 'HOST=::1');
    expect(values).toEqual({ JWT_SECRET: '0123456789abcdef\nPORT=', HOST: '::1' });
    expect(said).toEqual([expect.stringContaining('quotation mark of JWT_SECRET has no closing one')]);
  });

  it('reports a quotation mark that a later setting closes', () => {
    const { values, said } = read('EMAIL_FROM="id@example.com', 'PORT=9000', 'TIER="premium"');
    expect(values.PORT).toBeUndefined();
    expect(said).toEqual([expect.stringContaining('quotation mark of EMAIL_FROM has no closing one')]);
  });
});
