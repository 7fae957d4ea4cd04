import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
} from '../../src/features/social/oauth-fixture.ts';
import { authorizeAtProvider, openCallback } from '../../src/features/sso/sign-in-fixture.ts';
import { type Answer, type Browser, createBrowser, newEmail, registerUser, type TestUser, tally } from '../browser.ts';
import { startFakeProvider } from '../fake-providers/provider.ts';
import type { FakeProvider } from '../fake-providers/types.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../openid-provider.ts';
import { auditOf, countingRows, countSessions, knowToken, liveSessions, setUser } from '../records.ts';
import { type Replicas, startProcesses } from '../replicas.ts';
import { activeConnection, CLIENT, insertDomain } from '../sso-fixture.ts';
import { ROUNDS } from './processes-fixture.ts';

let google: FakeProvider;
let github: FakeProvider;
let idp: OpenIdProvider;
let replicas: Replicas;
beforeAll(async () => {
  [google, github] = await Promise.all([startFakeProvider('oauth_a'), startFakeProvider('oauth_b')]);
  idp = await startOpenIdProvider();
  idp.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: null });
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
  await Promise.all([google.close(), github.close(), idp.close()]);
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;
const at = (url: string, { jar }: Browser): Browser => createBrowser(url, new Map(jar));
const countExchanges = () => google.requests.filter(({ path }) => path === '/token').length;

interface Flow {
  readonly browser: Browser;
  readonly path: string;
}
const JSON_WANTED = { headers: { accept: 'application/json' } };
const finish = (url: string, { browser, path }: Flow): Promise<Answer> => at(url, browser).get(path, JSON_WANTED);

const beginSignIns = (count: number): Promise<Flow[]> =>
  replicas.many(count, async (url) => {
    const browser = createBrowser(url);
    return { browser, path: await arrive(browser, google, await begin(browser, 'oauth_a')) };
  });

const beginLinkFlow = async (browser: Browser): Promise<Flow> => ({
  browser,
  path: await arrive(browser, google, await beginLink(browser, 'oauth_a')),
});

async function beginLinkFlows(browser: Browser, count: number): Promise<Flow[]> {
  const flows = [];
  for (let index = 0; index < count; index++) {
    newUser(google);
    flows.push(await beginLinkFlow(browser));
  }
  return flows;
}

const livingAtGoogle = async ({ user_id }: TestUser) =>
  (await livingOf(replicas.database, user_id)).filter(({ provider }) => provider === 'oauth_a');

describe('third-party sign-in on two servers', () => {
  it('a flow begun on one server completes on the other', async () => {
    newUser(google);
    const [flow] = await beginSignIns(1);
    const answer = await finish(there(), flow!);
    expect(answer.json.status).toBe('success');
  });

  it('20 requests with the same callback open one session and exchange the code once', async () => {
    newUser(google);
    const [flow] = await beginSignIns(1);
    const before = countExchanges();
    const { result, rows } = await countingRows(replicas.database, ['users', 'sessions', 'identities'], () =>
      replicas.many(20, (url) => finish(url, flow!)),
    );
    expect(tally(result)).toEqual({ 200: 1, 401: 19 });
    for (const answer of result) if (answer.status === 401) expect(wordOf(answer)).toBe('invalid_state');
    expect(rows).toEqual({ users: 1, sessions: 1, identities: 1 });
    expect(countExchanges() - before).toBe(1);
  });

  it('ten concurrent sign-ins of a new user create one account, one identity and ten sessions', async () => {
    newUser(google);
    const flows = await beginSignIns(10);
    const tables = ['users', 'organizations', 'identities', 'mails', 'sessions'] as const;
    const { result, rows } = await countingRows(replicas.database, tables, () =>
      replicas.many(10, (url, index) => finish(url, flows[index]!)),
    );
    expect(tally(result)).toEqual({ 200: 10 });
    expect(rows).toEqual({ users: 1, organizations: 1, identities: 1, mails: 1, sessions: 10 });
    expect(new Set(result.map(({ json }) => json.user.user_id)).size).toBe(1);
  });

  it('ten concurrent sign-ins to an existing verified account link one identity and send one mail', async () => {
    const { user_id, email } = await arriveBy(here(), github);
    await setUser(replicas.database, user_id, { email_verified_at: new Date() });
    newUser(google, { email });
    const flows = await beginSignIns(10);
    const { result, rows } = await countingRows(replicas.database, ['users', 'identities', 'mails'], () =>
      replicas.many(10, (url, index) => finish(url, flows[index]!)),
    );
    expect(tally(result)).toEqual({ 200: 10 });
    expect(rows).toEqual({ users: 0, identities: 1, mails: 1 });
    expect(new Set(result.map(({ json }) => json.user.user_id))).toEqual(new Set([user_id]));
    const events = await auditOf(replicas.database, { actor_id: user_id, action: 'auth.oauth.linked' });
    expect(events).toHaveLength(1);
  });

  it('two identities with one new email: one gets the account, the other is account_exists', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const email = newEmail('both');
      newUser(google, { email });
      const [first] = await beginSignIns(1);
      newUser(google, { email });
      const [second] = await beginSignIns(1);
      const answers = await Promise.all([finish(here(), first!), finish(there(), second!)]);
      expect(tally(answers)).toEqual({ 200: 1, 409: 1 });
      expect(answers.map(wordOf)).toContain('account_exists');
    }
  });
});

