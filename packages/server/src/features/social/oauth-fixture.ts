import { ERRORS, OAUTH_FAILURES, OAUTH_PROVIDERS, type OAuthFailure, type OAuthProvider } from '@gatehouse/contract';
import { expect } from 'vitest';
import { type Answer, type Browser, createBrowser, type TestUser } from '../../../test/browser.ts';
import { createTestClock } from '../../../test/clock.ts';
import type { TestDatabase } from '../../../test/database.ts';
import { startFakeProvider } from '../../../test/fake-providers/provider.ts';
import type { FakeProvider } from '../../../test/fake-providers/types.ts';
import { insertSession, startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, setUser } from '../../../test/records.ts';
import { upsertProviderRow } from '../../domain/provider-settings/queries.ts';
import type { Environment } from '../../platform/config/load.ts';
import { seal } from '../../platform/crypto/seal.ts';
import { transact } from '../../platform/db/transact.ts';

export const CONFIG_KEY = Buffer.from('a key of 32 bytes, for tests ...').toString('base64');

export interface ThirdParties {
  readonly app: TestApp;
  readonly fakes: Readonly<Record<OAuthProvider, FakeProvider>>;
  close(): Promise<void>;
}

/** The service with every provider saved and enabled. Each provider is a separate fake on loopback. */
export async function startThirdParties({
  environment = {},
  tenant = 'common',
}: {
  environment?: Environment;
  tenant?: string;
} = {}): Promise<ThirdParties> {
  const clock = createTestClock();
  const started = await Promise.all(
    OAUTH_PROVIDERS.map((provider) => startFakeProvider(provider, { now: clock.now, tenant })),
  );
  const app = await startTestApp({
    clock,
    environment: {
      CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
      ...Object.assign({}, ...started.map((fake) => fake.environment)),
      ...environment,
    },
  });
  for (const { provider, settings } of started) await saveProvider(app, provider, settings);
  return {
    app,
    fakes: Object.fromEntries(started.map((fake) => [fake.provider, fake])) as ThirdParties['fakes'],
    async close() {
      await app.close();
      await Promise.all(started.map((fake) => fake.close()));
    },
  };
}

interface Saved {
  readonly public_config?: Record<string, string>;
  readonly secret?: string;
  readonly enabled?: boolean;
}

export async function saveProvider(
  { deps, clock }: TestApp,
  provider: OAuthProvider,
  { public_config = {}, secret, enabled = true }: Saved,
): Promise<void> {
  const binding = { purpose: 'provider', row: provider } as const;
  const sealed_secret = secret === undefined ? undefined : seal(deps.configKeyring!, binding, secret);
  await transact(deps.db, (tx) =>
    upsertProviderRow(tx, { provider, enabled, public_config, sealed_secret, now: clock.now() }),
  );
  await deps.providers.reload();
}

let accounts = 0;

export function newUser(fake: FakeProvider, changes: Partial<FakeProvider['person']> = {}): FakeProvider['person'] {
  const number = ++accounts;
  const subject = String(900_000 + number);
  fake.person = {
    ...fake.person,
    subject,
    email: `person-${process.pid}-${number}@${fake.provider.replace('_', '-')}.example`,
    email_verified: true,
    name: `Person ${number}`,
    xms_edov: true,
    ...changes,
  };
  return fake.person;
}

const JSON_WANTED = { headers: { accept: 'application/json' } };

export async function begin(browser: Browser, provider: OAuthProvider, redirect_to?: string): Promise<string> {
  const query = redirect_to === undefined ? '' : `?${new URLSearchParams({ redirect_to })}`;
  const answer = await browser.get(`/auth/oauth/${provider}/start${query}`);
  if (answer.status !== 302) throw new Error(`start was answered ${answer.status}: ${answer.text}`);
  return answer.headers.location as string;
}

interface Coming {
  readonly deny?: boolean | string;
  /** Requests JSON from the callback; default true. */
  readonly json?: boolean;
}

/** Authorizes at the provider and requests the callback, after the form post where there is one. */
export async function comeBack(
  browser: Browser,
  fake: FakeProvider,
  authorization_url: string,
  { deny, json = true }: Coming = {},
): Promise<Answer> {
  const path = await arrive(browser, fake, authorization_url, { ...(deny !== undefined && { deny }) });
  return browser.get(path, json ? JSON_WANTED : {});
}

/** Authorizes at the provider and returns the callback path with its query. */
export async function arrive(
  browser: Browser,
  fake: FakeProvider,
  authorization_url: string,
  options: { deny?: boolean | string } = {},
): Promise<string> {
  const { callback_url, form } = await fake.authorize(authorization_url, options);
  const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+\/v1/, '').replace(/^\/v1/, '');
  if (!form) return pathOf(callback_url);
  const posted = await browser.send('POST', pathOf(callback_url), {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    cookies: false,
  });
  if (posted.status !== 303) throw new Error(`the form was answered ${posted.status}: ${posted.text}`);
  return pathOf(posted.headers.location as string);
}

