import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../src/features/audit/audit-fixture.ts';
import { registerUser } from './browser.ts';
import { runHere } from './command-here.ts';
import { SECRET, startTestApp, type TestApp } from './harness.ts';
import { runCommand } from './process.ts';

const KEY = 'the key of the exports';

let folder: string;
let app: TestApp;
let derived: TestApp;
let admin: Reader;
let text: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-verify-'));
  app = await startTestApp({ environment: { TIER: 'premium', AUDIT_EXPORT_KEY: KEY } });
  derived = await startTestApp({ environment: { TIER: 'premium' }, database: app.database, clock: app.clock });
  admin = await createReader(app, 'admin');
  for (let users = 0; users < 3; users++) await registerUser(app);
  text = (await admin.export()).text;
});
afterAll(async () => {
  await derived.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command in a folder without a .env and with only these environment variables. */
const verify = (content: string, env: Record<string, string>) => {
  writeFileSync(join(folder, 'audit.ndjson'), content);
  return runHere(['audit', 'verify', 'audit.ndjson'], { cwd: folder, env });
};

describe('audit verify <file>', () => {
  it('exits with 0 for an unchanged export, with only the key, and prints the number of rows and their time range', async () => {
    const rows = text.split('\n').length - 2;
    const first = JSON.parse(text.split('\n')[0]!).timestamp;
    writeFileSync(join(folder, 'built.ndjson'), text);
    const place = { cwd: folder, env: { AUDIT_EXPORT_KEY: KEY } };
    const { code, stdout, stderr } = await runCommand(['audit', 'verify', 'built.ndjson'], place);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`The signature is valid (AUDIT_EXPORT_KEY): ${rows} rows, from ${first} to `);
  });

  it('exits with 1 for a changed row and prints no stack trace', async () => {
    const { code, stdout, stderr } = await verify(text.replace('"outcome":"success"', '"outcome":"failure"'), {
      AUDIT_EXPORT_KEY: KEY,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('a row was changed, or the file was signed with another key than AUDIT_EXPORT_KEY');
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });

  it.each([
    ['cut off', () => text.slice(0, -50), /it is incomplete/],
    ['followed by more lines', () => text + text.split('\n')[0], /the lines after it were added/],
    ['missing a line', () => text.slice(text.indexOf('\n') + 1), /1 of \d+ rows are missing/],
  ])('exits with 1 for a file that is %s', async (_name, change, sentence) => {
    const { code, stderr } = await verify(change(), { AUDIT_EXPORT_KEY: KEY });
    expect(code).toBe(1);
    expect(stderr).toMatch(sentence);
  });

  it('exits with 1 for another key, also if the key derived from JWT_SECRET would match', async () => {
    const signed = await exportOf(derived);
    expect((await verify(signed, { AUDIT_EXPORT_KEY: 'another', JWT_SECRET: SECRET })).code).toBe(1);
    expect((await verify(text, { JWT_SECRET: SECRET })).code).toBe(1);
  });

  it('uses JWT_SECRET or JWT_SECRET_PREVIOUS if AUDIT_EXPORT_KEY is not set', async () => {
    const signed = await exportOf(derived);
    const now = await verify(signed, { JWT_SECRET: SECRET });
    expect(now).toMatchObject({ code: 0, stdout: expect.stringContaining('(JWT_SECRET)') });
    const later = await verify(signed, { JWT_SECRET: `${SECRET} new`, JWT_SECRET_PREVIOUS: SECRET });
    expect(later).toMatchObject({ code: 0, stdout: expect.stringContaining('(JWT_SECRET_PREVIOUS)') });
  });

  it('exits with 1 without any key and for a file that cannot be read', async () => {
    const keyless = await verify(text, {});
    expect(keyless.code).toBe(1);
    expect(keyless.stderr).toContain('Set AUDIT_EXPORT_KEY');
    for (const path of ['nowhere.ndjson', '.']) {
      const place = { cwd: folder, env: { JWT_SECRET: SECRET } };
      const { code, stderr } = await runHere(['audit', 'verify', path], place);
      expect(code).toBe(1);
      expect(stderr).toMatch(/cannot be read \((ENOENT|EISDIR)\)/);
    }
  });

  const exportOf = async (place: TestApp): Promise<string> => {
    const answer = await place.server.inject({
      url: '/v1/admin/audit-export',
      headers: { authorization: `Bearer ${admin.access_token}` },
    });
    return answer.body;
  };
});