describe('linking on two servers', () => {
  it('two accounts link the same identity: one succeeds', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [one, two] = [await arriveBy(here(), github), await arriveBy(there(), github)];
      newUser(google);
      const flows = [await beginLinkFlow(one.browser), await beginLinkFlow(two.browser)];
      const answers = await replicas.many(2, (url, index) => finish(url, flows[index]!));
      expect(tally(answers)).toEqual({ 200: 1, 409: 1 });
      expect(answers.map(wordOf)).toContain('identity_in_use');
      const winner = answers[0]!.status === 200 ? one : two;
      expect(await livingAtGoogle(winner)).toHaveLength(1);
      expect((await signInWith(here(), google)).json.user.user_id).toBe(winner.user_id);
    }
  });

  it('one account links the same identity ten times concurrently: one row, and all are 200', async () => {
    const account = await arriveBy(here(), github);
    newUser(google);
    const flows = await replicas.many(10, (url) => beginLinkFlow(at(url, account.browser)));
    const { result, rows } = await countingRows(replicas.database, ['identities', 'mails'], () =>
      replicas.many(10, (url, index) => finish(url, flows[index]!)),
    );
    expect(tally(result)).toEqual({ 200: 10 });
    expect(new Set(result.map(({ json }) => json.identity.id)).size).toBe(1);
    expect(rows).toEqual({ identities: 1, mails: 1 });
  });

  it('removing the last two identities concurrently: one stays', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await arriveBy(here(), github);
      newUser(google);
      await finish(here(), await beginLinkFlow(account.browser));
      const rows = await livingOf(replicas.database, account.user_id);
      expect(rows).toHaveLength(2);
      const answers = await replicas.many(2, (url, index) =>
        at(url, account.browser).delete(`/users/me/identities/${rows[index]!.id}`),
      );
      expect(tally(answers)).toEqual({ 204: 1, 409: 1 });
      expect(await livingOf(replicas.database, account.user_id)).toHaveLength(1);
    }
  });

  it('after a session has ended on one server, nothing is linked on the other', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await arriveBy(here(), github);
      const thief = (await signInWith(there(), github)).browser;
      const flows = await beginLinkFlows(thief, 8);
      const linking = replicas.many(7, (url, index) => finish(url, flows[index]!));
      expect((await account.browser.delete('/auth/sessions')).status).toBe(204);
      const before = await livingAtGoogle(account);
      // This callback is sent after the end of the session, to a server that may not know of it yet.
      expect(wordOf(await finish(there(), flows[7]!))).toBe('invalid_state');
      const answers = await linking;
      for (const { status } of answers) expect([200, 401]).toContain(status);
      expect(await livingAtGoogle(account)).toEqual(before);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(before.length);
    }
  });
});

describe('a password reset of an account that someone else registered', () => {
  it('leaves no identity and no session of concurrent links and sign-ins', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const thief = await arriveBy(there(), github);
      const flows = await beginLinkFlows(thief.browser, 5);
      await createBrowser(here()).post('/auth/password/forgot', { email: thief.email });
      const token = await knowToken(replicas.database, thief.user_id, 'password_reset');
      // With an unverified email at the provider, a sign-in cannot link the identity again.
      github.person = { ...thief.external, email_verified: false };
      const [reset, links] = await Promise.all([
        createBrowser(here()).post('/auth/password/reset', { token, new_password: 'another correct horse' }),
        replicas.many(5, (url, index) => finish(url, flows[index]!)),
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

describe('single sign-on on two servers', () => {
  let owner: TestUser;
  let domain: string;
  let connection_id: string;
  beforeEach(async () => {
    owner = await registerUser(here());
    await setUser(replicas.database, owner.user_id, { email_verified_at: new Date() });
    const place = { deps: replicas.database, clock: { now: () => new Date() } };
    domain = await insertDomain(place, owner);
    const settings = { domains: [domain], create_members: true };
    connection_id = (await activeConnection(place, owner, idp, settings)).id;
  });

  const beginAtProvider = (name: string, count: number): Promise<Flow[]> => {
    idp.user = { sub: name, email: `${name}@${domain}`, email_verified: true };
    return replicas.many(count, async (url) => {
      const browser = createBrowser(url);
      return { browser, path: await authorizeAtProvider(idp, browser, connection_id) };
    });
  };
  const finishAll = (flows: readonly Flow[]) =>
    replicas.many(flows.length, (url, index) => openCallback(at(url, flows[index]!.browser), flows[index]!.path));

  it('ten concurrent first sign-ins of a new user create one account, one link and ten sessions', async () => {
    const flows = await beginAtProvider('first', 10);
    const tables = ['users', 'memberships', 'sso_identities', 'sessions'] as const;
    const { result, rows } = await countingRows(replicas.database, tables, () => finishAll(flows));
    expect(tally(result)).toEqual({ 200: 10 });
    expect(rows).toEqual({ users: 1, memberships: 1, sso_identities: 1, sessions: 10 });
  });

  it('sign-ins during an unlinking or a deactivation leave no session without a link or an active connection', async () => {
    const path = `/orgs/${owner.organization_id}`;
    const [first] = await beginAtProvider('linked', 1);
    const { user_id } = (await finish(here(), first!)).json.user;
    for (const [method, url] of [
      ['DELETE', `${path}/members/${user_id}/sso-identity`],
      ['POST', `${path}/sso-connections/${connection_id}/deactivate`],
    ] as const) {
      const flows = await beginAtProvider('linked', 8);
      const [answers, ended] = await Promise.all([finishAll(flows), owner.browser.send(method, url)]);
      expect([200, 204]).toContain(ended.status);
      for (const { status } of answers) expect([200, 401, 404]).toContain(status);
      const live = await liveSessions(replicas.database, user_id);
      const { rows } = await sql<{ count: number }>`select count(*) as count from sso_identities i
        join sso_connections c on c.id = i.connection_id and c.active where i.user_id = ${user_id}`.execute(
        replicas.database.db,
      );
      if (rows[0]!.count === 0) expect(live).toEqual([]);
    }
  });
});
