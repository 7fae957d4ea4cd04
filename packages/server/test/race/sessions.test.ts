import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type Browser,
  bearer,
  claimsOf,
  createBrowser,
  newEmail,
  newSlug,
  PASSWORD,
  refreshTokenIn,
  refreshWith,
  registerUser,
  signInAgain,
  tally,
} from '../browser.ts';
import { asAdmin, createTestDatabase } from '../database.ts';
import { startLocalServer } from '../in-process.ts';
import { liveSessions } from '../records.ts';
import { isRefusedInTime, isSignedIn } from '../replicas.ts';
import { insertMembership } from '../team.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';
import { ROUNDS, useProcesses } from './processes-fixture.ts';

const replicas = useProcesses();

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

describe('a session that ends on one server', () => {
  const ends: [string, (browser: Browser, id: string) => Promise<unknown>][] = [
    ['logout', (browser) => browser.post('/auth/logout')],
    ['revocation', (browser, id) => browser.delete(`/auth/sessions/${id}`)],
    ['revocation of all', (browser) => browser.delete('/auth/sessions?include_current=true')],
  ];

  it.each(ends)(
    'a session that ends on one server by %s is refused there on the next request, and on the other within 5 seconds',
    async (_name, end) => {
      const user = await registerUser(here());
      expect(await isSignedIn(there(), user.access_token)).toBe(true);
      await end(user.browser, user.session_id);
      expect(await isSignedIn(here(), user.access_token)).toBe(false);
      expect(await isRefusedInTime(there(), user.access_token)).toBe(true);
    },
  );

  it('a session that ends on one server is refused on the other within 5 seconds although the bus connections were cut', async () => {
    const cut = () =>
      asAdmin(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${replicas.database.name}' and application_name like 'gatehouse bus%'`,
      );
    const user = await registerUser(here());
    expect(await isSignedIn(there(), user.access_token)).toBe(true);
    await cut();
    await user.browser.post('/auth/logout');
    await cut();
    expect(await isRefusedInTime(there(), user.access_token)).toBe(true);
  });

  it('is in the feed of both servers within 5 seconds', async () => {
    const user = await registerUser(here());
    await user.browser.post('/auth/logout');
    for (const url of [here(), there()]) {
      let found = false;
      for (const end = performance.now() + INVALIDATED_WITHIN_MS; !found && performance.now() < end; await sleep(50)) {
        const feed = await createBrowser(url).get('/.well-known/service-revocations.json');
        found = feed.json.revocations.some(({ sid }: { sid: string }) => sid === user.session_id);
      }
      expect(found).toBe(true);
    }
  });
});

describe('a server without its database', () => {
  const until = async (url: string, token: string, status: number): Promise<boolean> => {
    for (const end = performance.now() + INVALIDATED_WITHIN_MS; performance.now() < end; await sleep(50)) {
      if ((await createBrowser(url).get('/auth/session', bearer(token))).status === status) return true;
    }
    return false;
  };

  it('a server without its database returns 500 instead of cached state, and recovers with the database', async () => {
    const other = await createTestDatabase();
    const lonely = await startLocalServer({ DATABASE_URL: other.url, DATA_DIR: replicas.folder });
    try {
      const user = await registerUser(lonely.url);
      expect(await isSignedIn(lonely.url, user.access_token)).toBe(true);
      await asAdmin(`alter database ${other.name} with allow_connections false`);
      await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${other.name}'`);
      expect(await until(lonely.url, user.access_token, 500)).toBe(true);
      await asAdmin(`alter database ${other.name} with allow_connections true`);
      expect(await until(lonely.url, user.access_token, 200)).toBe(true);
    } finally {
      await lonely.stop();
      await other.close();
    }
  });
});

