import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { type App, type AppOptions, createApp } from '../src/app.ts';
import { after, seconds } from '../src/platform/clock.ts';
import { type Environment, loadConfig } from '../src/platform/config/load.ts';
import { createLogger } from '../src/platform/log.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { keptCompilers } from './compilers.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';
import { watchAnswers } from './openapi-watch.ts';
import { SECRET } from './postgres.ts';
import { forSuite } from './suite.ts';
import { NO_LOAD_SHEDDING, TIMEOUT_MS } from './timeouts.ts';

export { SECRET };

export interface TestApp extends App {
  readonly clock: TestClock;
  readonly database: TestDatabase;
  readonly mailbox: Mailbox;
  readonly logs: Record<string, unknown>[];
  close(): Promise<void>;
}

interface Options {
  environment?: Environment;
  features?: AppOptions['features'];
  clock?: TestClock;
  database?: TestDatabase;
  /** Whether to hash passwords at the required cost. For tests of the cost itself. */
  realHashes?: boolean;
}

/** The minimum that argon2 accepts. */
export const CHEAP_HASHES = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** Starts the whole service in this process, by default on a new database, with a clock that the test sets. */
export async function startTestApp(options: Options = {}): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'gh-app-'));
  const config = loadConfig({
    NODE_ENV: 'test',
    JWT_SECRET: SECRET,
    PUBLIC_BASE_URL: 'http://localhost:8080',
    DATA_DIR: folder,
    ...NO_LOAD_SHEDDING,
    ...options.environment,
  });
  const clock = options.clock ?? createTestClock();
  const database = options.database ?? (await createTestDatabase());
  const logs: Record<string, unknown>[] = [];
  const log = createLogger({ level: 'debug', stream: { write: (line) => void logs.push(JSON.parse(line)) } });
  const cleanUp = async () => {
    if (!options.database) await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const app = await begin(() =>
    createApp({
      config,
      log,
      database,
      clock,
      compilers: keptCompilers,
      hashCost: options.realHashes ? undefined : CHEAP_HASHES,
      ssoTimeoutMs: TIMEOUT_MS,
      ...(options.features && { features: options.features }),
    }),
  ).catch(async (error) => {
    await cleanUp();
    throw error;
  });
  const watch = watchAnswers({ server: app.server, config, features: options.features });
  return {
    ...app,
    clock,
    database,
    mailbox: openMailbox({ ...app, clock }),
    logs,
    async close() {
      await app.stop();
      await cleanUp();
      watch.settle();
    },
  };
}

async function begin(create: () => App): Promise<App> {
  const app = create();
  await app.start();
  return app;
}

interface SessionOptions {
  aal?: 'aal1' | 'aal2';
  role?: 'owner' | 'admin' | 'member';
  platform_role?: 'viewer' | 'admin' | 'owner' | null;
  mfa_verified_at?: Date | null;
  email_verified?: boolean;
  /** An existing organization. Default: a new one. */
  organization_id?: string;
}

/** Inserts a user, its membership and a session into the database, and issues an access token for the session. */
export async function insertSession({ deps, clock }: TestApp, options: SessionOptions = {}) {
  const now = clock.now();
  const [user_id, organization_id, session_id] = [uuid(), options.organization_id ?? uuid(), uuid()];
  const email = `${user_id}@example.com`;
  const aal = options.aal ?? 'aal1';
  // One statement: tests insert thousands of sessions.
  await deps.db
    .with('organization', (db) =>
      db
        .insertInto('organizations')
        .values({
          id: organization_id,
          name: 'Example',
          slug: `example-${organization_id}`,
          created_at: now,
          suspended_at: null,
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    )
    .with('inserted_user', (db) =>
      db.insertInto('users').values({
        id: user_id,
        email,
        email_verified_at: options.email_verified ? now : null,
        display_name: null,
        locale: null,
        status: 'active',
        platform_role: options.platform_role ?? null,
        created_at: now,
        updated_at: now,
      }),
    )
    .with('membership', (db) =>
      db
        .insertInto('memberships')
        .values({ organization_id, user_id, role: options.role ?? 'owner', joined_at: now, revoked_at: null }),
    )
    .insertInto('sessions')
    .values({
      id: session_id,
      user_id,
      organization_id,
      auth_method: 'password',
      aal,
      auth_time: now,
      mfa_verified_at: options.mfa_verified_at ?? null,
      created_at: now,
      last_used_at: now,
      expires_at: after(now, deps.config.REFRESH_TOKEN_TTL),
      access_expires_at: after(now, deps.config.ACCESS_TOKEN_TTL),
      ip_address: null,
      user_agent: null,
      revoked_at: null,
    })
    .execute();
  const claims = {
    sub: user_id,
    org: organization_id,
    sid: session_id,
    email,
    email_verified: options.email_verified ?? false,
    jti: uuid(),
    aal,
    auth_method: 'password',
  } as const;
  const { access_token } = await deps.accessTokens.issue(
    { ...claims, auth_time: seconds(now) },
    { now, session_ends: after(now, deps.config.REFRESH_TOKEN_TTL) },
  );
  return { user_id, organization_id, session_id, email, access_token };
}

export const useTestApp = (options?: Options): TestApp => forSuite(() => startTestApp(options));
