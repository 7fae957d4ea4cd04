import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import type { Db } from '../../platform/db/connect.ts';
import { createLogger } from '../../platform/log.ts';
import { listProviderRows } from './queries.ts';
import { configOf, LOST_KEY, NEW_KEY, rowOf, storeRow } from './rows-fixture.ts';
import { configKeyring } from './secret.ts';
import { createProviderStates, type ProviderStates } from './states.ts';

const database = useTestDatabase();
let logs: string[];
beforeEach(async () => {
  await database.db.deleteFrom('provider_configs').execute();
  logs = [];
});

const ENVIRONMENT = {
  CONFIG_ENCRYPTION_KEY: NEW_KEY,
  OAUTH_A_CLIENT_ID: 'env-a',
  OAUTH_A_CLIENT_SECRET: 're_hush of the environment',
};

const createStates = (db: Db = database.db): ProviderStates => {
  const config = configOf(ENVIRONMENT);
  const log = createLogger({ level: 'trace', stream: { write: (line) => void logs.push(line) } });
  return createProviderStates({ db, config, log, keyring: configKeyring(config) });
};
const store = (...args: Parameters<typeof rowOf>) => storeRow(database.db, rowOf(...args));
const secretOf = (states: ProviderStates) => states.find('oauth_a').settings?.secret;

describe('the provider states', () => {
  it('provider states come from the environment until the first reload, then from the database', async () => {
    await store('oauth_a', { secret: 'first' });
    const states = createStates();
    expect(states.find('oauth_a').source).toBe('environment');
    await states.reload();
    expect(states.find('oauth_a')).toMatchObject({ source: 'stored', settings: { secret: 'first' } });
    await store('oauth_a', { secret: 'second' });
    expect(secretOf(states)).toBe('first');
    await states.reload();
    expect(secretOf(states)).toBe('second');
    await store('oauth_a', { enabled: false });
    await states.reload();
    expect(states.find('oauth_a')).toMatchObject({ source: null, settings: undefined });
  });

  it('provider states list providers whose row cannot be applied', async () => {
    await store('oauth_a', { key: LOST_KEY });
    await store('oauth_b');
    await store('oauth_d', { public_config: {} });
    const states = createStates();
    expect(states.degraded()).toEqual([]);
    await states.reload();
    expect(states.degraded().map(({ provider, degraded }) => [provider, degraded])).toEqual([
      ['oauth_a', 'key_unknown'],
      ['oauth_d', 'fields_missing'],
    ]);
  });

  it('provider states are kept when the database cannot be read, and reload rejects', async () => {
    await store('oauth_a', { secret: 'known' });
    const states = createStates();
    await states.reload();
    const { schema } = database.db;
    await schema.alterTable('provider_configs').renameTo('gone').execute();
    await expect(states.reload()).rejects.toThrow();
    expect(states.find('oauth_a')).toMatchObject({ source: 'stored', settings: { secret: 'known' } });
    await schema
      .alterTable('gone' as never)
      .renameTo('provider_configs')
      .execute();
    await store('oauth_a', { secret: 'after' });
    await states.reload();
    expect(secretOf(states)).toBe('after');
  });

  it('provider states are those of the last reload, even if an earlier one is slower', async () => {
    await store('oauth_a', { secret: 'old' });
    const slow = holdFirstAnswer(database.db);
    const states = createStates(slow.db);
    const first = states.reload();
    await slow.answered;
    await store('oauth_a', { secret: 'new' });
    const second = states.reload();
    // By the end of this query the second reload would have sent its own query if it did not wait for the first reload.
    await listProviderRows(database.db);
    expect(slow.queryCount()).toBe(1);
    slow.release();
    await Promise.all([first, second]);
    expect(slow.queryCount()).toBe(2);
    expect(secretOf(states)).toBe('new');
  });

  it('provider states are loaded by the next reload after one that failed', async () => {
    await store('oauth_a', { secret: 'stored' });
    const slow = holdFirstAnswer(database.db);
    const states = createStates(slow.db);
    const first = states.reload();
    const second = states.reload();
    await slow.answered;
    slow.fail(new Error('the connection was lost'));
    await expect(first).rejects.toThrow('the connection was lost');
    await second;
    expect(secretOf(states)).toBe('stored');
  });
});

/** Holds back the first result of the database until it is released. */
function holdFirstAnswer(db: Db) {
  let queries = 0;
  let isHeldBack = false;
  let hasAnswered = () => {};
  const answered = new Promise<void>((resolve) => {
    hasAnswered = resolve;
  });
  let [release, fail] = [() => {}, (_: Error) => {}];
  const gate = new Promise<void>((resolve, reject) => {
    [release, fail] = [resolve, reject];
  });
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      queries++;
      return node;
    },
    async transformResult({ result }) {
      if (isHeldBack) return result;
      isHeldBack = true;
      hasAnswered();
      await gate;
      return result;
    },
  };
  return { db: db.withPlugin(plugin), answered, release, fail, queryCount: () => queries };
}

describe('§2.5 degraded, in the log', () => {
  const WARN = 40;
  const INFO = 30;
  const lines = () => logs.map((line) => JSON.parse(line));
  afterEach(() => expect(logs.join('')).not.toMatch(/re_hush|stored-|env-a/));

  it('logs a line when a provider becomes degraded, with reason and source, and another when the provider is no longer degraded', async () => {
    await store('oauth_a', { key: LOST_KEY });
    const states = createStates();
    await states.reload();
    await states.reload();
    expect(lines()).toMatchObject([{ level: WARN, provider: 'oauth_a', reason: 'key_unknown', source: 'environment' }]);
    await store('oauth_a');
    await states.reload();
    await states.reload();
    expect(lines().slice(1)).toMatchObject([{ level: INFO, provider: 'oauth_a', source: 'stored' }]);
    expect(logs).toHaveLength(2);
  });

  it('logs another line when the reason why a provider is degraded changes', async () => {
    await store('oauth_a', { key: LOST_KEY });
    const states = createStates();
    await states.reload();
    await store('oauth_a', { sealed_secret: null });
    await states.reload();
    expect(lines().map(({ level, reason }) => [level, reason])).toEqual([
      [WARN, 'key_unknown'],
      [WARN, 'secret_missing'],
    ]);
  });

  it('logs each provider separately', async () => {
    await store('oauth_b', { public_config: {} });
    await store('oauth_e', { sealed_secret: null });
    await createStates().reload();
    expect(lines().map(({ provider, reason, source }) => [provider, reason, source])).toEqual([
      ['oauth_b', 'fields_missing', null],
      ['oauth_e', 'secret_missing', null],
    ]);
  });

  it('logs nothing about usable, disabled and missing rows', async () => {
    await store('oauth_a');
    await store('oauth_b', { enabled: false, key: LOST_KEY });
    await createStates().reload();
    expect(logs).toEqual([]);
  });
});
