import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  arrive,
  arriveBy,
  begin,
  beginLink,
  CONFIG_KEY,
  livingOf,
  newUser,
  signInWith,
  wordOf,
} from '../../src/features/oauth/oauth-fixture.ts';
import { type Answer, type Browser, createBrowser, newEmail, type TestUser, tally } from '../browser.ts';
import { startFakeProvider } from '../fake-providers/provider.ts';
import type { FakeProvider } from '../fake-providers/types.ts';
import { auditOf, countingRows, countSessions, knowToken, liveSessions, setUser } from '../records.ts';
import { type Replicas, startProcesses } from '../replicas.ts';

let google: FakeProvider;
let github: FakeProvider;
let replicas: Replicas;
beforeAll(async () => {
  [google, github] = await Promise.all([startFakeProvider('oauth_a'), startFakeProvider('oauth_b')]);
  replicas = await startProcesses(2, {
    CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
    ...google.environment,
    ...github.environment,
    OAUTH_A_CLIENT_ID: google.settings.public_config.client_id!,
    OAUTH_A_CLIENT_SECRET: google.settings.secret,
    OAUTH_B_CLIENT_ID: github.settings.public_config.client_id!,
    OAUTH_B_CLIENT_SECRET: github.settings.secret,
  });
});
afterAll(async () => {
  await replicas.close();
  await Promise.all([google.close(), github.close()]);
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;
/** The same browser, at another of the servers. */
const at = (url: string, { jar }: Browser): Browser => createBrowser(url, new Map(jar));
const countExchanges = () => google.requests.filter(({ path }) => path === '/token').length;

/** A way to Google and back, up to the callback. */
interface Way {
  readonly browser: Browser;
  readonly path: string;
}
const JSON_WANTED = { headers: { accept: 'application/json' } };
const finish = (url: string, { browser, path }: Way): Promise<Answer> => at(url, browser).get(path, JSON_WANTED);

/** So many of them, each in a browser of its own, for whoever is at Google now. */
const waysIn = (count: number): Promise<Way[]> =>
  replicas.many(count, async (url) => {
    const browser = createBrowser(url);
    return { browser, path: await arrive(browser, google, await begin(browser, 'oauth_a')) };
  });

/** One that links whoever is at Google now to the account of this browser. */
const wayToLink = async (browser: Browser): Promise<Way> => ({
  browser,
  path: await arrive(browser, google, await beginLink(browser, 'oauth_a')),
});

/** So many of them, each for somebody else at Google. */
async function waysToLink(browser: Browser, count: number): Promise<Way[]> {
  const ways = [];
  for (let index = 0; index < count; index++) {
    newUser(google);
    ways.push(await wayToLink(browser));
  }
  return ways;
}

const livingAtGoogle = async ({ user_id }: TestUser) =>
  (await livingOf(replicas.database, user_id)).filter(({ provider }) => provider === 'oauth_a');

describe('third-party sign-in through two servers', () => {
  it('begun on one, finished on the other', async () => {
    newUser(google);
    const [way] = await waysIn(1);
    const answer = await finish(there(), way!);
    expect(answer.json.status).toBe('success');
  });

  it('50 times the same callback: one session, and one exchange of its code', async () => {
    for (let round = 0; round < 3; round++) {
      newUser(google);
      const [way] = await waysIn(1);
      const before = countExchanges();
      const { result, rows } = await countingRows(replicas.database, ['users', 'sessions', 'identities'], () =>
        replicas.many(50, (url) => finish(url, way!)),
      );
      expect(tally(result)).toEqual({ 200: 1, 401: 49 });
      for (const answer of result) if (answer.status === 401) expect(wordOf(answer)).toBe('invalid_state');
      expect(rows).toEqual({ users: 1, sessions: 1, identities: 1 });
      expect(countExchanges() - before).toBe(1);
    }
  });

  it('ten ways of one who is new, at once: one account, one identity, all signed in to it', async () => {
    for (let round = 0; round < 3; round++) {
      newUser(google);
      const ways = await waysIn(10);
      const tables = ['users', 'organizations', 'identities', 'mails', 'sessions'] as const;
      const { result, rows } = await countingRows(replicas.database, tables, () =>
        replicas.many(10, (url, index) => finish(url, ways[index]!)),
      );
      expect(tally(result)).toEqual({ 200: 10 });
      expect(rows).toEqual({ users: 1, organizations: 1, identities: 1, mails: 1, sessions: 10 });
      expect(new Set(result.map(({ json }) => json.user.user_id)).size).toBe(1);
    }
  });

  it('ten ways of one whose verified account is there: one identity, one mail, all signed in to it', async () => {
    for (let round = 0; round < 3; round++) {
      const { user_id, email } = await arriveBy(here(), github);
      await setUser(replicas.database, user_id, { email_verified_at: new Date() });
      newUser(google, { email });
      const ways = await waysIn(10);
      const { result, rows } = await countingRows(replicas.database, ['users', 'identities', 'mails'], () =>
        replicas.many(10, (url, index) => finish(url, ways[index]!)),
      );
      expect(tally(result)).toEqual({ 200: 10 });
      expect(rows).toEqual({ users: 0, identities: 1, mails: 1 });
      expect(new Set(result.map(({ json }) => json.user.user_id))).toEqual(new Set([user_id]));
      const told = await auditOf(replicas.database, { actor_id: user_id, action: 'auth.oauth.linked' });
      expect(told).toHaveLength(1);
    }
  });

  it('two people with one new email: one gets the account, the other is told that it is there', async () => {
    for (let round = 0; round < 3; round++) {
      const email = newEmail('both');
      newUser(google, { email });
      const [first] = await waysIn(1);
      newUser(google, { email });
      const [second] = await waysIn(1);
      const answers = await Promise.all([finish(here(), first!), finish(there(), second!)]);
      expect(tally(answers)).toEqual({ 200: 1, 409: 1 });
      expect(answers.map(wordOf)).toContain('account_exists');
    }
  });
});

describe('links through two servers', () => {
  it('two accounts want the same identity: one gets it', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await arriveBy(here(), github), await arriveBy(there(), github)];
      newUser(google);
      const ways = [await wayToLink(one.browser), await wayToLink(two.browser)];
      const answers = await replicas.many(2, (url, index) => finish(url, ways[index]!));
      expect(tally(answers)).toEqual({ 200: 1, 409: 1 });
      expect(answers.map(wordOf)).toContain('identity_in_use');
      const winner = answers[0]!.status === 200 ? one : two;
      expect(await livingAtGoogle(winner)).toHaveLength(1);
      expect((await signInWith(here(), google)).json.user.user_id).toBe(winner.user_id);
    }
  });

  it('one account links the same identity ten times at once: one row, and all are told that it is linked', async () => {
    const account = await arriveBy(here(), github);
    newUser(google);
    const ways = await replicas.many(10, (url) => wayToLink(at(url, account.browser)));
    const { result, rows } = await countingRows(replicas.database, ['identities', 'mails'], () =>
      replicas.many(10, (url, index) => finish(url, ways[index]!)),
    );
    expect(tally(result)).toEqual({ 200: 10 });
    expect(new Set(result.map(({ json }) => json.identity.id)).size).toBe(1);
    expect(rows).toEqual({ identities: 1, mails: 1 });
  });

  it('the last two identities are taken away at once: one stays', async () => {
    for (let round = 0; round < 8; round++) {
      const account = await arriveBy(here(), github);
      newUser(google);
      await finish(here(), await wayToLink(account.browser));
      const rows = await livingOf(replicas.database, account.user_id);
      expect(rows).toHaveLength(2);
      const answers = await replicas.many(2, (url, index) =>
        at(url, account.browser).delete(`/users/me/identities/${rows[index]!.id}`),
      );
      expect(tally(answers)).toEqual({ 204: 1, 409: 1 });
      expect(await livingOf(replicas.database, account.user_id)).toHaveLength(1);
    }
  });

  it('once the session has ended on one server, nothing is linked on the other', async () => {
    for (let round = 0; round < 4; round++) {
      const account = await arriveBy(here(), github);
      const thief = (await signInWith(there(), github)).browser;
      const ways = await waysToLink(thief, 8);
      const linking = replicas.many(7, (url, index) => finish(url, ways[index]!));
      expect((await account.browser.delete('/auth/sessions')).status).toBe(204);
      const before = await livingAtGoogle(account);
      // This one certainly comes later, to a server that may not know of it yet.
      expect(wordOf(await finish(there(), ways[7]!))).toBe('invalid_state');
      const answers = await linking;
      for (const { status } of answers) expect([200, 401]).toContain(status);
      expect(await livingAtGoogle(account)).toEqual(before);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(before.length);
    }
  });
});

describe('a reset by the owner of an address that somebody else registered', () => {
  it('leaves no identity and no session: neither of links nor of sign-ins under way', async () => {
    for (let round = 0; round < 5; round++) {
      const thief = await arriveBy(there(), github);
      const ways = await waysToLink(thief.browser, 5);
      await createBrowser(here()).post('/auth/password/forgot', { email: thief.email });
      const token = await knowToken(replicas.database, thief.user_id, 'password_reset');
      // Whoever signs in by it has an unverified email at the provider by now, and so cannot link it anew.
      github.person = { ...thief.external, email_verified: false };
      const [reset, links] = await Promise.all([
        createBrowser(here()).post('/auth/password/reset', { token, new_password: 'another correct horse' }),
        replicas.many(5, (url, index) => finish(url, ways[index]!)),
        replicas.many(3, (url) => signInWith(url, github)),
      ]);
      expect(reset.status).toBe(204);
      for (const { status } of links) expect([200, 401]).toContain(status);
      expect(await livingOf(replicas.database, thief.user_id)).toEqual([]);
      expect(await liveSessions(replicas.database, thief.user_id)).toEqual([]);
      expect(await countSessions(replicas.database, thief.user_id)).toBeGreaterThan(0);
    }
  });
});
