import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import { createTestDatabase, type TestDatabase, useTestDatabase } from '../../../test/database.ts';
import { startTestApp } from '../../../test/harness.ts';
import { keepEnvironment } from './first-environment.ts';

const used = useTestDatabase();
let imported: TestDatabase;
let unused: TestDatabase;
beforeAll(async () => {
  unused = await createTestDatabase();
  await unused.db.deleteFrom('signing_keys').execute();
  imported = await createTestDatabase();
  const app = await startTestApp({ database: imported });
  await registerUser(app);
  await app.close();
  await imported.db.deleteFrom('signing_keys').execute();
});
afterAll(async () => {
  await imported.close();
  await unused.close();
});

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-first-'));
  file = join(folder, '.env');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = 'JWT_SECRET=fresh\n';

it('.env is written with mode 0600 if the database was never used with a secret', async () => {
  await keepEnvironment(unused.db, { file, text });
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('.env is not written for a database that was used with another secret or contains imported users', async () => {
  for (const { db } of [used, imported]) {
    await expect(keepEnvironment(db, { file, text })).rejects.toThrow('this database was used with one');
    expect(() => statSync(file)).toThrow('ENOENT');
  }
});

it('.env is written although another program has tables with names that Gatehouse uses', async () => {
  const foreignDatabase = await createTestDatabase({ empty: true });
  await sql`create table users as select 1 as id`.execute(foreignDatabase.db);
  await keepEnvironment(foreignDatabase.db, { file, text });
  expect(readFileSync(file, 'utf8')).toBe(text);
  await foreignDatabase.close();
});

it('a .env that was created while the first start ran is not overwritten', async () => {
  writeFileSync(file, 'JWT_SECRET=theirs\n');
  await expect(keepEnvironment(unused.db, { file, text })).rejects.toThrow('Another process created .env');
  expect(readFileSync(file, 'utf8')).toBe('JWT_SECRET=theirs\n');
});

it('.env is not written through a dangling link', async () => {
  symlinkSync(join(folder, 'gone'), file);
  await expect(keepEnvironment(unused.db, { file, text })).rejects.toThrow('remove the link');
  expect(() => statSync(join(folder, 'gone'))).toThrow('ENOENT');
});

it('a folder in which .env cannot be written is reported in one sentence', async () => {
  const nowhere = { file: join(folder, 'gone', '.env'), text };
  await expect(keepEnvironment(unused.db, nowhere)).rejects.toThrow('.env cannot be written here (ENOENT)');
});
