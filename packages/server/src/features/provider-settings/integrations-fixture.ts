import { PROVIDER_INFO, PROVIDERS, type Provider, type ProviderChange, type ProviderView } from '@gatehouse/contract';
import { sql } from 'kysely';
import { type Answer, bearer, createBrowser } from '../../../test/browser.ts';
import type { TestDatabase } from '../../../test/database.ts';
import { insertSession, startTestApp, type TestApp } from '../../../test/harness.ts';

export const KEY = '00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f';
export const OTHER_KEY = 'ffeeddccbbaa99887766554433221100f0e1d2c3b4a5968778695a4b3c2d1e0f';

const PEM = '-----BEGIN PRIVATE KEY-----\r\nnot one\n-----END PRIVATE KEY-----\n';

/** A valid change for each provider. Saving does not parse the PEM. */
export const GOOD = Object.fromEntries(
  PROVIDERS.map((provider) => {
    const { required, secret } = PROVIDER_INFO[provider];
    const letter = provider.at(-1);
    const public_config = Object.fromEntries(required.map((name) => [name, `${letter}-${name.replace('_id', '')}`]));
    return [provider, { enabled: true, public_config, secret: secret === 'pem' ? PEM : `secret-of-${letter}` }];
  }),
) as Record<Provider, ProviderChange & { secret: string }>;
GOOD.email_transport = { enabled: true, public_config: { from: 'id@example.com' }, secret: 're_the-mail-key' };

interface StartOptions {
  readonly environment?: Record<string, string | undefined>;
  readonly beside?: TestApp;
}

/** Starts the service with an encryption key and a high limit; with `beside`, as a replica on its database. */
export const startWithKey = ({ environment = {}, beside }: StartOptions = {}): Promise<TestApp> =>
  startTestApp({
    environment: { CONFIG_ENCRYPTION_KEY: KEY, LIMIT_INTEGRATIONS: '100000/1m', ...environment },
    ...(beside && { database: beside.database as TestDatabase, clock: beside.clock }),
  });

export interface Administrator {
  readonly user_id: string;
  readonly access_token: string;
  readonly organization_id: string;
  list(): Promise<Answer>;
  view(provider: Provider): Promise<ProviderView>;
  put(provider: string, body?: unknown): Promise<Answer>;
  test(provider: string): Promise<Answer>;
}

type SessionOptions = Parameters<typeof insertSession>[1];

export async function createAdministrator(app: TestApp, options: SessionOptions = {}): Promise<Administrator> {
  const session = await insertSession(app, {
    platform_role: 'admin',
    aal: 'aal2',
    mfa_verified_at: app.clock.now(),
    ...options,
  });
  return administratorOf(app, session);
}

interface Known {
  readonly user_id: string;
  readonly access_token: string;
  readonly organization_id: string;
}

export function administratorOf(app: TestApp, { user_id, access_token, organization_id }: Known): Administrator {
  const browser = createBrowser(app);
  const as = bearer(access_token);
  const list = () => browser.get('/admin/integrations', as);
  return {
    user_id,
    access_token,
    organization_id,
    list,
    view: async (provider) =>
      (await list()).json.providers.find((candidate: ProviderView) => candidate.provider === provider),
    put: (provider, body) =>
      browser.send('PUT', `/admin/integrations/${provider}`, { ...as, ...(body !== undefined && { body }) }),
    test: (provider) => browser.post(`/admin/integrations/${provider}/test`, undefined, as),
  };
}

export const rowsIn = ({ deps }: TestApp) =>
  deps.db.selectFrom('provider_configs').selectAll().orderBy('provider').execute();

export const rowOf = async (app: TestApp, provider: Provider) =>
  (await rowsIn(app)).find((row) => row.provider === provider);

export const forgetAll = ({ deps }: TestApp) => deps.db.deleteFrom('provider_configs').execute();

export async function everythingIn({ deps }: TestApp): Promise<string> {
  const tables = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name
    from pg_tables where schemaname = 'public'`.execute(deps.db);
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.raw(name)} t`.execute(deps.db);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}
