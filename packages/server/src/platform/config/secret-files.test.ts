import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { planFirstEnvironment } from './env-file.ts';
import { loadConfig } from './load.ts';

const SECRET = 'x1y2z3a4b5c6d7e8f9g0'.repeat(2);
const PLACE = { PUBLIC_BASE_URL: 'https://id.example.com' };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-secret-files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileWith = (text: string): string => {
  const file = join(folder, 'secret');
  writeFileSync(file, text);
  return file;
};

describe('secrets from files', () => {
  it.each([
    ['without its last newline', `${SECRET}\n`],
    ['without its last newline of Windows', `${SECRET}\r\n`],
    ['as it is', SECRET],
  ])('reads JWT_SECRET_FILE %s', (_, text) => {
    expect(loadConfig({ ...PLACE, JWT_SECRET: '', JWT_SECRET_FILE: fileWith(text) }).JWT_SECRET).toBe(SECRET);
  });

  it.each([
    ['both are set', { JWT_SECRET: SECRET }, 'JWT_SECRET and JWT_SECRET_FILE are both set'],
    ['the file does not exist', { JWT_SECRET_FILE: '/does/not/exist' }, 'JWT_SECRET_FILE cannot be read (ENOENT)'],
    ['the value is empty', { JWT_SECRET_FILE: ' ' }, 'JWT_SECRET is missing'],
  ])('rejects the setting if %s', (_, given, message) => {
    const environment = { ...PLACE, JWT_SECRET_FILE: fileWith(`${SECRET}\n`), ...given };
    expect(() => loadConfig(environment)).toThrow(message);
  });

  it.each([` ${SECRET}`, `${SECRET}\n`, `${SECRET}\t`])(
    'rejects the secret %j with white space at an end',
    (secret) => {
      expect(() => loadConfig({ ...PLACE, JWT_SECRET: secret })).toThrow(
        'JWT_SECRET must not begin or end with white space',
      );
    },
  );

  it('the first start writes no value for a secret that has a file', () => {
    const planned = planFirstEnvironment(folder, { JWT_SECRET_FILE: '/run/secrets/jwt' });
    expect(planned!.text).toContain('PUBLIC_BASE_URL=');
    expect(planned!.text).not.toMatch(/JWT_SECRET|CONFIG_ENCRYPTION_KEY/);
  });
});
