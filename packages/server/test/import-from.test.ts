import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bcryptHash, FIREBASE } from '../src/domain/passwords/hashes/hashes-fixture.ts';
import { newEmail, registerUser } from './browser.ts';
import { examineHere, runHere } from './command-here.ts';
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
  const { organization_id } = await registerUser(app);
  await app.close();
  const found = database.db.selectFrom('organizations').select('slug').where('id', '=', organization_id);
  slug = (await found.executeTakeFirstOrThrow()).slug;
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const placeWith = (settings: Record<string, string>) => ({
  cwd: folder,
  env: { DATABASE_URL: database.url, PUBLIC_BASE_URL: 'http://localhost:8080', ...settings },
});
const runWith = (settings: Record<string, string>, ...args: string[]) =>
  runHere(['import', ...args], placeWith({ JWT_SECRET: SECRET, ...settings }));
const run = (...args: string[]) => runWith({}, ...args);
const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return name;
};
const countUsers = async () => (await database.db.selectFrom('users').select('id').execute()).length;

describe('import --from', () => {
  it('--dry-run writes nothing but a report; an import creates the users; a second import reports them as existing', async () => {
    const [ada, grace] = [newEmail(), newEmail()];
    const passwordHash = await bcryptHash('x');
    const lines = [{ email: ada, passwordHash }, { email: grace, blocked: true }, { email: 'nobody' }, { email: ada }];
    const file = write('users.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
    const before = await countUsers();

    const dry = await run('--from', 'auth0', file, '--dry-run', '--report', 'report.ndjson');
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stdout).toContain('4 read, 2 would be imported, each as owner of their own organization');
    expect(dry.stdout).toMatch(/1 {2}bcrypt, cost 4\n/);
    expect(dry.stdout).toMatch(/1 {2}disabled/);
    expect(dry.stdout).toContain('2 would be skipped');
    expect(dry.stdout).toContain('line 3 nobody');
    expect(dry.stdout).toContain('Nothing was written.');
    expect(dry.stdout + dry.stderr).not.toContain(passwordHash);
    expect(await countUsers()).toBe(before);
    const report = join(folder, 'report.ndjson');
    expect(statSync(report).mode & 0o777).toBe(0o600);
    const entries = readFileSync(report, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toMatchObject([
      { at: 'line 1', outcome: 'brought_along', email: ada, hash: 'bcrypt, cost 4' },
      { at: 'line 2', outcome: 'brought_along', email: grace, status: 'disabled' },
      { at: 'line 3', outcome: 'skipped', reason: 'invalid_email' },
      { at: 'line 4', outcome: 'skipped', reason: 'duplicate' },
    ]);

    const args = ['--from', 'auth0', file, '--organization', slug, '--role', 'admin'];
    const real = await runCommand(['import', ...args], placeWith({ JWT_SECRET: SECRET }));
    expect(real).toMatchObject({ code: 0 });
    expect(real.stdout).toContain(`4 read, 2 imported, each as admin of ${slug}`);
    expect(await countUsers()).toBe(before + 2);

    const again = await run('--from', 'auth0', file);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('4 read, 0 imported');
    expect(again.stdout).toMatch(/2 {2}already have an account with that email\n/);
    expect(await countUsers()).toBe(before + 2);
  });

  it('firebase: requires the hash parameters, and keys rewrap includes the imported signer key', async () => {
    const file = write('users.json', JSON.stringify({ users: [{ email: newEmail(), ...FIREBASE }] }));
    const config = write('config.json', JSON.stringify(FIREBASE.hash_config));
    const done = await run('--from', 'firebase', file, '--hash-config', config);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('firebase scrypt, 2^14, 8 rounds');
    const NEW = 'another secret that is long enough to be one';
    const examine = async (secrets: Record<string, string>) =>
      (await examineHere(placeWith(secrets)))('imported hashes');
    expect(await examine({ JWT_SECRET: NEW })).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('does not decrypt 1 imported hash key'),
    });
    const both = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET };
    expect(await examine(both)).toMatchObject({
      status: 'warning',
      detail: '1 imported hash key still encrypted with JWT_SECRET_PREVIOUS',
    });
    const rewrapped = await runHere(['keys', 'rewrap'], placeWith(both));
    expect(rewrapped).toMatchObject({ code: 0 });
    expect(rewrapped.stdout).toContain('1 imported hash key');
    expect(await examine({ JWT_SECRET: NEW })).toMatchObject({ status: 'ok' });
  });

  it('an incomplete file exits with 1 and leaves no users and no report', async () => {
    const email = newEmail();
    const file = write('cut.json', `[{"email":"${email}"},{"email":"x`);
    const before = await countUsers();
    const cut = await run('--from', 'auth0', file, '--report', 'cut-report.ndjson');
    expect(cut.code).toBe(1);
    expect(cut.stdout).toBe('');
    expect(cut.stderr).toContain('cut.json cannot be read: it is incomplete');
    expect(await countUsers()).toBe(before);
    expect(existsSync(join(folder, 'cut-report.ndjson'))).toBe(false);
  });

  it.each([
    ['OAUTH_B_ISSUER', 'https://ghe.corp.example'],
    ['OAUTH_B_USERINFO_URL', 'https://ghe.corp.example/api/v3/user'],
  ])('with %s of another GitHub server, an identity of github.com is not linked', async (name, value) => {
    const email = newEmail();
    const identities = ['github', 'google-oauth2'].map((provider) => ({ provider, user_id: `1-${email}` }));
    const file = write('linked.ndjson', JSON.stringify({ email, identities }));
    const done = await runWith({ [name]: value }, '--from', 'auth0', file);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toMatch(/1 {2}Google or GitHub sign-ins linked/);
    expect(done.stdout).toMatch(/1 {2}had a Google or GitHub sign-in that is not linked/);
    const rows = database.db
      .selectFrom('identities')
      .select(['provider', 'issuer'])
      .where('subject', '=', `1-${email}`);
    expect(await rows.execute()).toEqual([{ provider: 'oauth_a', issuer: 'https://accounts.google.com' }]);
  });

  it('--password-hashes counts records without a hash and rejects a file without any hash', async () => {
    const email = newEmail();
    const file = write('profiles.ndjson', JSON.stringify({ user_id: 'auth0|a', email, email_verified: true }));
    const before = await countUsers();
    const wrong = await run('--from', 'auth0', file, '--password-hashes', file);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('profiles.ndjson cannot be read: it contains no supported password hash');
    expect(await countUsers()).toBe(before);
    const lines = [{ user_id: 'a', passwordHash: await bcryptHash('x') }, { user_id: 'b' }, { passwordHash: 'x' }];
    const hashes = write('hashes.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
    const done = await run('--from', 'auth0', file, '--password-hashes', hashes, '--unverified');
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('2 records of hashes.ndjson have no password hash, or do not name its user.');
    const found = database.db.selectFrom('users').select('email_verified_at').where('email', '=', email);
    expect(await found.execute()).toEqual([{ email_verified_at: null }]);
  });

  it('--report never overwrites an existing file', async () => {
    mkdirSync(join(folder, 'realm'));
    const part = write('realm/example-users-0.json', JSON.stringify({ users: [{ email: newEmail() }] }));
    const notes = write('notes.txt', 'the only copy');
    symlinkSync(join(folder, notes), join(folder, 'symbolic'));
    symlinkSync(join(folder, 'not-there'), join(folder, 'dangling'));
    linkSync(join(folder, part), join(folder, 'hard'));
    const kept = () => [part, notes].map((name) => readFileSync(join(folder, name), 'utf8'));
    const [before, users] = [kept(), await countUsers()];
    for (const report of [part, notes, 'symbolic', 'dangling', 'hard', '/dev/null']) {
      const refused = await run('--from', 'keycloak', 'realm', '--report', report);
      expect(refused.stderr).toContain(`${report} cannot be used: it already exists and is not overwritten.`);
      expect(refused.code).toBe(1);
    }
    expect(kept()).toEqual(before);
    expect(statSync('/dev/null').mode & 0o777).toBe(0o666);
    expect(existsSync(join(folder, 'not-there'))).toBe(false);
    expect(await countUsers()).toBe(users);
  });

  it('shows the constraint that a row violates, but not the values of the row', async () => {
    const email = newEmail();
    const passwordHash = await bcryptHash('x');
    await sql`alter table users add constraint no_eve check (email <> ${sql.lit(email)})`.execute(database.db);
    const file = write('eve.ndjson', JSON.stringify({ email, passwordHash }));
    const { code, stdout, stderr } = await run('--from', 'auth0', file);
    await sql`alter table users drop constraint no_eve`.execute(database.db);
    expect(code).toBe(1);
    expect(stderr).toContain('Database error: new row for relation "users" violates check constraint "no_eve"');
    expect(stderr).toContain('(SQLSTATE 23514)');
    for (const secret of [email, passwordHash.slice(7), 'Failing row', 'parameters']) {
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it.each([
    [['--from', 'auth0', 'nothing.json'], 1, 'nothing.json cannot be used: it does not exist.'],
    [['--from', 'auth0', 'empty.json'], 1, 'empty.json cannot be read: it is empty.'],
    [['--from', 'auth0', 'nobody.json'], 1, 'No user was imported.'],
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
    [
      ['--from', 'auth0', 'nobody.json', '--report', './nobody.json'],
      1,
      './nobody.json cannot be used: it already exists',
    ],
    [['--from', 'firebase', 'nobody.json'], 2, '--from firebase needs --hash-config <file>'],
    [['--from', 'auth0', 'nobody.json', '--hash-config', 'x'], 2, '--hash-config can only be used with'],
    [['--from', 'auth0', 'nobody.json', '--role', 'admin'], 2, '--role can only be used with --organization'],
    [['--from', 'auth0', 'nobody.json', '--organization', 'not_a_slug'], 2, 'invalid'],
  ] as [string[], number, string][])('%j exits with %i', async (args, code, message) => {
    write('empty.json', '');
    write('nobody.json', '[]');
    const answer = await run(...args);
    expect(answer.stderr).toContain(message);
    expect(answer.code).toBe(code);
  });
});
