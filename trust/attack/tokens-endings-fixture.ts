import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  type Answer,
  type Browser,
  bearer,
  claimsOf,
  createBrowser,
  PASSWORD,
  refreshTokenIn,
  refreshWith,
  registerUser,
  signInAgain,
  type TestUser,
} from '../../packages/server/test/browser.ts';
import { linkTo, mailed } from '../../packages/server/test/mailed.ts';
import { revocationsOf, setUser } from '../../packages/server/test/records.ts';
import { isRefusedInTime, isSignedIn, type Replicas } from '../../packages/server/test/replicas.ts';
import { enrolNew } from '../../packages/server/test/second-factor.ts';
import { insertMembership, teammate } from '../../packages/server/test/team.ts';
import { INVALIDATED_WITHIN_MS } from '../../packages/server/test/timeouts.ts';
import type { Ledger } from '../ledger.ts';

interface Scene {
  readonly replicas: Replicas;
  readonly victim: TestUser;
  another(): Promise<Browser>;
  /** A platform owner. */
  readonly admin: Browser;
  /** The owner of the organization of which the victim is a member. */
  readonly owner: TestUser;
}

type Ending = (scene: Scene) => Promise<Answer>;

const newPassword = 'quite another password';

/** All ways to end a session. Each returns the response of its last step. */
export const ENDINGS: Readonly<Record<string, Ending>> = {
  'signing out': ({ victim }) => victim.browser.post('/auth/logout'),
  'signing out by Bearer': ({ victim, replicas }) =>
    createBrowser(replicas.urls[0]!).post('/auth/logout', undefined, bearer(victim.access_token)),
  'signing out by the refresh cookie alone': ({ victim, replicas }) =>
    createBrowser(replicas.urls[0]!, new Map([['service_rt', victim.browser.jar.get('service_rt')!]])).post(
      '/auth/logout',
    ),
  'revoking it': async ({ victim, another }) => (await another()).delete(`/auth/sessions/${victim.session_id}`),
  'revoking all others': async ({ another }) => (await another()).delete('/auth/sessions'),
  'revoking all': async ({ another }) => (await another()).delete('/auth/sessions?include_current=true'),
  'a changed password': async ({ another }) =>
    (await another()).post('/users/me/password', { current_password: PASSWORD, new_password: newPassword }),
  'a password that was reset': async ({ victim, replicas }) => {
    const anonymous = createBrowser(replicas.urls[0]!);
    await anonymous.post('/auth/password/forgot', { email: victim.email });
    const token = await mailed(replicas, victim.email, linkTo('reset-password'));
    return anonymous.post('/auth/password/reset', { token, new_password: newPassword });
  },
  'another organization': async ({ victim, replicas }) => {
    const elsewhere = await registerUser(replicas.urls[0]!);
    await insertMembership(replicas.database, { organization_id: elsewhere.organization_id, user_id: victim.user_id });
    const { organization_id } = elsewhere;
    const browser = createBrowser(replicas.urls[0]!, new Map(victim.browser.jar));
    return browser.post('/auth/organization', { organization_id });
  },
  'removal from the organization': ({ victim, owner }) =>
    owner.browser.delete(`/orgs/${owner.organization_id}/members/${victim.user_id}`),
  'leaving the organization': ({ victim, owner }) =>
    victim.browser.delete(`/orgs/${owner.organization_id}/members/${victim.user_id}`),
  'a suspended organization': ({ owner, admin }) =>
    admin.patch(`/admin/orgs/${owner.organization_id}`, { suspended: true }),
  'a sign-out by the platform': ({ victim, admin }) => admin.delete(`/admin/users/${victim.user_id}/sessions`),
  'a disabled account': ({ victim, admin }) => admin.patch(`/admin/users/${victim.user_id}`, { status: 'disabled' }),
  'a deleted account': ({ victim, admin }) => admin.delete(`/admin/users/${victim.user_id}`),
  'a refresh token that was used twice': async ({ victim, replicas: { urls, database } }) => {
    const used = victim.browser.jar.get('service_rt')!;
    const { jti } = claimsOf(used);
    await refreshWith(urls[0]!, used);
    // Moves the first use back by an hour, because a reuse shortly after the first use could be another tab.
    await sql`update refresh_uses set used_at = used_at - interval '1 hour' where jti = ${jti}`.execute(database.db);
    return refreshWith(urls[1]!, used);
  },
};

export async function registerAdmin({ urls, database }: Replicas): Promise<Browser> {
  const admin = await registerUser(urls[0]!);
  await setUser(database, admin.user_id, { platform_role: 'owner' });
  return signInAgain(urls[0]!, admin);
}

export async function setScene(replicas: Replicas, admin: Browser, owner: TestUser): Promise<Scene> {
  const url = replicas.urls[0]!;
  const victim = await teammate(url, replicas.database, owner);
  return { replicas, admin, owner, victim, another: () => signInAgain(url, victim) };
}

