import { v7 as uuid } from 'uuid';
import type { Db } from '../src/platform/db/connect.ts';
import type { TestUser } from './browser.ts';
import { createTestClock } from './clock.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { type OpenIdProvider, startOpenIdProvider } from './openid-provider.ts';

export const CONFIG_KEY = Buffer.from('a key of 32 bytes, for tests ...').toString('base64');
export const CLIENT = { client_id: 'gatehouse', client_secret: 'a client secret' } as const;

export interface SsoPlace {
  readonly app: TestApp;
  readonly provider: OpenIdProvider;
  close(): Promise<void>;
}

/** The service, and a provider that knows the client `CLIENT`. Both use the clock of the test. */
export async function startSso({ environment = {} }: { environment?: Record<string, string> } = {}): Promise<SsoPlace> {
  const clock = createTestClock();
  const provider = await startOpenIdProvider({ now: clock.now });
  provider.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: null });
  const app = await startTestApp({ clock, environment: { CONFIG_ENCRYPTION_KEY: CONFIG_KEY, ...environment } });
  return {
    app,
    provider,
    async close() {
      await app.close();
      await provider.close();
    },
  };
}

interface Place {
  readonly deps: { readonly db: Db };
  readonly clock: { now(): Date };
}

let names = 0;

export const newDomain = (): string => `sso-${process.pid}-${++names}.example`;

export async function insertDomain(
  { deps, clock }: Place,
  { organization_id }: Pick<TestUser, 'organization_id'>,
  domain = newDomain(),
): Promise<string> {
  const id = uuid();
  const now = clock.now();
  await deps.db
    .insertInto('domains')
    .values({ id, organization_id, domain, token: 'x'.repeat(43), created_at: now })
    .execute();
  await deps.db.updateTable('domains').set({ verified_at: now, checked_at: now }).where('id', '=', id).execute();
  return domain;
}

/** Inserts a connection directly into the database, a draft without a secret. Returns its id. */
export async function insertConnection(
  { deps, clock }: Place,
  { organization_id }: Pick<TestUser, 'organization_id'>,
): Promise<string> {
  const id = uuid();
  await deps.db
    .insertInto('sso_connections')
    .values({
      id,
      organization_id,
      name: 'Example Corp',
      issuer: 'https://login.example.com',
      client_id: 'gatehouse',
      sealed_secret: null,
      create_members: false,
      default_role: 'member',
      trust_idp_mfa: false,
      created_at: clock.now(),
    })
    .execute();
  return id;
}

export const connectionTo = ({ issuer }: Pick<OpenIdProvider, 'issuer'>, changes: Record<string, unknown> = {}) => ({
  name: 'Example Corp',
  issuer,
  ...CLIENT,
  ...changes,
});

export async function createConnection(
  owner: TestUser,
  provider: Pick<OpenIdProvider, 'issuer'>,
  changes: Record<string, unknown> = {},
) {
  const path = `/orgs/${owner.organization_id}/sso-connections`;
  const { status, json, text } = await owner.browser.post(path, connectionTo(provider, changes));
  if (status !== 201) throw new Error(`the connection was answered ${status}: ${text}`);
  return json;
}

/** Creates a connection that is active, without a test round. */
export async function activeConnection(
  { deps, clock }: Place,
  owner: TestUser,
  provider: Pick<OpenIdProvider, 'issuer'>,
  changes: Record<string, unknown> = {},
) {
  const connection = await createConnection(owner, provider, changes);
  await deps.db
    .updateTable('sso_connections')
    .set({ active: true, tested_at: clock.now() })
    .where('id', '=', connection.id)
    .execute();
  return { ...connection, status: 'active' };
}