export async function signInWith(
  target: TestApp | string,
  fake: FakeProvider,
  { browser = createBrowser(target), ...coming }: Coming & { browser?: Browser; redirect_to?: string } = {},
): Promise<Answer & { browser: Browser }> {
  const url = await begin(browser, fake.provider, coming.redirect_to);
  return { ...(await comeBack(browser, fake, url, coming)), browser };
}

/** Another process of the same service: same database, clock and providers, with other settings. */
export function startAnother({ app, fakes }: ThirdParties, environment: Environment): Promise<TestApp> {
  return startTestApp({
    clock: app.clock,
    database: app.database,
    environment: {
      CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
      ...Object.assign({}, ...Object.values(fakes).map((fake) => fake.environment)),
      ...environment,
    },
  });
}

export interface AuthorizedFlow {
  readonly browser: Browser;
  readonly path: string;
  readonly state: string;
  readonly code: string;
}

export async function authorizeAtProvider(
  target: TestApp | string,
  fake: FakeProvider,
  {
    browser = createBrowser(target),
    redirect_to,
    ...options
  }: { browser?: Browser; redirect_to?: string; deny?: boolean | string } = {},
): Promise<AuthorizedFlow> {
  const path = await arrive(browser, fake, await begin(browser, fake.provider, redirect_to), options);
  const query = new URLSearchParams(path.split('?')[1]);
  return { browser, path, state: query.get('state') ?? '', code: query.get('code') ?? '' };
}

export const openCallback = ({ browser, path }: Pick<AuthorizedFlow, 'browser' | 'path'>): Promise<Answer> =>
  browser.get(path, JSON_WANTED);

/** Changes query parameters of a path; undefined removes one. */
export function changed(path: string, changes: Record<string, string | undefined>): string {
  const [at, search] = path.split('?');
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return `${at}?${query}`;
}

/** docs/reference/sign-in.md#third-party-sign-in: expects status, code and message of this failure, and no cookies. */
export function expectFailure(answer: Answer, failure: OAuthFailure): void {
  const code = OAUTH_FAILURES[failure];
  const { status, type } = ERRORS[code];
  expect({ status: answer.status, json: answer.json }, answer.text).toEqual({
    status,
    json: { error: { code, type, message: expect.stringMatching(`^${failure}: \\w`) } },
  });
  expect(answer.set_cookies).toEqual([]);
}

export const WRITTEN = ['users', 'organizations', 'identities', 'sessions', 'audit_events', 'oauth_states'] as const;

export async function expectRefused(target: TestApp, trip: AuthorizedFlow, failure: OAuthFailure): Promise<void> {
  const { result, rows } = await countingRows(target, WRITTEN, () => openCallback(trip));
  expectFailure(result, failure);
  expect(rows).toEqual({ users: 0, organizations: 0, identities: 0, sessions: 0, audit_events: 1, oauth_states: 1 });
  const [row] = (await auditOf(target, { action: 'auth.oauth.failed' })).slice(-1);
  expect(row).toMatchObject({ outcome: 'failure', metadata: { reason: failure } });
}

/** The log lines from index `line` on, and all audit rows, as text. */
export const writtenDown = async (target: TestApp, line = 0): Promise<string> =>
  JSON.stringify([target.logs.slice(line), await auditOf(target)]);

/** A user who has just registered with this provider: no password, unverified email. */
export async function arriveBy(
  target: TestApp | string,
  fake: FakeProvider,
  changes: Partial<FakeProvider['person']> = {},
): Promise<TestUser & { external: FakeProvider['person'] }> {
  const external = newUser(fake, changes);
  const { status, text, json, browser } = await signInWith(target, fake);
  if (status !== 200 || json.status !== 'success') throw new Error(`the first sign-in was answered ${status}: ${text}`);
  const { user_id, organization_id, email, session_family_id } = json.user;
  const { access_token } = json;
  return {
    browser,
    email,
    password: '',
    user_id,
    organization_id,
    session_id: session_family_id,
    access_token,
    external,
  };
}

/** An account without identities; active and verified by default. */
export async function newAccount(app: TestApp, changes: Parameters<typeof setUser>[2] = {}) {
  const account = await insertSession(app);
  await setUser(app, account.user_id, { email_verified_at: app.clock.now(), ...changes });
  return account;
}

export async function beginLink(browser: Browser, provider: OAuthProvider, body: object = {}): Promise<string> {
  const answer = await browser.post(`/auth/oauth/${provider}/link`, body);
  if (answer.status !== 200) throw new Error(`link was answered ${answer.status}: ${answer.text}`);
  return answer.json.authorization_url;
}

export const linkWith = async (browser: Browser, fake: FakeProvider): Promise<Answer> =>
  comeBack(browser, fake, await beginLink(browser, fake.provider));

/** The failure code in the message of a JSON response, if any. */
export const wordOf = ({ json }: Answer): string | undefined => json.error?.message.split(':')[0];

/** Identities of a user, including revoked ones, oldest first. */
export const identitiesOf = (place: TestApp | TestDatabase, user_id: string) =>
  ('deps' in place ? place.deps.db : place.db)
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', user_id)
    .orderBy('linked_at')
    .orderBy('id')
    .execute();

export const livingOf = async (place: TestApp | TestDatabase, user_id: string) =>
  (await identitiesOf(place, user_id)).filter(({ revoked_at }) => revoked_at === null);
