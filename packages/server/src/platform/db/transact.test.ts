import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { asAdmin, createTestDatabase, useTestDatabase } from '../../../test/database.ts';
import { poolConfig } from './connect.ts';
import { violatedConstraint } from './errors.ts';
import { migrate, migrationStatus } from './migrate.ts';
import { afterCommit, commitAndFail, transact } from './transact.ts';

const database = useTestDatabase();

const insert = (slug: string) => ({
  id: crypto.randomUUID(),
  name: slug,
  slug,
  created_at: new Date(),
  suspended_at: null,
});
const count = async (slug: string) =>
  (await database.db.selectFrom('organizations').select('id').where('slug', '=', slug).execute()).length;

describe('transact', () => {
  it('commits, and runs the callbacks of afterCommit after the commit', async () => {
    let seen = -1;
    const result = await transact(database.db, async (tx) => {
      await tx.insertInto('organizations').values(insert('kept')).execute();
      afterCommit(tx, async () => {
        seen = await count('kept');
      });
      return 'done';
    });
    expect(result).toBe('done');
    expect(seen).toBe(1);
  });

  it('a throw rolls back, and no callback of afterCommit runs', async () => {
    let delivered = false;
    const work = transact(database.db, async (tx) => {
      await tx.insertInto('organizations').values(insert('thrown')).execute();
      afterCommit(tx, () => {
        delivered = true;
      });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await count('thrown')).toBe(0);
    expect(delivered).toBe(false);
  });

  it('commitAndFail commits and then throws', async () => {
    const work = transact(database.db, async (tx) => {
      await tx.insertInto('organizations').values(insert('refused')).execute();
      return commitAndFail(new Error('wrong code'));
    });
    await expect(work).rejects.toThrow('wrong code');
    expect(await count('refused')).toBe(1);
  });

  it('repeats the transaction after a deadlock', async () => {
    await database.db
      .insertInto('organizations')
      .values([insert('left'), insert('right')])
      .execute();
    const touch = (first: string, second: string) =>
      transact(database.db, async (tx) => {
        await tx.updateTable('organizations').set({ name: first }).where('slug', '=', first).execute();
        await sql`select pg_sleep(0.2)`.execute(tx);
        await tx.updateTable('organizations').set({ name: second }).where('slug', '=', second).execute();
        return 'done';
      });
    expect(await Promise.all([touch('left', 'right'), touch('right', 'left')])).toEqual(['done', 'done']);
  });

  it('returns the violated constraint of a conflict', async () => {
    await database.db.insertInto('organizations').values(insert('taken')).execute();
    const error = await database.db
      .insertInto('organizations')
      .values(insert('taken'))
      .execute()
      .catch((e) => e);
    expect(violatedConstraint(error)).toBe('organizations_slug_key');
    expect(violatedConstraint(new Error('x'))).toBeUndefined();
  });
});

describe('the pool', () => {
  it('survives the loss of every connection', async () => {
    await Promise.all([1, 2, 3].map(() => sql`select 1`.execute(database.db)));
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`);
    for (let attempt = 0; ; attempt++) {
      const { rows } = await sql<{ n: number }>`select 41 + ${1}::int as n`.execute(database.db).catch((error) => {
        if (attempt > 5) throw error;
        return { rows: [] };
      });
      if (rows[0]) return expect(rows[0].n).toBe(42);
    }
  });

  it('does not reuse a connection whose transaction was interrupted', async () => {
    const work = transact(database.db, async (tx) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
    });
    await expect(work).rejects.toThrow();
    for (let index = 0; index < 8; index++) await sql`select ${index}::int`.execute(database.db);
  });

  it('after renew, the pool uses no earlier connection and does not wait for silent ones', async () => {
    const backend = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db)).rows[0]!.pid;
    const pids = async () => new Set(await Promise.all([1, 2, 3, 4, 5].map(backend)));
    const before = await pids();
    const silent = sql`select pg_sleep(60)`.execute(database.db).catch((error: Error) => error);
    await expect.poll(() => database.load().idle).toBeLessThan(database.load().total);
    // An old connection may still answer a query that was sent a moment ago.
    await expect
      .poll(() => {
        database.renew();
        return Promise.race([silent, sleep(50)]);
      })
      .toBeInstanceOf(Error);
    for (const pid of await pids()) expect(before).not.toContain(pid);
  });

  it('returns bigint as a number', async () => {
    const { rows } = await sql<{ n: number }>`select 9007199254740991::bigint as n`.execute(database.db);
    expect(rows[0]!.n).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('migrate', () => {
  it('has no client-side timeout, because it may wait for another replica', () => {
    const options = { address: database.address, poolSize: 1, onIdleError: () => {} };
    expect(poolConfig(options).query_timeout).toBeGreaterThan(0);
    expect(poolConfig({ ...options, unhurried: true }).query_timeout).toBeUndefined();
  });

  it('migrates an empty database once, even if eight processes start together', async () => {
    const empty = await createTestDatabase({ empty: true, poolSize: 10 });
    try {
      expect((await migrationStatus(empty.db)).pending.length).toBeGreaterThan(0);
      const runs = await Promise.all(Array.from({ length: 8 }, () => migrate(empty.address, new Date())));
      const { applied, pending, unknown } = await migrationStatus(empty.db);
      expect(runs.flat()).toHaveLength(applied.length);
      expect({ pending, unknown }).toEqual({ pending: [], unknown: [] });
      expect(await migrate(empty.address, new Date())).toEqual([]);
    } finally {
      await empty.close();
    }
  });

  it('accepts a database of a later version', async () => {
    const later = await createTestDatabase();
    try {
      await later.db
        .insertInto('schema_migrations')
        .values({ version: 9999, name: 'later', applied_at: new Date() })
        .execute();
      expect((await migrationStatus(later.db)).unknown).toEqual([9999]);
      expect(await migrate(later.address, new Date())).toEqual([]);
    } finally {
      await later.close();
    }
  });
});
