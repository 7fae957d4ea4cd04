import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectDatabase } from '../src/platform/db/connect.ts';
import type { Pooler } from '../src/platform/db/pooler.ts';
import { bearer, createBrowser, registerUser, type TestUser } from './browser.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { type Relay, startRelay } from './relay.ts';
import { INVALIDATED_WITHIN_MS } from './timeouts.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Two services on this database, by a relay that hears what they say to it. */
async function startBehind(pooler: Pooler) {
  const relay = await startRelay(inject('postgres'));
  const { user, password } = inject('postgres');
  const connectionString = `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${relay.port}/${database.name}`;
  const open = (): TestDatabase => ({
    ...connectDatabase({
      address: { connectionString, pooler, timeoutFactor: 10 },
      poolSize: 5,
      onIdleError: () => {},
    }),
    name: database.name,
    url: connectionString,
    plain_url: connectionString,
  });
  const databases = [open(), open()];
  const apps = await Promise.all(databases.map((each) => startTestApp({ database: each })));
  return {
    relay,
    apps: apps as [TestApp, TestApp],
    async close() {
      for (const app of apps) await app.close();
      for (const each of databases) await each.close();
      await relay.close();
    },
  };
}

/** Enough to begin a session, go on with it and end it. */
async function liveThrough(app: TestApp): Promise<TestUser> {
  const account = await registerUser(app);
  const { email, password } = account;
  const browser = createBrowser(app);
  expect((await browser.post('/auth/login', { email, password })).status).toBe(200);
  expect((await browser.post('/auth/refresh')).status).toBe(200);
  expect((await browser.post('/auth/logout')).status).toBe(204);
  await app.sweeper.pass();
  return account;
}

const namesIn = ({ heard }: Relay): string[] =>
  heard.messages.filter(({ type }) => type === 'P').map(({ text }) => text.split('\0')[0]!);

/** What would be said to one connection and be looked for on the next. The text of a Parse comes after its name. */
const lasting = ({ heard }: Relay): string[] =>
  heard.messages
    .map(({ type, text }) => (type === 'P' ? text.split('\0')[1]! : text).trim())
    .filter((text) => /^(listen|set (?!local))|pg_notify|pg_(try_)?advisory_(un)?lock/i.test(text));

describe('behind a pooler that pools by transaction', () => {
  let behind: Awaited<ReturnType<typeof startBehind>>;
  let account: TestUser;
  beforeAll(async () => {
    behind = await startBehind('transaction');
    account = await liveThrough(behind.apps[0]);
  });
  afterAll(() => behind.close());

  it('nothing is said that must outlast a transaction', () => {
    expect(namesIn(behind.relay).length).toBeGreaterThan(20);
    expect(new Set(namesIn(behind.relay))).toEqual(new Set(['']));
    expect(behind.relay.heard.startup).toContain('application_name');
    expect(behind.relay.heard.startup.filter((word) => word.endsWith('_timeout'))).toEqual([]);
    expect(lasting(behind.relay)).toEqual([]);
  });

  it('what one replica ends the other refuses, though nobody wakes it', async () => {
    const [here, there] = behind.apps;
    const ask = async () => (await createBrowser(there).get('/auth/session', bearer(account.access_token))).status;
    expect(await ask()).toBe(200);
    expect((await createBrowser(here).post('/auth/logout', undefined, bearer(account.access_token))).status).toBe(204);
    await expect.poll(ask, { timeout: INVALIDATED_WITHIN_MS }).toBe(401);
  });
});

describe('behind one that keeps track of prepared statements', () => {
  it('they are prepared, and the rest is as before', async () => {
    const { relay, apps, close } = await startBehind('transaction-prepared');
    await liveThrough(apps[0]);
    expect(namesIn(relay)).toContain('q0');
    expect(relay.heard.startup.filter((word) => word.endsWith('_timeout'))).toEqual([]);
    expect(lasting(relay)).toEqual([]);
    await close();
  });
});

describe('with nothing in between', () => {
  it('limits, names and the wake-up are there', async () => {
    const { relay, apps, close } = await startBehind('none');
    await liveThrough(apps[0]);
    expect(namesIn(relay)).toContain('q0');
    expect(relay.heard.startup).toContain('statement_timeout');
    const said = lasting(relay).join();
    expect(said).toContain('listen gatehouse');
    expect(said).toContain('pg_notify');
    await close();
  });
});
