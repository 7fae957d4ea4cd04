import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OAUTH_PROVIDERS } from '@gatehouse/contract';
import { createAccessTokens } from '../../packages/server/src/domain/sessions/access-token.ts';
import { createSigningKeys } from '../../packages/server/src/domain/signing-keys/keys.ts';
import { createCsrfToken } from '../../packages/server/src/http/csrf.ts';
import { hashArgon2 } from '../../packages/server/src/platform/argon2/argon2.ts';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import { PASSWORD } from '../../packages/server/test/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/database.ts';
import { CHEAP_HASHES, insertSession, SECRET, type TestApp } from '../../packages/server/test/harness.ts';
import { startLocalServer } from '../../packages/server/test/in-process.ts';
import { NO_LIMITS } from '../../packages/server/test/no-limits.ts';
import { type Server, startServer } from '../../packages/server/test/process.ts';
import { setUser } from '../../packages/server/test/records.ts';
import { isFull } from '../effort.ts';

export interface Account {
  readonly user_id: string;
  readonly organization_id: string;
  readonly session_id: string;
  readonly email: string;
  readonly access_token: string;
  readonly csrf: string;
}

type UserOptions = NonNullable<Parameters<typeof insertSession>[1]>;

export interface Service {
  readonly database: TestDatabase;
  /** The servers that are processes: all of them in the full form. */
  readonly servers: readonly Server[];
  /** The DATA_DIR of all servers. */
  readonly folder: string;
  /** Each call returns the next server, in rotation. */
  url(): string;
  insertUser(options?: UserOptions): Promise<Account>;
  /** Returns the first error that a server has logged, or its exit; undefined if there is none. */
  complaint(): string | undefined;
  close(): Promise<void>;
}

/** Nothing listens here: requests to third parties fail at once and do not leave this machine. */
const NOWHERE = 'http://127.0.0.1:9';
const ISSUER = 'http://localhost:8080';

/** The settings of the servers: no rate limits, and all features enabled. */
const SETTINGS: Readonly<Record<string, string>> = {
  PUBLIC_BASE_URL: ISSUER,
  LOG_LEVEL: 'error',
  TIER: 'premium',
  CONFIG_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  EMAIL_API_BASE_URL: NOWHERE,
  ...NO_LIMITS,
  ...Object.fromEntries(OAUTH_PROVIDERS.map((provider) => [`${provider.toUpperCase()}_TOKEN_URL`, `${NOWHERE}/token`])),
  OAUTH_A_CLIENT_ID: 'client',
  OAUTH_A_CLIENT_SECRET: 'a secret of a client',
};

/** Starts servers in this process in the short form, unless they need options of Node. */
export async function startService(count: number, env: Record<string, string> = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'gh-fuzz-'));
  const database = await createTestDatabase();
  const settings = { ...SETTINGS, DATABASE_URL: database.url, DATA_DIR: folder, ...env };
  const atOnce = <T>(start: () => Promise<T>) => Promise.all(Array.from({ length: count }, start));
  const areProcesses = isFull || env.NODE_OPTIONS !== undefined;
  const servers = areProcesses ? await atOnce(() => startServer({ cwd: folder, env: settings })) : [];
  const local = areProcesses ? [] : await atOnce(() => startLocalServer(settings));
  const urls = [...servers, ...local].map(({ url }) => url);
  let asked = 0;
  return {
    database,
    servers,
    folder,
    url: () => urls[asked++ % count]!,
    insertUser: await userFactory(database),
    complaint: () => servers.map(complaintOf).find(Boolean),
    async close() {
      await Promise.all([...servers.map((server) => server.kill()), ...local.map((server) => server.stop())]);
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function complaintOf({ child, output }: Server): string | undefined {
  if (child.exitCode !== null || child.signalCode !== null) return `the server has ended: ${output().slice(-500)}`;
  return output()
    .split('\n')
    .find((line) => /"level":(50|60)/.test(line))
    ?.slice(0, 1000);
}

async function userFactory(database: TestDatabase): Promise<Service['insertUser']> {
  const keyring = createKeyring(SECRET);
  const keys = createSigningKeys(database.db, systemClock, keyring);
  await keys.reload();
  const ttl = 24 * 3600;
  const accessTokens = createAccessTokens({
    keys,
    clock: systemClock,
    issuer: ISSUER,
    ttl,
    ensureRestrictedKey: async () => {},
  });
  const config = { REFRESH_TOKEN_TTL: ttl, ACCESS_TOKEN_TTL: ttl };
  // The parts of the service that are needed to sign a token.
  const place = { deps: { db: database.db, accessTokens, config }, clock: systemClock } as unknown as TestApp;
  const password_hash = await hashArgon2(PASSWORD, CHEAP_HASHES);
  return async (options = {}) => {
    const user = await insertSession(place, options);
    await setUser(database, user.user_id, { password_hash });
    return { ...user, csrf: createCsrfToken(keyring, user.session_id) };
  };
}
