import type { ControlledTransaction } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { clientConfig, poolConfig } from './connect.ts';
import { PoolBusy } from './errors.ts';
import type { Schema } from './schema.ts';

let database: TestDatabase;
let blocker: ControlledTransaction<Schema>;
const waitInLine = () => database.db.startTransaction().execute();
const outcomeOf = (waiting: Promise<unknown>) =>
  waiting.then(
    () => 'served',
    (error) => error,
  );

describe('database timeouts', () => {
  const timesOf = (timeoutFactor?: number, query = '') => {
    const address = {
      connectionString: `postgresql://localhost/gatehouse${query}`,
      ...(timeoutFactor && { timeoutFactor }),
    };
    const { connectionTimeoutMillis, statement_timeout, lock_timeout } = clientConfig(address, 'a test');
    const { query_timeout } = poolConfig({ address, poolSize: 1, onIdleError: () => {} });
    return { connectionTimeoutMillis, statement_timeout, lock_timeout, query_timeout };
  };

  it('apply, multiplied by timeoutFactor', () => {
    expect(timesOf()).toEqual({
      connectionTimeoutMillis: 5_000,
      statement_timeout: 10_000,
      lock_timeout: 5_000,
      query_timeout: 12_000,
    });
    expect(timesOf(3)).toEqual({
      connectionTimeoutMillis: 15_000,
      statement_timeout: 30_000,
      lock_timeout: 15_000,
      query_timeout: 36_000,
    });
  });

  it('connect_timeout in the URL sets the connection timeout, unless its value is invalid', () => {
    expect(timesOf(undefined, '?connect_timeout=30')).toEqual({ ...timesOf(), connectionTimeoutMillis: 30_000 });
    expect(timesOf(2, '?connect_timeout=30').connectionTimeoutMillis).toBe(60_000);
    expect(timesOf(undefined, '?connect_timeout=9&connect_timeout=30').connectionTimeoutMillis).toBe(30_000);
    for (const odd of ['', '0', '51', 'x']) expect(timesOf(undefined, `?connect_timeout=${odd}`)).toEqual(timesOf());
  });
});

describe('waiting for a pooled connection', () => {
  beforeEach(async () => {
    database = await createTestDatabase({ poolSize: 1, timeoutFactor: 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    blocker = await database.db.startTransaction().execute();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await database.close();
  });

  it('rejects with PoolBusy if connections become free, but too few', async () => {
    const next = waitInLine();
    const last = outcomeOf(waitInLine());
    vi.advanceTimersByTime(4_000);
    await blocker.commit().execute();
    const nextHolder = await next;
    vi.advanceTimersByTime(1_000);
    expect(await last).toBeInstanceOf(PoolBusy);
    await nextHolder.commit().execute();
  });

  it('rejects with the database error if none becomes free', async () => {
    vi.advanceTimersByTime(1);
    const last = outcomeOf(waitInLine());
    vi.advanceTimersByTime(5_000);
    const error = await last;
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(PoolBusy);
    await blocker.commit().execute();
  });
});
