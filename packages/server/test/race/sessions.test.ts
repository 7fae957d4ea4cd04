import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, bearer, createBrowser, newEmail, PASSWORD, registerPerson, signInAgain } from '../browser.ts';
import { asAdmin, createTestDatabase } from '../database.ts';
import { startServer } from '../process.ts';
import { type Replicas, startReplicas } from '../replicas.ts';

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
});
afterAll(() => replicas.close());

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

const isSignedIn = async (url: string, token: string): Promise<boolean> =>
  (await createBrowser(url).get('/auth/session', bearer(token))).status === 200;

/** The contract gives it five seconds. */
async function isRefusedInTime(url: string, token: string): Promise<boolean> {
  for (const end = performance.now() + 5_000; performance.now() < end; await sleep(20)) {
    if (!(await isSignedIn(url, token))) return true;
  }
  return false;
}

const refreshWith = (url: string, token: string) =>
  createBrowser(url, new Map([['service_rt', token]])).post('/auth/refresh');
const refreshTokenIn = (answer: { set_cookies: string[] }) =>
  answer.set_cookies.map((line) => /^service_rt=([^;]+)/.exec(line)?.[1]).find(Boolean);

describe('a session that ends on one server', () => {
  const ends: [string, (browser: Browser, id: string) => Promise<unknown>][] = [
    ['logout', (browser) => browser.post('/auth/logout')],
    ['revocation', (browser, id) => browser.delete(`/auth/sessions/${id}`)],
    ['revocation of all', (browser) => browser.delete('/auth/sessions?include_current=true')],
  ];

  it.each(ends)('%s: refused on the next request there and within 5 seconds on the other', async (_name, end) => {
    const person = await registerPerson(here());
    expect(await isSignedIn(there(), person.access_token)).toBe(true);
    await end(person.browser, person.session_id);
    expect(await isSignedIn(here(), person.access_token)).toBe(false);
    expect(await isRefusedInTime(there(), person.access_token)).toBe(true);
  });

  it('also when the bus connections were cut at that moment', async () => {
    const cut = () =>
      asAdmin(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${replicas.database.name}' and application_name = 'gatehouse bus'`,
      );
    for (let round = 0; round < 3; round++) {
      const person = await registerPerson(here());
      expect(await isSignedIn(there(), person.access_token)).toBe(true);
      await cut();
      await person.browser.post('/auth/logout');
      await cut();
      expect(await isRefusedInTime(there(), person.access_token)).toBe(true);
    }
  });

  it('is in the feed of both within 5 seconds', async () => {
    const person = await registerPerson(here());
    await person.browser.post('/auth/logout');
    for (const url of [here(), there()]) {
      let found = false;
      for (const end = performance.now() + 5_000; !found && performance.now() < end; await sleep(50)) {
        const feed = await createBrowser(url).get('/.well-known/service-revocations.json');
        found = feed.json.revocations.some(({ sid }: { sid: string }) => sid === person.session_id);
      }
      expect(found).toBe(true);
    }
  });
});

describe('a server that can learn of nothing', () => {
  const until = async (url: string, token: string, status: number): Promise<boolean> => {
    for (const end = performance.now() + 10_000; performance.now() < end; await sleep(50)) {
      if ((await createBrowser(url).get('/auth/session', bearer(token))).status === status) return true;
    }
    return false;
  };

  it('answers 500 rather than by what it remembers, and recovers with the database', async () => {
    const other = await createTestDatabase();
    const lonely = await startServer({ cwd: replicas.folder, env: { DATABASE_URL: other.url } });
    try {
      const person = await registerPerson(lonely.url);
      expect(await isSignedIn(lonely.url, person.access_token)).toBe(true);
      await asAdmin(`alter database ${other.name} with allow_connections false`);
      await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${other.name}'`);
      expect(await until(lonely.url, person.access_token, 500)).toBe(true);
      await asAdmin(`alter database ${other.name} with allow_connections true`);
      expect(await until(lonely.url, person.access_token, 200)).toBe(true);
    } finally {
      await lonely.kill();
      await other.close();
    }
  }, 30_000);
});

describe('races through two servers', () => {
  it('50 refreshes with one token: one goes on, the family lives', async () => {
    for (let round = 0; round < 3; round++) {
      const person = await registerPerson(here());
      const token = person.browser.jar.get('service_rt')!;
      const answers = await replicas.many(50, (url) => refreshWith(url, token));
      const winners = answers.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
      expect((await refreshWith(there(), refreshTokenIn(winners[0]!)!)).status).toBe(200);
    }
  });

  it('a refresh against a logout leaves no token that works', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await registerPerson(here());
      const token = person.browser.jar.get('service_rt')!;
      const [refreshed] = await Promise.all([refreshWith(there(), token), person.browser.post('/auth/logout')]);
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

  it('50 registrations of one email, and of one slug, leave one', async () => {
    const register = (index: number, changes: object) =>
      createBrowser(replicas.either(index)).post('/auth/register', {
        email: newEmail(),
        password: PASSWORD,
        organization_name: 'Race',
        ...changes,
      });
    const email = newEmail();
    const same = await Promise.all(Array.from({ length: 50 }, (_, index) => register(index, { email })));
    expect(same.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
    const organization_slug = 'the-one';
    const slugs = await Promise.all(Array.from({ length: 50 }, (_, index) => register(index, { organization_slug })));
    expect(slugs.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
    const tenants = await replicas.database.db
      .selectFrom('organizations')
      .select('id')
      .where('name', '=', 'Race')
      .execute();
    expect(tenants).toHaveLength(2);
  }, 30_000);

  it('wrong passwords are counted over both: 20 are judged', async () => {
    const person = await registerPerson(here());
    const guess = (index: number, password: string) =>
      createBrowser(replicas.either(index)).post('/auth/login', { email: person.email, password });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index, 'wrong password')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    expect((await guess(1, PASSWORD)).status).toBe(429);
  }, 30_000);

  it('sign-ins against "end all others": those that are left were opened after it', async () => {
    const person = await registerPerson(here());
    const [, ...browsers] = await Promise.all([
      person.browser.delete('/auth/sessions'),
      ...Array.from({ length: 10 }, (_, index) => signInAgain(replicas.either(index), person)),
    ]);
    const listed = (await person.browser.get('/auth/sessions')).json.items.map(({ id }: { id: string }) => id);
    for (const browser of browsers) {
      const token = browser.jar.get('service_at')!;
      const { sid } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
      if (!listed.includes(sid)) expect(await isRefusedInTime(there(), token)).toBe(true);
    }
    expect(listed).toContain(person.session_id);
  });
});
