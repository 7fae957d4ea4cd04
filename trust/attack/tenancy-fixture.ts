import { featuresOf } from '../../packages/server/src/app.ts';
import { CONFIG_KEY } from '../../packages/server/src/features/oauth/oauth-fixture.ts';
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
  /** The same service in this process, on the same database: it puts people there and signs their tokens, and is never asked. */
  readonly backstage: TestApp;
  readonly routes: ReadonlyMap<string, Route>;
  /** Everybody anew, as of now. */
  stage(): Promise<Stage>;
  close(): Promise<void>;
}

/** Somebody new who is signed in at this server and has a password; put there, so that nobody has to wait for a registration. */
export async function newcomer({ backstage }: Tenants, url: string): Promise<TestUser> {
  backstage.clock.set(new Date());
  const session = await insertSession(backstage);
  await setUser(backstage, session.user_id, { password_hash: await backstage.deps.passwords.hash(PASSWORD, '') });
  const jar = new Map([
    ['service_at', session.access_token],
    ['service_csrf', createCsrfToken(backstage.deps.keyring, session.session_id)],
  ]);
  return { ...session, browser: createBrowser(url, jar), password: PASSWORD };
}

export async function startTenants(servers: number): Promise<Tenants> {
  const settings = {
    TIER: 'premium',
    LIMIT_INTEGRATIONS: '100000/1m',
    CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
    // Not the one of the access table, which nobody has configured.
    OAUTH_B_CLIENT_ID: 'client',
    OAUTH_B_CLIENT_SECRET: 'a secret of it',
  };
  const replicas = await startReplicas(servers, settings);
  const clock = createTestClock(new Date());
  const backstage = await startTestApp({ environment: settings, database: replicas.database, clock });
  const all = featuresOf(backstage.deps.config).flatMap(({ routes }) => routes);
  return {
    replicas,
    backstage,
    routes: new Map(all.map((route) => [`${route.method} ${route.path}`, route])),
    stage() {
      clock.set(new Date());
      return setStage(backstage);
    },
    async close() {
      await backstage.close();
      await replicas.close();
    },
  };
}
