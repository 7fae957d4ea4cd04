import { afterEach, describe, expect, it } from 'vitest';
import { createBrowser, PASSWORD, registerUser } from '../../../test/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf, setUser } from '../../../test/records.ts';
import { INVALIDATED_WITHIN_MS } from '../../../test/timeouts.ts';
import { transact } from '../../platform/db/transact.ts';
import { SYSTEM } from '../kernel/caller.ts';
import { findUserByEmail } from '../users/queries.ts';
import { claimInitialOwner } from './initial-owner.ts';
import { changePlatformRole } from './platform-role.ts';

const BOSS = 'boss@example.com';
const DEVELOPMENT = { NODE_ENV: 'development', INITIAL_OWNER_EMAIL: BOSS };
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com', INITIAL_OWNER_EMAIL: BOSS };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const openDatabase = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase({ poolSize: 12 });
  opened.push(database);
  return database;
};
const start = async (environment: Record<string, string>, database?: TestDatabase): Promise<TestApp> => {
  const app = await startTestApp({ environment, database: database ?? (await openDatabase()) });
  opened.push(app);
  return app;
};

const register = async (app: TestApp, email = BOSS) => {
  const browser = createBrowser(app);
  const answer = await browser.post('/auth/register', { email, password: PASSWORD, organization_name: 'Example' });
  expect(answer.status).toBe(201);
  return { browser, role: answer.json.capabilities.platform_role, user_id: answer.json.user.user_id as string };
};
const roleOf = async (app: TestApp, email = BOSS) => (await findUserByEmail(app.deps.db, email))?.platform_role;
const trail = (app: TestApp) => auditOf(app, { action: 'platform_role.changed' });

/** Like the verification endpoint: verifies the email and claims the role in one transaction. */
const verify = (app: TestApp, email = BOSS) =>
  transact(app.deps.db, async (tx) => {
    const user = (await findUserByEmail(tx, email))!;
    const email_verified_at = app.clock.now();
    await tx.updateTable('users').set({ email_verified_at }).where('id', '=', user.id).execute();
    return claimInitialOwner(tx, app.deps, { ...user, email_verified_at });
  });
const claim = (app: TestApp, email = BOSS) =>
  transact(app.deps.db, async (tx) => claimInitialOwner(tx, app.deps, (await findUserByEmail(tx, email))!));

describe('INITIAL_OWNER_EMAIL in development', () => {
  it('in development, INITIAL_OWNER_EMAIL makes the account platform owner at registration, and the response says so', async () => {
    const app = await start(DEVELOPMENT);
    const { browser, role, user_id } = await register(app);
    expect(role).toBe('owner');
    expect((await browser.get('/auth/session')).json.capabilities.platform_role).toBe('owner');
    const [event, ...more] = await trail(app);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      actor_id: null,
      actor_type: 'system',
      resource_type: 'user',
      resource_id: user_id,
      metadata: { from: null, to: 'owner' },
      outcome: 'success',
    });
  });

  it('INITIAL_OWNER_EMAIL does not match other email addresses', async () => {
    const app = await start(DEVELOPMENT);
    for (const email of ['other@example.com', `x${BOSS}`, `${BOSS}.example.org`, 'boss+1@example.com']) {
      expect((await register(app, email)).role).toBeNull();
    }
    expect(await trail(app)).toEqual([]);
    expect((await register(app)).role).toBe('owner');
  });

  it('no account becomes platform owner if INITIAL_OWNER_EMAIL is not set', async () => {
    const app = await start({ NODE_ENV: 'development' });
    expect((await register(app)).role).toBeNull();
  });

  it('in development, INITIAL_OWNER_EMAIL makes an existing account platform owner at the start of the service', async () => {
    const database = await openDatabase();
    const before = await start({ NODE_ENV: 'development' }, database);
    const { browser } = await register(before);
    const seen = async () => (await browser.get('/auth/session')).json.capabilities.platform_role;
    expect(await seen()).toBeNull();
    const app = await start(DEVELOPMENT, database);
    expect(await roleOf(app)).toBe('owner');
    expect(await trail(app)).toHaveLength(1);
    expect(app.logs.some(({ msg }) => String(msg).startsWith('INITIAL_OWNER_EMAIL'))).toBe(true);
    // A replica that was already running is notified.
    await expect.poll(seen, { timeout: INVALIDATED_WITHIN_MS }).toBe('owner');
  });

  it.each(['disabled', 'deleted'] as const)(
    'a %s account does not become platform owner at the start',
    async (status) => {
      const database = await openDatabase();
      const before = await start({ NODE_ENV: 'development' }, database);
      const { user_id } = await register(before);
      await setUser(before, user_id, { status });
      const app = await start(DEVELOPMENT, database);
      expect(await trail(app)).toEqual([]);
    },
  );

  it.each([
    ['  Boss@Example.COM ', BOSS],
    [BOSS, ' BOSS@example.com '],
    ['BJÖRN@example.com', 'bjo\u0308rn@EXAMPLE.com'],
  ])('INITIAL_OWNER_EMAIL ignores case, spaces and Unicode forms: %j for %j', async (setting, typed) => {
    const app = await start({ ...DEVELOPMENT, INITIAL_OWNER_EMAIL: setting });
    expect((await register(app, typed)).role).toBe('owner');
  });

  it.each(['not an address', '@', ' '])(
    'an INITIAL_OWNER_EMAIL that is not an email address (%j) matches no account and causes no error',
    async (setting) => {
      const app = await start({ ...DEVELOPMENT, INITIAL_OWNER_EMAIL: setting });
      expect((await register(app)).role).toBeNull();
    },
  );
});

