import { ERRORS, OAUTH_FAILURES, OAUTH_PROVIDERS, type OAuthFailure, type OAuthProvider } from '@gatehouse/contract';
import { sql } from 'kysely';
import { vi } from 'vitest';
import { upsertProviderRow } from '../../packages/server/src/domain/provider-settings/queries.ts';
import {
  type AuthorizedFlow,
  arrive,
  authorizeAtProvider,
  beginLink,
  CONFIG_KEY,
  wordOf,
} from '../../packages/server/src/features/social/oauth-fixture.ts';
import { insertBusEvents, NOTIFY } from '../../packages/server/src/platform/bus/queries.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import { seal } from '../../packages/server/src/platform/crypto/seal.ts';
import { type Answer, type Browser, createBrowser } from '../../packages/server/test/browser.ts';
import { startFakeProvider } from '../../packages/server/test/fake-providers/provider.ts';
import type { FakeProvider } from '../../packages/server/test/fake-providers/types.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { INVALIDATED_WITHIN_MS } from '../../packages/server/test/timeouts.ts';
import { changedTables, differs, stateOf } from './unchanged-fixture.ts';

export interface Parties {
  readonly replicas: Replicas;
  readonly fakes: Readonly<Record<OAuthProvider, FakeProvider>>;
  close(): Promise<void>;
}

export async function startParties(servers: number): Promise<Parties> {
  const started = await Promise.all(OAUTH_PROVIDERS.map((provider) => startFakeProvider(provider)));
  const replicas = await startReplicas(servers, {
    CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
    LIMIT_OAUTH_PER_ADDRESS: '100000/1h',
    ...Object.assign({}, ...started.map((fake) => fake.environment)),
  });
  await saveAll(replicas, started);
  return {
    replicas,
    fakes: Object.fromEntries(started.map((fake) => [fake.provider, fake])) as Parties['fakes'],
    async close() {
      await replicas.close();
      await Promise.all(started.map((fake) => fake.close()));
    },
  };
}

async function saveAll({ database: { db }, urls }: Replicas, fakes: readonly FakeProvider[]): Promise<void> {
  const keyring = createKeyring(Buffer.from(CONFIG_KEY, 'base64'));
  const now = new Date();
  await db.transaction().execute(async (tx) => {
    for (const { provider, settings } of fakes) {
      const sealed_secret = seal(keyring, { purpose: 'provider', row: provider }, settings.secret);
      await upsertProviderRow(tx, {
        provider,
        enabled: true,
        public_config: settings.public_config,
        sealed_secret,
        now,
      });
    }
    await insertBusEvents(
      tx,
      fakes.map(({ provider }) => ({ topic: 'providers', key: provider, created_at: now })),
    );
  });
  await sql.raw(NOTIFY).execute(db);
  const offered = async (url: string) => (await createBrowser(url).get('/auth/providers')).json.oauth.length;
  for (const url of urls) await vi.waitUntil(async () => (await offered(url)) === fakes.length, INVALIDATED_WITHIN_MS);
}

/** Tables that a refused callback must not change. */
const UNCHANGED = ['users', 'organizations', 'memberships', 'identities', 'sessions', 'passkeys', 'one_time_tokens'];

interface Left {
  readonly audit?: number;
  /** The number of consumed states. */
  readonly spent?: number;
}

/** Expects this failure: no cookies, no rows except an audit row and a consumed state. Returns what differs. */
export async function mustFail(
  { replicas: { database } }: Parties,
  failure: OAuthFailure,
  ask: () => Promise<Answer>,
  { audit = 1, spent = 1 }: Left = {},
): Promise<string | undefined> {
  const snapshot = () => Promise.all([stateOf(database, UNCHANGED), countOf('audit_events'), countOf('oauth_states')]);
  const countOf = async (table: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(database.db);
    return Number(rows[0]!.count);
  };
  const [before, trail, states] = await snapshot();
  const answer = await ask();
  const [after, trailAfter, statesAfter] = await snapshot();
  const { status } = ERRORS[OAUTH_FAILURES[failure]];
  const last = audit === 0 ? undefined : await lastFailure(database);
  return differs(
    {
      status: answer.status,
      word: wordOf(answer),
      cookies: answer.set_cookies.map((line) => line.split('=')[0]),
      changed: changedTables(before, after),
      audit: trailAfter - trail,
      spent: statesAfter - states,
      ...(audit > 0 && { outcome: last?.outcome, reason: (last?.metadata as { reason?: string } | undefined)?.reason }),
    },
    {
      status,
      word: failure,
      cookies: [],
      changed: [],
      audit,
      spent,
      ...(audit > 0 && { outcome: 'failure', reason: failure }),
    },
  );
}

const lastFailure = ({ db }: Replicas['database']) =>
  db
    .selectFrom('audit_events')
    .select(['outcome', 'metadata'])
    .where('action', '=', 'auth.oauth.failed')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

const JSON_WANTED = { headers: { accept: 'application/json' } };

export const at = (url: string, { jar }: Browser): Browser => createBrowser(url, jar);

/** Begins a flow at one server, up to the callback, which is sent to the other server. */
export async function beginFlow(
  { replicas: { either } }: Parties,
  fake: FakeProvider,
  options: { browser?: Browser; deny?: boolean | string; redirect_to?: string } = {},
): Promise<AuthorizedFlow> {
  const begun = await authorizeAtProvider(either(0), fake, {
    ...options,
    ...(options.browser && { browser: at(either(0), options.browser) }),
  });
  return { ...begun, browser: at(either(1), begun.browser) };
}

export const finish = ({ browser, path }: Pick<AuthorizedFlow, 'browser' | 'path'>): Promise<Answer> =>
  browser.get(path, JSON_WANTED);

export function clearFaults({ fakes }: Parties): void {
  for (const fake of Object.values(fakes)) {
    fake.fault = undefined;
    fake.token_fault = undefined;
    fake.claims = undefined;
  }
}

/** Begins linking at one server, up to the callback at the other server. `cookie` is the cookie of the flow. */
export async function linkFlow(
  { replicas: { either }, fakes }: Parties,
  browser: Browser,
  provider: OAuthProvider,
): Promise<AuthorizedFlow & { cookie: string }> {
  const begun = at(either(0), browser);
  const path = await arrive(begun, fakes[provider], await beginLink(begun, provider));
  const cookie = begun.jar.get('service_oauth') ?? '';
  return { browser: at(either(1), browser), path, state: '', code: '', cookie };
}
