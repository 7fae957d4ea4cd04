import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '@gatehouse/contract';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProviderRow } from '../src/domain/provider-settings/queries.ts';
import {
  keyringOf,
  LOST_KEY,
  NEW_KEY,
  OLD_KEY,
  rowOf,
  storeRow,
} from '../src/domain/provider-settings/rows-fixture.ts';
import { keyIdOf } from '../src/domain/provider-settings/secret.ts';
import { createBrowser, newEmail, PASSWORD } from './browser.ts';
import { examineHere, runHere } from './command-here.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type FakeMailApi, startFakeMailApi } from './fake-mail-api.ts';
import { type LocalServer, startLocalServer } from './in-process.ts';
import { SECRET } from './postgres.ts';
import { runCommand } from './process.ts';
import { untilBlocked } from './records.ts';
import { INVALIDATED_WITHIN_MS } from './timeouts.ts';

let folder: string;
let database: TestDatabase;
let api: FakeMailApi;
let servers: LocalServer[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-config-key-'));
  [database, api] = await Promise.all([createTestDatabase(), startFakeMailApi()]);
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all([database.close(), api.close()]);
  rmSync(folder, { recursive: true, force: true });
});

type Keys = Record<string, string>;
const OLD: Keys = { CONFIG_ENCRYPTION_KEY: OLD_KEY };
const NEW: Keys = { CONFIG_ENCRYPTION_KEY: NEW_KEY };
const BOTH: Keys = { ...NEW, CONFIG_ENCRYPTION_KEY_PREVIOUS: OLD_KEY };

const placeWith = (keys: Keys) => ({
  cwd: folder,
  env: { DATABASE_URL: database.url, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080', ...keys },
});
/** No command may print a secret or a key. */
const expectNoSecret = (printed: string): void => {
  for (const hidden of ['re_hush', OLD_KEY, NEW_KEY, LOST_KEY]) expect(printed).not.toContain(hidden);
};
const rotate = async (keys: Keys = BOTH, run = runHere) => {
  const finished = await run(['config-key', 'rotate'], placeWith(keys));
  expectNoSecret(finished.stdout + finished.stderr);
  return finished;
};

const start = async (keys: Keys): Promise<LocalServer> => {
  const server = await startLocalServer({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    EMAIL_API_BASE_URL: api.url,
    ...keys,
  });
  servers.push(server);
  return server;
};

const expectMail = async ({ url }: LocalServer): Promise<void> => {
  const before = api.requests.length;
  const user = { email: newEmail(), password: PASSWORD, organization_name: 'Example' };
  expect((await createBrowser(url).post('/auth/register', user)).status).toBe(201);
  await api.received(before + 1);
  expect(api.requests.at(-1)).toMatchObject({
    authorization: 'Bearer re_hush of email_transport',
    body: { from: 'stored@example.com' },
  });
};
const degraded = async ({ url }: LocalServer): Promise<string[]> => {
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(200);
  return ((await response.json()) as { provider_config: { providers: string[] } }).provider_config.providers;
};

const examine = async (keys: Keys) => {
  const find = await examineHere(placeWith(keys));
  for (const check of ['configuration key', 'providers', 'mail']) expectNoSecret(JSON.stringify(find(check)));
  return find;
};
const keyOf = async (provider: Provider) => keyIdOf((await findProviderRow(database.db, provider))!);
const newId = keyringOf(NEW_KEY).current.id;
const oldId = keyringOf(OLD_KEY).current.id;

/** Terminates the connections that wait for a lock, as a crash of the database would. */
const cutBlocked = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);

