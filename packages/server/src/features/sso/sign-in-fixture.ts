import { v7 as uuid } from 'uuid';
import { type Answer, type Browser, createBrowser, type TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import type { OpenIdProvider } from '../../../test/openid-provider.ts';
import { activeConnection, insertDomain, type SsoPlace } from '../../../test/sso-fixture.ts';
import { founder } from '../../../test/team.ts';

export interface Company {
  readonly owner: TestUser;
  readonly organization_id: string;
  readonly domain: string;
  readonly connection_id: string;
  /** Returns a new address in the domain. */
  email(name?: string): string;
}

let people = 0;

export async function createCompany(
  app: TestApp,
  provider: Pick<OpenIdProvider, 'issuer'>,
  { owner, ...changes }: { owner?: TestUser } & Record<string, unknown> = {},
): Promise<Company> {
  const person = owner ?? (await founder(app));
  const domain = await insertDomain(app, person);
  const settings = { domains: [domain], create_members: true, ...changes };
  const { id } = await activeConnection(app, person, provider, settings);
  return {
    owner: person,
    organization_id: person.organization_id,
    domain,
    connection_id: id,
    email: (name = 'ada') => `${name}-${++people}@${domain}`,
  };
}

interface Visit {
  readonly browser?: Browser;
  readonly json?: boolean;
  readonly query?: string;
  /** Changes the path of the callback. */
  readonly callback?: (path: string) => string;
}

/** Starts a sign-in and authorizes it at the provider. Returns the path of the callback, without requesting it. */
export async function authorizeAtProvider(
  provider: OpenIdProvider,
  browser: Browser,
  connection_id: string,
  query = '',
): Promise<string> {
  const started = await browser.get(`/auth/sso/${connection_id}/start${query}`);
  if (started.status !== 302) throw new Error(`the start was answered ${started.status}: ${started.text}`);
  return provider.authorize(String(started.headers.location));
}

export const openCallback = (browser: Browser, path: string, json = true): Promise<Answer> =>
  browser.get(path, json ? { headers: { accept: 'application/json' } } : {});

/** Completes a sign-in at the connection. `user` are the claims that the provider sends. */
export async function signInBySso(
  { app, provider }: SsoPlace,
  { connection_id }: Pick<Company, 'connection_id'>,
  user: Record<string, unknown>,
  { browser = createBrowser(app), json = true, query = '', callback = (path) => path }: Visit = {},
): Promise<Answer & { browser: Browser }> {
  provider.user = { sub: uuid(), email_verified: true, name: 'Ada', ...user };
  const path = callback(await authorizeAtProvider(provider, browser, connection_id, query));
  return { ...(await openCallback(browser, path, json)), browser };
}

export const outcomeOf = ({ status, json }: Answer): string =>
  status === 200 ? json.status : `${status} ${String(json.error.message).split(':')[0]}`;
