import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { startTestApp } from '../../../test/harness.ts';
import { keepEnvironment } from './first-environment.ts';

let used: TestDatabase;
let imported: TestDatabase;
let unused: TestDatabase;
beforeAll(async () => {
  used = await createTestDatabase();
  unused = await createTestDatabase();
  await unused.db.deleteFrom('signing_keys').execute();
  imported = await createTestDatabase();
  const app = await startTestApp({ database: imported });
  await registerUser(app);
  await app.close();
  await imported.db.deleteFrom('signing_keys').execute();
});
afterAll(async () => {
  await used.close();
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

it('is written for its owner alone, where no secret was used before', async () => {
  await keepEnvironment(unused.db, { file, text });
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('is not written over a database that was used with another secret, or that people were imported into', async () => {
  for (const { db } of [used, imported]) {
    await expect(keepEnvironment(db, { file, text })).rejects.toThrow('this database was used with one');
    expect(() => statSync(file)).toThrow('ENOENT');
  }
});

it('what another program keeps there under the same names is none of its business', async () => {
  const theirs = await createTestDatabase({ empty: true });
  await sql`create table users as select 1 as id`.execute(theirs.db);
  await keepEnvironment(theirs.db, { file, text });
  expect(readFileSync(file, 'utf8')).toBe(text);
  await theirs.close();
});

it('is not written over one that was made meanwhile', async () => {
  writeFileSync(file, 'JWT_SECRET=theirs\n');
  await expect(keepEnvironment(unused.db, { file, text })).rejects.toThrow('Another process created .env');
  expect(readFileSync(file, 'utf8')).toBe('JWT_SECRET=theirs\n');
});

it('is not written through a link that leads nowhere', async () => {
  symlinkSync(join(folder, 'gone'), file);
  await expect(keepEnvironment(unused.db, { file, text })).rejects.toThrow('remove the link');
  expect(() => statSync(join(folder, 'gone'))).toThrow('ENOENT');
});

it('a folder that takes no file is one sentence', async () => {
  const nowhere = { file: join(folder, 'gone', '.env'), text };
  await expect(keepEnvironment(unused.db, nowhere)).rejects.toThrow('.env cannot be written here (ENOENT)');
});