describe('config-key rotate, by the command line', () => {
  it('a running service uses the secrets before, during and after a rotation, also after an interrupted one', async () => {
    await storeRow(database.db, rowOf('email_transport', { key: OLD_KEY }));
    await storeRow(database.db, rowOf('oauth_a', { key: OLD_KEY }));
    const first = await start(OLD);
    await expectMail(first);
    await first.stop();

    const server = await start(BOTH);
    await expectMail(server);
    const before = await examine(BOTH);
    expect(before('configuration key')).toMatchObject({
      status: 'warning',
      detail: '2 provider secrets still encrypted with CONFIG_ENCRYPTION_KEY_PREVIOUS',
    });
    expect(before('providers')).toMatchObject({ status: 'ok', detail: 'enabled: Resend (stored), Google (stored)' });
    expect(before('mail')?.detail).toContain('with the stored key, from stored@example.com');

    const blocker = await database.db.startTransaction().execute();
    await blocker.selectFrom('provider_configs').selectAll().where('provider', '=', 'oauth_a').forUpdate().execute();
    const broken = rotate();
    await untilBlocked(database, 1);
    expect(await keyOf('email_transport')).toBe(newId);
    expect(await keyOf('oauth_a')).toBe(oldId);
    await expectMail(server);
    expect(await degraded(server)).toEqual([]);
    await cutBlocked();
    expect((await broken).code).toBe(1);
    await blocker.rollback().execute();
    expect((await examine(BOTH))('configuration key')?.detail).toContain('1 provider secret still encrypted with');

    const { code, stdout } = await rotate();
    expect(code).toBe(0);
    expect(stdout).toContain('Re-encrypted 1 provider secret (Google).');
    expect(await keyOf('oauth_a')).toBe(newId);
    await expectMail(server);
    const again = await rotate();
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('Nothing to do');

    const after = await examine(NEW);
    expect(after('configuration key')?.status).toBe('ok');
    expect(after('providers')).toEqual(before('providers'));
    const last = await start(NEW);
    await expectMail(last);
    expect(await degraded(last)).toEqual([]);
  });

  it('a replica with only the new key is notified of the rotation and then uses the secret', async () => {
    await storeRow(database.db, rowOf('email_transport', { key: OLD_KEY }));
    const server = await start(NEW);
    expect(await degraded(server)).toEqual(['email_transport']);
    expect((await rotate(BOTH, runCommand)).code).toBe(0);
    await expect.poll(() => degraded(server), { timeout: INVALIDATED_WITHIN_MS }).toEqual([]);
    await expectMail(server);
  });

  it('with a key lost: doctor reports the affected provider, rotate leaves its secret unchanged and exits with 1', async () => {
    await storeRow(database.db, rowOf('oauth_a', { key: LOST_KEY }));
    await storeRow(database.db, rowOf('oauth_b', { key: OLD_KEY }));
    const found = await examine(BOTH);
    expect(found('provider Google')).toMatchObject({ status: 'warning' });
    expect(found('provider Google')?.fix).toContain('config-key rotate');
    expect(found('provider GitHub')).toBeUndefined();

    const sealed = await findProviderRow(database.db, 'oauth_a');
    const { code, stdout, stderr } = await rotate();
    expect(code).toBe(1);
    expect(stdout).toContain('Re-encrypted 1 provider secret (GitHub).');
    expect(stderr).toContain('Neither key decrypts 1 provider secret (Google). They were not changed.');
    expect(stderr).toContain('or enter these secrets again');
    expect(await findProviderRow(database.db, 'oauth_a')).toEqual(sealed);
    const again = await rotate();
    expect(again.code).toBe(1);
    expect(again.stdout).toBe('');
  });

  it.each([
    ['CONFIG_ENCRYPTION_KEY is not set', { CONFIG_ENCRYPTION_KEY_PREVIOUS: OLD_KEY }],
    ['CONFIG_ENCRYPTION_KEY_PREVIOUS is not set', NEW],
    ['CONFIG_ENCRYPTION_KEY_PREVIOUS equals', { ...NEW, CONFIG_ENCRYPTION_KEY_PREVIOUS: NEW_KEY }],
  ] as const)('%s: rotate reports the setting and changes nothing', async (complaint, keys) => {
    await storeRow(database.db, rowOf('oauth_a', { key: OLD_KEY }));
    const { code, stdout, stderr } = await rotate(keys as Keys);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(complaint);
    expect(await keyOf('oauth_a')).toBe(oldId);
  });

  it('names the migrate command if the schema is outdated', async () => {
    await database.db.deleteFrom('schema_migrations').execute();
    const { code, stderr } = await rotate();
    expect(code).toBe(1);
    expect(stderr).toContain('gatehouse.mjs migrate');
  });
});