/** Ends a session on the first server and checks on all servers that it is invalid. */
export async function tryEnding(ledger: Ledger, name: string, scene: Scene): Promise<void> {
  const { replicas, victim } = scene;
  const { urls, database } = replicas;
  const { access_token, session_id } = victim;
  const refresh = victim.browser.jar.get('service_rt')!;
  for (const url of urls) if (!(await isSignedIn(url, access_token))) throw new Error(`${name}: it was dead before`);
  const { status, text } = await ENDINGS[name]!(scene);
  const done = name.includes('used twice') ? status === 401 : status < 300;
  ledger.enter(`${name} is answered`, done ? undefined : `${status} ${text}`);
  // The replica that ended the session must refuse at once: the second one if it detected the reuse of a token.
  const [here, there] = name.includes('used twice') ? [urls[1]!, urls[0]!] : [urls[0]!, urls[1]!];
  await ledger.attempt(`${name}: the access token at the same server`, async () =>
    (await isSignedIn(here, access_token)) ? 'lives' : undefined,
  );
  await ledger.attempt(`${name}: the access token on the other server`, async () =>
    (await isRefusedInTime(there, access_token)) ? undefined : 'lives',
  );
  for (const url of urls) {
    await ledger.attempt(`${name}: the refresh token`, async () => {
      const answer = await refreshWith(url, refresh);
      return answer.status === 401 && refreshTokenIn(answer) === undefined ? undefined : `${answer.status}`;
    });
    await ledger.attempt(`${name}: the feed`, async () => ((await isInFeed(url, session_id)) ? undefined : 'missing'));
  }
  await ledger.attempt(`${name}: the row of the feed`, async () =>
    (await revocationsOf(database, session_id)).length === 1 ? undefined : 'missing',
  );
}

async function isInFeed(url: string, session_id: string): Promise<boolean> {
  for (const end = performance.now() + INVALIDATED_WITHIN_MS; performance.now() < end; await sleep(100)) {
    const { json } = await createBrowser(url).get('/.well-known/service-revocations.json');
    if (json.revocations.some(({ sid }: { sid: string }) => sid === session_id)) return true;
  }
  return false;
}

interface Taking {
  /** Creates a user who has what the session will lose. */
  prepare(replicas: Replicas, admin: Browser): Promise<{ token: string; take(): Promise<Answer> }>;
  /** Whether the user still has it, according to this server. */
  has(url: string, token: string): Promise<boolean>;
}

const sessionAt = async (url: string, token: string) =>
  (await createBrowser(url).get('/auth/session', bearer(token))).json;

/** What a session can lose without ending. */
export const TAKINGS: Readonly<Record<string, Taking>> = {
  'a role in the organization': {
    async prepare({ urls, database }) {
      const owner = await registerUser(urls[0]!);
      const { user_id, access_token: token } = await teammate(urls[0]!, database, owner, 'admin');
      const path = `/orgs/${owner.organization_id}/members/${user_id}`;
      return { token, take: () => owner.browser.patch(path, { role: 'member' }) };
    },
    has: async (url, token) => (await sessionAt(url, token)).capabilities.permissions.includes('members.invite'),
  },
  'a role on the platform': {
    async prepare({ urls, database }, admin) {
      const { user_id, access_token: token } = await registerUser(urls[0]!);
      await setUser(database, user_id, { platform_role: 'admin' });
      const path = `/admin/users/${user_id}/platform-role`;
      return { token, take: () => admin.send('PUT', path, { body: { role: null } }) };
    },
    has: async (url, token) => (await createBrowser(url).get('/admin/users', bearer(token))).status === 200,
  },
  'a second factor that was reset': {
    async prepare({ urls }, admin) {
      const { user_id, verified_token: token } = await enrolNew(urls[0]!);
      return { token, take: () => admin.post(`/admin/users/${user_id}/mfa/reset`) };
    },
    has: async (url, token) => (await sessionAt(url, token)).user.mfa_verified_at !== null,
  },
};

export async function tryTaking(
  ledger: Ledger,
  name: string,
  { prepare, has }: Taking,
  replicas: Replicas,
  admin: Browser,
): Promise<void> {
  const { token, take } = await prepare(replicas, admin);
  for (const url of replicas.urls) {
    await ledger.attempt(`${name}: exists before`, async () => ((await has(url, token)) ? undefined : 'missing'));
  }
  const { status, text } = await take();
  ledger.enter(`${name}: is removed`, status < 300 ? undefined : `${status} ${text}`);
  await ledger.attempt(`${name}: at the same server`, async () =>
    (await has(replicas.urls[0]!, token)) ? 'there' : undefined,
  );
  await ledger.attempt(`${name}: on the other server`, async () => {
    for (const end = performance.now() + INVALIDATED_WITHIN_MS; performance.now() < end; await sleep(20)) {
      if (!(await has(replicas.urls[1]!, token))) return undefined;
    }
    return 'there';
  });
}
