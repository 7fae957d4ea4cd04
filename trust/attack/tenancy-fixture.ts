import { featuresOf } from '../../packages/server/src/app.ts';
import { CONFIG_KEY } from '../../packages/server/src/features/social/oauth-fixture.ts';
import { createCsrfToken } from '../../packages/server/src/http/csrf.ts';
import type { Route } from '../../packages/server/src/http/route.ts';
import { type Stage, setStage } from '../../packages/server/test/access-walk.ts';
import { createBrowser, PASSWORD, type TestUser } from '../../packages/server/test/browser.ts';
import { createTestClock } from '../../packages/server/test/clock.ts';
import { insertSession, startTestApp, type TestApp } from '../../packages/server/test/harness.ts';
import { setUser } from '../../packages/server/test/records.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';

export interface Tenants {
  readonly replicas: Replicas;
  /** A service in this process on the same database. It inserts users and signs their tokens, but gets no requests. */
  readonly localApp: TestApp;
  readonly routes: ReadonlyMap<string, Route>;
  stage(): Promise<Stage>;
  close(): Promise<void>;
}

export async function insertUser({ localApp }: Tenants, url: string): Promise<TestUser> {
  localApp.clock.set(new Date());
  const session = await insertSession(localApp);
  await setUser(localApp, session.user_id, { password_hash: await localApp.deps.passwords.hash(PASSWORD, '') });
  const jar = new Map([
    ['service_at', session.access_token],
    ['service_csrf', createCsrfToken(localApp.deps.keyring, session.session_id)],
  ]);
  return { ...session, browser: createBrowser(url, jar), password: PASSWORD };
}

export async function startTenants(servers: number): Promise<Tenants> {
  const settings = {
    TIER: 'premium',
    LIMIT_INTEGRATIONS: '100000/1m',
    CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
    // Configures another provider than that of the access table, which must stay unconfigured.
    OAUTH_B_CLIENT_ID: 'client',
    OAUTH_B_CLIENT_SECRET: 'a secret of it',
  };
  const replicas = await startReplicas(servers, settings);
  const clock = createTestClock(new Date());
  const localApp = await startTestApp({ environment: settings, database: replicas.database, clock });
  const all = featuresOf(localApp.deps.config).flatMap(({ routes }) => routes);
  return {
    replicas,
    localApp,
    routes: new Map(all.map((route) => [`${route.method} ${route.path}`, route])),
    stage() {
      clock.set(new Date());
      return setStage(localApp);
    },
    async close() {
      await localApp.close();
      await replicas.close();
    },
  };
}
