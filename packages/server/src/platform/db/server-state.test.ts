import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { asAdmin, useTestDatabase } from '../../../test/database.ts';
import { openBusConnection } from '../bus/connection.ts';
import { createLogger } from '../log.ts';
import { findLeaseEnd, forceLease } from './lease.ts';
import {
  findArchiving,
  findConnections,
  findDatabaseSize,
  findEncryption,
  findOldestTransaction,
  findServerTime,
  listServing,
} from './server-state.ts';

const database = useTestDatabase();

describe('server state', () => {
  it('returns time, size, encryption and archiving', async () => {
    const { db } = database;
    expect(await findServerTime(db)).toBeInstanceOf(Date);
    expect(await findDatabaseSize(db)).toBeGreaterThan(1_000_000);
    // The connection uses a socket, so it is not encrypted.
    expect(await findEncryption(db)).toBeNull();
    expect(await findArchiving(db)).toEqual({ mode: 'off', last_archived_at: null, last_failed_at: null, standbys: 0 });
  });

  it('returns the connection limit and the connections of others', async () => {
    const before = await findConnections(database.db);
    const { rows } = await sql<{ most: number }>`select current_setting('max_connections')::int as most`.execute(
      database.db,
    );
    expect(before.bound).toBe('server');
    expect(before.most).toBeGreaterThan(10);
    expect(before.most).toBeLessThan(rows[0]!.most);
    await asAdmin(`alter database ${database.name} connection limit 7`);
    expect(await findConnections(database.db)).toEqual({ most: 7, bound: 'database', others: 0 });
    await asAdmin(`alter database ${database.name} connection limit -1`);
  });

  it('lists serving processes', async () => {
    expect(await listServing(database.db)).toEqual([]);
    const bus = openBusConnection(database.address, createLogger({ level: 'silent' }), { mark: 'a1b2' });
    await bus.start();
    const [serving] = await listServing(database.db);
    expect(serving).toEqual({ mark: 'a1b2', pid: expect.any(Number), address: null, silent: false });
    await bus.stop();
  });

  it('reports a serving connection as silent if it pauses longer than a serving process does', async () => {
    const left = new pg.Client({ connectionString: database.url, application_name: 'gatehouse bus c3d4' });
    await left.connect();
    expect(await listServing(database.db)).toMatchObject([{ mark: 'c3d4', silent: false }]);
    expect(await listServing(database.db, 0)).toMatchObject([{ mark: 'c3d4', silent: true }]);
    await left.end();
  });

  it('returns the oldest transaction', async () => {
    await database.db.transaction().execute(async (tx) => {
      await sql`select`.execute(tx);
      const oldest = await findOldestTransaction(database.db);
      expect(oldest!.since.getTime()).toBeLessThanOrEqual((await findServerTime(database.db)).getTime());
      expect(oldest!.pid).toBeGreaterThan(0);
    });
  });
});

describe('findLeaseEnd', () => {
  it('returns when a lease expired, or null without one', async () => {
    expect(await findLeaseEnd(database.db, 'something')).toBeNull();
    const before = await findServerTime(database.db);
    await forceLease(database.db, 'something', 0);
    expect((await findLeaseEnd(database.db, 'something'))!.getTime()).toBeGreaterThanOrEqual(before.getTime());
  });
});