describe('races on two servers', () => {
  it('20 refreshes with one token: one succeeds, and the session stays valid', async () => {
    const user = await registerUser(here());
    const token = user.browser.jar.get('service_rt')!;
    const answers = await replicas.many(20, (url) => refreshWith(url, token));
    expect(tally(answers)).toEqual({ 200: 1, 401: 19 });
    const winner = answers.find(({ status }) => status === 200)!;
    expect((await refreshWith(there(), refreshTokenIn(winner)!)).status).toBe(200);
  });

  it('a refresh that races a logout leaves no valid token', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const token = user.browser.jar.get('service_rt')!;
      const [refreshed] = await Promise.all([refreshWith(there(), token), user.browser.post('/auth/logout')]);
      const next = refreshTokenIn(refreshed);
      for (const url of [here(), there()]) {
        expect((await refreshWith(url, token)).status).toBe(401);
        if (next) expect((await refreshWith(url, next)).status).toBe(401);
      }
      if (refreshed.status === 200) {
        expect(await isRefusedInTime(there(), refreshed.json.access_token)).toBe(true);
        expect(await isRefusedInTime(here(), refreshed.json.access_token)).toBe(true);
      }
    }
  });

  it('ten registrations of one email, and of one slug, create one account', async () => {
    const name = newEmail('race');
    const register = (changes: object) =>
      replicas.many(10, (url) =>
        createBrowser(url).post('/auth/register', {
          email: newEmail(),
          password: PASSWORD,
          organization_name: name,
          ...changes,
        }),
      );
    expect(tally(await register({ email: newEmail() }))).toEqual({ 201: 1, 409: 9 });
    expect(tally(await register({ organization_slug: newSlug() }))).toEqual({ 201: 1, 409: 9 });
    const tenants = await replicas.database.db
      .selectFrom('organizations')
      .select('id')
      .where('name', '=', name)
      .execute();
    expect(tenants).toHaveLength(2);
  });

  it('wrong passwords are counted over both servers: 20 are checked', async () => {
    const user = await registerUser(here());
    const guess = (url: string, password: string) =>
      createBrowser(url).post('/auth/login', { email: user.email, password });
    const answers = await replicas.many(30, (url) => guess(url, 'wrong password'));
    expect(tally(answers)).toEqual({ 401: 20, 429: 10 });
    expect((await guess(there(), PASSWORD)).status).toBe(429);
  });

  it('a stolen session that keeps switching organizations is ended by DELETE /auth/sessions of another session', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const thief = await signInAgain(there(), user);
      const other = await registerUser(here());
      await insertMembership(replicas.database, { organization_id: other.organization_id, user_id: user.user_id });
      const places = [other.organization_id, user.organization_id];
      let stop = false;
      const run = async () => {
        for (let index = 0; !stop; index++) {
          const organization_id = places[index % 2]!;
          const cookies = new Map(thief.jar);
          const answer = await createBrowser(replicas.either(index), cookies).post('/auth/organization', {
            organization_id,
          });
          if (answer.status !== 200) return;
          for (const [name, value] of cookies) thief.jar.set(name, value);
        }
      };
      const running = run();
      await sleep(100);
      expect((await user.browser.delete('/auth/sessions')).status).toBe(204);
      const ended = await Promise.race([running.then(() => true), sleep(5_000, false)]);
      stop = true;
      await running;
      expect(ended).toBe(true);
      expect(await liveSessions(replicas.database, user.user_id)).toEqual([user.session_id]);
    }
  });

  it('sign-ins that race DELETE /auth/sessions are listed or rejected, and the caller stays signed in', async () => {
    const user = await registerUser(here());
    const [, browsers] = await Promise.all([
      user.browser.delete('/auth/sessions'),
      replicas.many(6, (url) => signInAgain(url, user)),
    ]);
    const listed = (await user.browser.get('/auth/sessions')).json.items.map(({ id }: { id: string }) => id);
    for (const browser of browsers) {
      const token = browser.jar.get('service_at')!;
      if (!listed.includes(claimsOf(token).sid)) expect(await isRefusedInTime(there(), token)).toBe(true);
    }
    expect(listed).toContain(user.session_id);
  });
});