describe('INITIAL_OWNER_EMAIL in production', () => {
  it('in production, INITIAL_OWNER_EMAIL makes no account platform owner before its email is verified, neither at registration nor at start', async () => {
    const database = await openDatabase();
    const app = await start(PRODUCTION, database);
    const { role, browser } = await register(app);
    expect(role).toBeNull();
    expect(await claim(app)).toBe(false);
    const again = await start(PRODUCTION, database);
    expect(await roleOf(again)).toBeNull();
    expect(await trail(again)).toEqual([]);
    expect(await verify(app)).toBe(true);
    expect(await roleOf(app)).toBe('owner');
    expect((await browser.get('/auth/session')).json.capabilities.platform_role).toBe('owner');
    expect((await trail(app))[0]).toMatchObject({ actor_type: 'system', metadata: { from: null, to: 'owner' } });
  });

  it('in production, INITIAL_OWNER_EMAIL ignores another account that verifies its email', async () => {
    const app = await start(PRODUCTION);
    await register(app, 'other@example.com');
    expect(await verify(app, 'other@example.com')).toBe(false);
  });

  it('in production, INITIAL_OWNER_EMAIL makes the account platform owner at start if its email was verified before the setting existed', async () => {
    const database = await openDatabase();
    const { INITIAL_OWNER_EMAIL: _, ...unset } = PRODUCTION;
    const before = await start(unset, database);
    await register(before);
    expect(await verify(before)).toBe(false);
    const app = await start(PRODUCTION, database);
    expect(await roleOf(app)).toBe('owner');
  });
});

describe('INITIAL_OWNER_EMAIL grants the role once per database', () => {
  it('a removed role is not granted again, by start, registration or verification', async () => {
    const database = await openDatabase();
    const app = await start(DEVELOPMENT, database);
    const { user_id } = await register(app);
    const heir = await registerUser(app);
    const change = (id: string, role: 'owner' | null) =>
      transact(app.deps.db, (tx) => changePlatformRole(tx, app.deps, SYSTEM, { user_id: id, role }));
    await change(heir.user_id, 'owner');
    await change(user_id, null);
    const again = await start(DEVELOPMENT, database);
    expect(await roleOf(again)).toBeNull();
    expect(await verify(again)).toBe(false);
    // The account is deleted, and another user registers the address.
    await setUser(app, user_id, { status: 'deleted' });
    expect((await register(again)).role).toBeNull();
  });

  it('the role is not granted to another email that the setting names later', async () => {
    const database = await openDatabase();
    await register(await start(DEVELOPMENT, database));
    const app = await start({ ...DEVELOPMENT, INITIAL_OWNER_EMAIL: 'next@example.com' }, database);
    expect((await register(app, 'next@example.com')).role).toBeNull();
  });

  it('ten concurrent verifications of INITIAL_OWNER_EMAIL grant the role once', async () => {
    const app = await start(PRODUCTION);
    await register(app);
    const results = await Promise.all(Array.from({ length: 10 }, () => verify(app)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await trail(app)).toHaveLength(1);
    expect(await roleOf(app)).toBe('owner');
  });

  it('the role can be granted after a transaction that granted it was rolled back', async () => {
    const app = await start(PRODUCTION);
    await register(app);
    const broken = transact(app.deps.db, async (tx) => {
      const user = (await findUserByEmail(tx, BOSS))!;
      await claimInitialOwner(tx, app.deps, { ...user, email_verified_at: app.clock.now() });
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow();
    expect(await roleOf(app)).toBeNull();
    expect(await verify(app)).toBe(true);
  });
});
