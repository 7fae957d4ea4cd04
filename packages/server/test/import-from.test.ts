import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bcryptHash, FIREBASE } from '../src/domain/accounts/hashes/hashes-fixture.ts';
import { newEmail, registerPerson } from './browser.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startTestApp } from './harness.ts';
import { SECRET } from './postgres.ts';
import { runCommand } from './process.ts';

let folder: string;
let database: TestDatabase;
let slug: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-import-from-'));
  database = await createTestDatabase();
  const app = await startTestApp({ database });
  const { organization_id } = await registerPerson(app);
  await app.close();
  const found = database.db.selectFrom('organizations').select('slug').where('id', '=', organization_id);
  slug = (await found.executeTakeFirstOrThrow()).slug;
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runCommand(['import', ...args], {
    cwd: folder,
    env: { DATABASE_URL: database.url, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080' },
  });
const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return name;
};
const countUsers = async () => (await database.db.selectFrom('users').select('id').execute()).length;

describe('import --from, on the command line', () => {
  it('judges, brings along, and a second time finds everybody here', async () => {
    const [ada, grace] = [newEmail(), newEmail()];
    const passwordHash = await bcryptHash('x');
    const lines = [{ email: ada, passwordHash }, { email: grace, blocked: true }, { email: 'nobody' }, { email: ada }];
    const file = write('users.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
    const before = await countUsers();

    const dry = await run('--from', 'auth0', file, '--dry-run', '--report', 'report.ndjson');
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stdout).toContain('4 read, 2 would be brought along, each as owner of an organization of their own');
    expect(dry.stdout).toMatch(/1 {2}bcrypt, cost 4\n/);
    expect(dry.stdout).toMatch(/1 {2}of them disabled/);
    expect(dry.stdout).toContain('2 would be skipped');
    expect(dry.stdout).toContain('line 3 nobody');
    expect(dry.stdout).toContain('Nothing was written.');
    expect(dry.stdout + dry.stderr).not.toContain(passwordHash);
    expect(await countUsers()).toBe(before);
    const report = join(folder, 'report.ndjson');
    expect(statSync(report).mode & 0o777).toBe(0o600);
    const told = readFileSync(report, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told).toMatchObject([
      { at: 'line 1', outcome: 'brought_along', email: ada, hash: 'bcrypt, cost 4' },
      { at: 'line 2', outcome: 'brought_along', email: grace, status: 'disabled' },
      { at: 'line 3', outcome: 'skipped', reason: 'invalid_email' },
      { at: 'line 4', outcome: 'skipped', reason: 'duplicate' },
    ]);

    const real = await run('--from', 'auth0', file, '--organization', slug, '--role', 'admin');
    expect(real).toMatchObject({ code: 0 });
    expect(real.stdout).toContain(`4 read, 2 were brought along, each as admin of ${slug}`);
    expect(await countUsers()).toBe(before + 2);

    const again = await run('--from', 'auth0', file);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('4 read, 0 were brought along');
    expect(again.stdout).toMatch(/2 {2}have an account with that email here already\n/);
    expect(await countUsers()).toBe(before + 2);
  });

  it('Firebase: the parameters are asked for, and the key is sealed anew with the others', async () => {
    const file = write('users.json', JSON.stringify({ users: [{ email: newEmail(), ...FIREBASE }] }));
    const config = write('config.json', JSON.stringify(FIREBASE.hash_config));
    const done = await run('--from', 'firebase', file, '--hash-config', config);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('firebase scrypt, 2^14, 8 rounds');
    const NEW = 'another secret that is long enough to be one';
    const command = (args: string[], secrets: Record<string, string>) =>
      runCommand(args, {
        cwd: folder,
        env: { DATABASE_URL: database.url, PUBLIC_BASE_URL: 'http://localhost:8080', ...secrets },
      });
    const examine = async (secrets: Record<string, string>) => {
      const { findings } = JSON.parse((await command(['doctor', '--json'], secrets)).stdout);
      return findings.find(({ check }: { check: string }) => check === 'imported hashes');
    };
    expect(await examine({ JWT_SECRET: NEW })).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('does not open 1 imported hash key'),
    });
    const both = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET };
    expect(await examine(both)).toMatchObject({
      status: 'warning',
      detail: '1 imported hash key still under JWT_SECRET_PREVIOUS',
    });
    const rewrapped = await command(['keys', 'rewrap'], both);
    expect(rewrapped).toMatchObject({ code: 0 });
    expect(rewrapped.stdout).toContain('1 imported hash key');
    expect(await examine({ JWT_SECRET: NEW })).toMatchObject({ status: 'ok' });
  });

  it('a file that breaks off: who came before that is here, and the end is a failure', async () => {
    const email = newEmail();
    const file = write('cut.json', `[{"email":"${email}"},{"email":"x`);
    const cut = await run('--from', 'auth0', file);
    expect(cut.code).toBe(1);
    expect(cut.stdout).toContain('1 read, 1 were brought along');
    expect(cut.stderr).toContain('cut.json cannot be read: it ends in the middle');
  });

  it.each([
    [['--from', 'auth0', 'nothing.json'], 1, 'nothing.json cannot be used: it is not there.'],
    [['--from', 'auth0', 'empty.json'], 1, 'empty.json cannot be read: it is empty.'],
    [['--from', 'auth0', 'nobody.json'], 1, 'Nobody was brought along.'],
    [
      ['--from', 'auth0', 'nobody.json', '--organization', 'no-such-one'],
      1,
      'no organization with the slug no-such-one',
    ],
    [
      ['--from', 'auth0', 'nobody.json', '--password-hashes', 'empty.json'],
      1,
      'empty.json cannot be read: it is empty.',
    ],
    [['--from', 'auth0', 'nobody.json', '--report', 'no/such/folder'], 1, 'no/such/folder cannot be used'],
    [['--from', 'auth0', 'nobody.json', '--report', './nobody.json'], 1, './nobody.json is read from'],
    [['--from', 'firebase', 'nobody.json'], 2, '--from firebase needs --hash-config <file>'],
    [['--from', 'auth0', 'nobody.json', '--hash-config', 'x'], 2, '--hash-config is used together with'],
    [['--from', 'auth0', 'nobody.json', '--role', 'admin'], 2, '--role is used together with --organization'],
    [['--from', 'auth0', 'nobody.json', '--organization', 'not_a_slug'], 2, 'invalid'],
  ] as [string[], number, string][])('%j: %i', async (args, code, message) => {
    write('empty.json', '');
    write('nobody.json', '[]');
    const answer = await run(...args);
    expect(answer.stderr).toContain(message);
    expect(answer.code).toBe(code);
  });
});
