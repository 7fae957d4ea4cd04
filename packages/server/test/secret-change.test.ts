import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, refreshWith, registerUser } from './browser.ts';
import { examineHere, runHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startTestApp } from './harness.ts';
import { type LocalServer, startLocalServer } from './in-process.ts';
import { SECRET } from './postgres.ts';
import { runCommand } from './process.ts';
import { enrolNew } from './second-factor.ts';

const NEW = 'another secret that is long enough to be one';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-secret-'));
  database = await createTestDatabase();
  const app = await startTestApp({ database });
  await enrolNew(app);
  await enrolNew(app);
  await app.close();
});
const servers: LocalServer[] = [];
const serve = async (database: TestDatabase, secrets: Record<string, string>): Promise<LocalServer> => {
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, PUBLIC_BASE_URL: 'http://localhost:8080', ...secrets };
  const server = await startLocalServer(env);
  servers.push(server);
  return server;
};
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const placeWith = (secrets: Record<string, string>) => ({
  cwd: folder,
  env: { DATABASE_URL: database.url, PUBLIC_BASE_URL: 'http://localhost:8080', ...secrets },
});
const examine = async (secrets: Record<string, string>) => (await examineHere(placeWith(secrets)))('second factors')!;
const rewrap = (secrets: Record<string, string>) => runHere(['keys', 'rewrap'], placeWith(secrets));

describe('changing JWT_SECRET', () => {
  it('doctor counts the affected authenticator secrets, and keys rewrap encrypts them again', async () => {
    expect(await examine({ JWT_SECRET: SECRET })).toMatchObject({
      status: 'ok',
      detail: 'JWT_SECRET decrypts 2 authenticator secrets',
    });
    const missing = await runCommand(['doctor', '--offline'], placeWith({}));
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain('Set it to the secret that the database was used with');
    expect(missing.stdout).not.toContain('ends every session');
    const rotated = await runHere(['keys', 'rotate'], placeWith({}));
    expect(rotated.code).toBe(1);
    expect(rotated.stderr).toContain('JWT_SECRET is missing');
    const forgotten = await runCommand(['serve'], placeWith({ PORT: '0' }));
    expect(forgotten.code).toBe(1);
    expect(forgotten.stderr).toContain('JWT_SECRET is not set, but this database was used with one.');
    expect(existsSync(join(folder, '.env'))).toBe(false);
    const lost = await examine({ JWT_SECRET: NEW });
    expect(lost.status).toBe('warning');
    expect(lost.detail).toContain('does not decrypt 2 authenticator secrets');

    const both = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET };
    expect(await examine(both)).toMatchObject({
      status: 'warning',
      detail: '2 authenticator secrets still encrypted with JWT_SECRET_PREVIOUS',
    });
    const none = await rewrap({ JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: `${NEW} and another` });
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('2 authenticator secrets');
    const server = await serve(database, { JWT_SECRET: SECRET });
    const early = await rewrap(both);
    expect(early.code).toBe(1);
    expect(early.stderr).toContain(
      'Restart every replica with both secrets, then run this again. Nothing was changed.',
    );
    expect(await examine({ JWT_SECRET: SECRET })).toMatchObject({ status: 'ok' });
    await server.stop();
    await serve(database, both);
    const done = await runCommand(['keys', 'rewrap'], placeWith(both));
    expect(done.code).toBe(0);
    expect(done.stdout).toContain('2 authenticator secrets');
    expect(await examine({ JWT_SECRET: NEW })).toMatchObject({ status: 'ok' });
  });

  it('serve with another secret fails while a process with the first one runs; later it starts and destroys nothing', async () => {
    const shared = await createTestDatabase();
    const env = { DATABASE_URL: shared.url, PUBLIC_BASE_URL: 'http://localhost:8080', PORT: '0' };
    const right = await serve(shared, { JWT_SECRET: SECRET });
    const { access_token } = await registerUser(right.url);
    const signedIn = async ({ url }: LocalServer) => {
      const response = await fetch(`${url}/v1/auth/session`, { headers: { authorization: `Bearer ${access_token}` } });
      return response.status;
    };
    const refused = await runCommand(['serve'], { cwd: folder, env: { ...env, JWT_SECRET: `${SECRET}x` } });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('another JWT_SECRET serves this database'),
    ]);
    expect(await signedIn(right)).toBe(200);
    await right.stop();
    const wrong = await serve(shared, { JWT_SECRET: `${SECRET}x` });
    expect(await signedIn(wrong)).toBe(401);
    const reset = await runHere(['keys', 'reset'], { cwd: folder, env: { ...env, JWT_SECRET: SECRET } });
    expect([reset.code, reset.stderr]).toEqual([1, expect.stringContaining('pass --yes')]);
    await wrong.stop();
    const again = await serve(shared, { JWT_SECRET: SECRET });
    expect(await signedIn(again)).toBe(200);
    await again.stop();
    const done = await runHere(['keys', 'reset', '--yes'], { cwd: folder, env: { ...env, JWT_SECRET: `${SECRET}x` } });
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('Ended: 2 signing keys, 1 session')]);
    await shared.close();
  });

  it('replicas with the new and the previous secret in either order accept tokens and cookies of each other', async () => {
    const shared = await createTestDatabase();
    const before = await serve(shared, { JWT_SECRET: SECRET, JWT_SECRET_PREVIOUS: NEW });
    const after = await serve(shared, { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET });
    for (const [issuer, other] of [
      [after, before],
      [before, after],
    ] as const) {
      const { browser, access_token } = await registerUser(issuer.url);
      const there = createBrowser(other.url);
      for (const [name, value] of browser.jar) there.jar.set(name, value);
      // This request uses cookies, so that the CSRF value is verified, too.
      expect((await there.patch('/users/me', { display_name: 'Ada' })).status).toBe(200);
      expect((await there.get('/auth/session', { headers: { authorization: `Bearer ${access_token}` } })).status).toBe(
        200,
      );
      expect((await refreshWith(other.url, browser.jar.get('service_rt')!)).status).toBe(200);
    }
    await before.stop();
    await after.stop();
    await shared.close();
  });
});
