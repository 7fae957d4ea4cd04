import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD } from './browser.ts';
import { runHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type LocalServer, startLocalServer } from './in-process.ts';
import { SECRET } from './postgres.ts';
import { runCommand } from './process.ts';
import { auditOf, findUser } from './records.ts';

let folder: string;
let database: TestDatabase;
let server: LocalServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-create-org-'));
  database = await createTestDatabase();
  server = await startLocalServer({ DATABASE_URL: database.url, DATA_DIR: folder });
});
afterAll(async () => {
  await server.stop();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({ DATABASE_URL: database.url, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com' });
const run = (args: string[], input: string | Buffer = `${PASSWORD}\n`, more = {}, by = runHere) =>
  by(['admin', 'create-org', ...args], { cwd: folder, env: { ...env(), ...more }, input });
const optionsFor = (email: string, ...more: string[]) => ['--name', 'Example', '--owner-email', email, ...more];
const login = (email: string, password: string) => createBrowser(server.url).post('/auth/login', { email, password });
const field = (text: string, name: string) => new RegExp(`^ {2}${name}: (.+)$`, 'm').exec(text)?.[1];

/** Expects one line without a stack trace. */
const expectSentence = (text: string, sentence: string) => {
  expect(text).toContain(sentence);
  expect(text.trim().split('\n')).toHaveLength(1);
};

describe('admin create-org', () => {
  it('creates the organization and its owner, who can sign in; prints ids and slug but not the password', async () => {
    const email = newEmail('owner');
    const typed = ['--slug', 'made-by-command', '--owner-display-name', ' Ada '];
    const args = optionsFor(` ${email.toUpperCase()} `, ...typed);
    const { code, stdout, stderr } = await run(args, undefined, {}, runCommand);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain(PASSWORD);
    expect(field(stdout, 'slug')).toBe('made-by-command');
    const { json } = await login(email, PASSWORD);
    expect(json).toMatchObject({ user: { display_name: 'Ada' }, capabilities: { role: 'owner', platform_role: null } });
    expect(field(stdout, 'organization_id')).toBe(json.user.organization_id);
    expect(field(stdout, 'owner_user_id')).toBe(json.user.user_id);
    const events = await auditOf(database, { resource_id: json.user.organization_id, action: 'org.created' });
    expect(events).toMatchObject([
      {
        actor_id: null,
        actor_type: 'system',
        organization_id: json.user.organization_id,
        metadata: { owner_user_id: json.user.user_id },
      },
    ]);
  });

  it('derives a missing slug, lets the running server send the mail, and ignores INITIAL_OWNER_EMAIL', async () => {
    const email = newEmail('boss');
    const { code, stdout } = await run(optionsFor(email), undefined, { INITIAL_OWNER_EMAIL: email });
    expect(code).toBe(0);
    expect(field(stdout, 'slug')).toMatch(/^example(-[0-9a-f]{6})?$/);
    expect((await findUser(database, field(stdout, 'owner_user_id')!)).platform_role).toBeNull();
    const states = async () =>
      (await database.db.selectFrom('mails').select('state').where('template', '=', 'verify_email').execute()).map(
        ({ state }) => state,
      );
    await expect.poll(states).not.toContain('queued');
  });

  it.each([
    ['more than one line', `${PASSWORD}\nsomething else\n`, PASSWORD],
    ['a line that ends with CRLF', `${PASSWORD}\r\n`, PASSWORD],
    ['no line break', PASSWORD, PASSWORD],
    ['surrounding spaces, which are kept', `  ${PASSWORD} \n`, `  ${PASSWORD} `],
  ])('reads the password from standard input: %s', async (_what, input, password) => {
    const email = newEmail('owner');
    expect((await run(optionsFor(email), input)).code).toBe(0);
    expect((await login(email, password)).status).toBe(200);
  });

  it.each([
    ['too short', 'short\n', 'must be 12 to 256 characters'],
    ['too long', `${'x'.repeat(257)}\n`, 'must be 12 to 256 characters'],
    ['empty', '', 'must be 12 to 256 characters'],
    ['not UTF-8', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(PASSWORD)]), 'not UTF-8'],
  ])('a password that is %s exits with 1 and creates nothing', async (_what, input, sentence) => {
    const email = newEmail('owner');
    const refused = await run(optionsFor(email), input);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expectSentence(refused.stderr, sentence);
    expect((await login(email, PASSWORD)).status).toBe(401);
  });

  it('a taken slug or email exits with 1 and says so in one line', async () => {
    const email = newEmail('owner');
    await run(optionsFor(email, '--slug', 'taken-by-command'));
    const slug = await run(optionsFor(newEmail('owner'), '--slug', 'taken-by-command'));
    expect([slug.code, slug.stdout]).toEqual([1, '']);
    expectSentence(slug.stderr, 'Nothing was created: organization slug already taken.');
    const twice = await run(optionsFor(email));
    expect(twice.code).toBe(1);
    expectSentence(twice.stderr, 'Nothing was created: email already registered.');
  });

  it('a database without the schema is reported in one line', async () => {
    const empty = await createTestDatabase({ empty: true });
    const refused = await run(optionsFor(newEmail('owner')), undefined, { DATABASE_URL: empty.url });
    expect(refused.code).toBe(1);
    expectSentence(refused.stderr, 'gatehouse.mjs migrate');
    await empty.close();
  });
});
