import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { connectDatabase } from '../src/platform/db/connect.ts';
import type { Pooler } from '../src/platform/db/pooler.ts';
import { bearer, createBrowser, registerUser, type TestUser } from './browser.ts';
import { type TestDatabase, useTestDatabase } from './database.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { type Relay, startRelay } from './relay.ts';
import { INVALIDATED_WITHIN_MS } from './timeouts.ts';

const database = useTestDatabase();

/** Starts two services that reach this database through a relay, which records their messages. */
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

async function useSession(app: TestApp): Promise<TestUser> {
  const account = await registerUser(app);
  const { email, password } = account;
  const browser = createBrowser(app);
  expect((await browser.post('/auth/login', { email, password })).status).toBe(200);
  expect((await browser.post('/auth/refresh')).status).toBe(200);
  expect((await browser.post('/auth/logout')).status).toBe(204);
  await app.sweeper.pass();
  return account;
}

const namesIn = ({ recorded }: Relay): string[] =>
  recorded.messages.filter(({ type }) => type === 'P').map(({ text }) => text.split('\0')[0]!);

/** Returns statements whose effect outlives a transaction. In a Parse message, the text follows the statement name. */
const sessionStatements = ({ recorded }: Relay): string[] =>
  recorded.messages
    .map(({ type, text }) => (type === 'P' ? text.split('\0')[1]! : text).trim())
    .filter((text) => /^(listen|set (?!local))|pg_notify|pg_(try_)?advisory_(un)?lock/i.test(text));

describe('behind a pooler that pools by transaction', () => {
  let behind: Awaited<ReturnType<typeof startBehind>>;
  let account: TestUser;
  beforeAll(async () => {
    behind = await startBehind('transaction');
    account = await useSession(behind.apps[0]);
  });
  afterAll(() => behind.close());

  it('behind a transaction pooler, the service sends no named statements, settings, notifications or session locks', () => {
    expect(namesIn(behind.relay).length).toBeGreaterThan(20);
    expect(new Set(namesIn(behind.relay))).toEqual(new Set(['']));
    expect(behind.relay.recorded.startup).toContain('application_name');
    expect(behind.relay.recorded.startup.filter((word) => word.endsWith('_timeout'))).toEqual([]);
    expect(sessionStatements(behind.relay)).toEqual([]);
  });

  it('behind a transaction pooler, a session ended at one replica is refused at the other, by polling', async () => {
    const [here, there] = behind.apps;
    const ask = async () => (await createBrowser(there).get('/auth/session', bearer(account.access_token))).status;
    expect(await ask()).toBe(200);
    expect((await createBrowser(here).post('/auth/logout', undefined, bearer(account.access_token))).status).toBe(204);
    await expect.poll(ask, { timeout: INVALIDATED_WITHIN_MS }).toBe(401);
  });
});

describe('behind a pooler that supports prepared statements', () => {
  it('the service uses these but no other session state', async () => {
    const { relay, apps, close } = await startBehind('transaction-prepared');
    await useSession(apps[0]);
    expect(namesIn(relay)).toContain('q0');
    expect(relay.recorded.startup.filter((word) => word.endsWith('_timeout'))).toEqual([]);
    expect(sessionStatements(relay)).toEqual([]);
    await close();
  });
});

describe('without a pooler', () => {
  it('the service uses timeouts, prepared statements and LISTEN/NOTIFY', async () => {
    const { relay, apps, close } = await startBehind('none');
    await useSession(apps[0]);
    expect(namesIn(relay)).toContain('q0');
    expect(relay.recorded.startup).toContain('statement_timeout');
    const sent = sessionStatements(relay).join();
    expect(sent).toContain('listen gatehouse');
    expect(sent).toContain('pg_notify');
    await close();
  });
});
