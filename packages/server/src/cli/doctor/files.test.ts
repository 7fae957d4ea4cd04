import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import { examineFiles } from './files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const make = (name: string, mode: number) => {
  writeFileSync(join(folder, name), '');
  chmodSync(join(folder, name), mode);
};
const makeFolder = (name: string, mode: number) => {
  mkdirSync(join(folder, name));
  chmodSync(join(folder, name), mode);
};
const examine = (environment = {}) =>
  examineFiles(configOf({ DATA_DIR: join(folder, 'data'), ...environment }), folder);

describe('doctor: file permissions', () => {
  it('is ok if only the owner has access', async () => {
    make('.env', 0o600);
    makeFolder('data', 0o700);
    make('data/postgres.password', 0o600);
    expect(await examine()).toMatchObject([{ check: 'files', status: 'ok' }]);
  });

  it.skipIf(process.getuid?.() !== 0)('accepts a .env of root that one group may read', async () => {
    make('.env', 0o640);
    chownSync(join(folder, '.env'), 0, 12_345);
    expect(await examine()).toMatchObject([{ check: 'files', status: 'ok' }]);
    for (const mode of [0o660, 0o644]) {
      chmodSync(join(folder, '.env'), mode);
      const path = join(folder, '.env');
      expect(await examine()).toMatchObject([{ status: 'warning', fix: `Run: chmod g-w,o-rwx ${path}` }]);
    }
  });

  it.each([0o640, 0o604, 0o620, 0o644])('warns about .env with mode %o', async (mode) => {
    make('.env', mode);
    const path = join(folder, '.env');
    expect(await examine()).toMatchObject([
      { check: 'files', status: 'warning', detail: expect.stringContaining(path), fix: `Run: chmod go-rw ${path}` },
    ]);
  });

  it('warns if group or others can read the data folder, the database password or the mail folder', async () => {
    makeFolder('data', 0o755);
    make('data/postgres.password', 0o644);
    makeFolder('data/mail', 0o750);
    expect((await examine()).map(({ status }) => status)).toEqual(['warning', 'warning', 'warning']);
  });

  it('accepts a data folder that its group can pass through but not list, as the system user of PostgreSQL needs it', async () => {
    makeFolder('data', 0o710);
    expect(await examine()).toMatchObject([{ status: 'ok' }]);
  });

  it('does not check DATA_DIR in production with an external database', async () => {
    makeFolder('data', 0o755);
    expect(await examine({ NODE_ENV: 'production', DATABASE_URL: 'postgresql://db.example.com/x' })).toEqual([]);
  });

  it('quotes a path with spaces in the remedy', async () => {
    make('.env', 0o600);
    makeFolder("it's data", 0o777);
    const [finding] = await examine({ DATA_DIR: join(folder, "it's data") });
    expect(finding?.fix).toContain(`'${join(folder, "it'\\''s data")}'`);
  });
});
