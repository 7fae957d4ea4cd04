import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, registerUser, type TestUser } from './browser.ts';
import { runHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type LocalServer, startLocalServer } from './in-process.ts';
import { SECRET } from './postgres.ts';
import { runCommand } from './process.ts';
import { auditOf, setUser } from './records.ts';
import { INVALIDATED_WITHIN_MS } from './timeouts.ts';

let folder: string;
let database: TestDatabase;
let server: LocalServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-admin-'));
  database = await createTestDatabase();
  server = await startLocalServer({ DATABASE_URL: database.url, DATA_DIR: folder });
});
afterAll(async () => {
  await server.stop();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({ DATABASE_URL: database.url, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com' });
const run = (args: string[], more = {}) => runHere(['admin', ...args], { cwd: folder, env: { ...env(), ...more } });
const runBuilt = (...args: string[]) => runCommand(['admin', ...args], { cwd: folder, env: env() });
const roleSeenBy = async ({ browser }: TestUser) =>
  (await browser.get('/auth/session')).json.capabilities.platform_role as string | null;
const trail = ({ user_id }: TestUser) => auditOf(database, { resource_id: user_id, action: 'platform_role.changed' });

/** Expects one line without a stack trace. */
const expectSentence = (text: string, sentence: string) => {
  expect(text).toContain(sentence);
  expect(text.trim().split('\n')).toHaveLength(1);
};

describe('admin grant, admin revoke', () => {
  it('grants owner if no role is named, takes effect on a running server within seconds, and is audited as done by the system', async () => {
    const user = await registerUser(server.url);
    expect(await roleSeenBy(user)).toBeNull();
    const granted = await runBuilt('grant', ` ${user.email.toUpperCase()} `);
    expect(granted.code, granted.stderr).toBe(0);
    expectSentence(granted.stdout, `${user.email} is now platform owner.`);
    expect(granted.stderr).toBe('');
    await expect.poll(() => roleSeenBy(user), { timeout: INVALIDATED_WITHIN_MS }).toBe('owner');
    const [event] = await trail(user);
    expect(event).toMatchObject({
      actor_id: null,
      actor_type: 'system',
      metadata: { from: null, to: 'owner' },
      ip_address: null,
      request_id: null,
    });
  });

  it('--role grants a role, replaces it, and revoke removes it', async () => {
    const user = await registerUser(server.url);
    for (const role of ['viewer', 'admin']) expect((await run(['grant', user.email, '--role', role])).code).toBe(0);
    await expect.poll(() => roleSeenBy(user), { timeout: INVALIDATED_WITHIN_MS }).toBe('admin');
    const revoked = await run(['revoke', user.email]);
    expect(revoked.code).toBe(0);
    expectSentence(revoked.stdout, `${user.email} is no longer platform admin.`);
    await expect.poll(() => roleSeenBy(user), { timeout: INVALIDATED_WITHIN_MS }).toBeNull();
    expect((await trail(user)).map(({ metadata }) => metadata)).toEqual([
      { from: null, to: 'viewer' },
      { from: 'viewer', to: 'admin' },
      { from: 'admin', to: null },
    ]);
  });

  it('a grant or revoke without effect says so, exits with 0 and is not audited', async () => {
    const user = await registerUser(server.url);
    const nothing = await run(['revoke', user.email]);
    expect(nothing.code).toBe(0);
    expectSentence(nothing.stdout, 'has no platform role. Nothing was changed');
    await run(['grant', user.email, '--role', 'viewer']);
    const again = await run(['grant', user.email, '--role', 'viewer']);
    expect(again.code).toBe(0);
    expectSentence(again.stdout, 'is already platform viewer. Nothing was changed');
    expect(await trail(user)).toHaveLength(1);
  });

  it('revoking or demoting the last owner exits with 1 and says why', async () => {
    await database.db.updateTable('users').set({ platform_role: null }).execute();
    const [last, next] = [await registerUser(server.url), await registerUser(server.url)];
    expect((await run(['grant', last.email])).code).toBe(0);
    for (const args of [
      ['revoke', last.email],
      ['grant', last.email, '--role', 'admin'],
    ]) {
      const refused = await run(args);
      expect(refused.code).toBe(1);
      expect(refused.stdout).toBe('');
      expectSentence(refused.stderr, 'this is the last platform owner; add another one first');
    }
    expect((await run(['grant', next.email])).code).toBe(0);
    const both = await Promise.all([runBuilt('revoke', last.email), runBuilt('revoke', next.email)]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  });

  it.each(['grant', 'revoke'])('%s: an unknown or deleted account exits with 1 and a hint', async (command) => {
    const unknown = await run([command, newEmail('nobody')]);
    expect(unknown.code).toBe(1);
    expectSentence(unknown.stderr, 'Register it first');
    const gone = await registerUser(server.url);
    await setUser(database, gone.user_id, { status: 'deleted' });
    const deleted = await run([command, gone.email]);
    expect(deleted.code).toBe(1);
    expectSentence(deleted.stderr, 'Register it first');
  });

  it('a disabled account cannot get a role, but its role can be revoked', async () => {
    const user = await registerUser(server.url);
    await run(['grant', user.email, '--role', 'admin']);
    await setUser(database, user.user_id, { status: 'disabled' });
    const refused = await run(['grant', user.email]);
    expect(refused.code).toBe(1);
    expectSentence(refused.stderr, 'is disabled. Enable it first');
    expect((await run(['revoke', user.email])).code).toBe(0);
    expect((await trail(user)).at(-1)!.metadata).toEqual({ from: 'admin', to: null });
  });

  it('warns about an unverified email in production', async () => {
    const user = await registerUser(server.url);
    const granted = await run(['grant', user.email, '--role', 'viewer'], { NODE_ENV: 'production' });
    expect(granted.code).toBe(0);
    expectSentence(granted.stdout, 'is now platform viewer');
    expectSentence(granted.stderr, 'This email is not verified');
  });

  it('a database without the schema is reported in one line', async () => {
    const empty = await createTestDatabase({ empty: true });
    const refused = await run(['grant', newEmail()], { DATABASE_URL: empty.url });
    expect(refused.code).toBe(1);
    expectSentence(refused.stderr, 'gatehouse.mjs migrate');
    await empty.close();
  });

  it('a server that has never seen the user returns the new role at sign-in', async () => {
    const user = await registerUser(server.url);
    await run(['grant', user.email, '--role', 'viewer']);
    const browser = createBrowser(server.url);
    const answer = await browser.post('/auth/login', { email: user.email, password: user.password });
    expect(answer.json.capabilities.platform_role).toBe('viewer');
  });
});
