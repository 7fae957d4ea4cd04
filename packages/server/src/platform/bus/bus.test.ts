import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { asAdmin, useTestDatabase } from '../../../test/database.ts';
import { INVALIDATED_WITHIN_MS } from '../../../test/timeouts.ts';
import { transact } from '../db/transact.ts';
import { createLogger } from '../log.ts';
import { type Bus, createBus } from './bus.ts';
import { openBusConnection } from './connection.ts';
import { deleteOldBusEvents, insertBusEvents } from './queries.ts';

const log = createLogger({ level: 'silent' });
const database = useTestDatabase({ poolSize: 10 });

const listen = async (): Promise<{ bus: Bus; heard: (string | undefined)[] }> => {
  const bus = createBus(openBusConnection(database.address, log), log);
  const heard: (string | undefined)[] = [];
  bus.subscribe('session', (key) => void heard.push(key));
  await bus.start();
  return { bus, heard };
};

const until = async (condition: () => boolean): Promise<void> => {
  for (const end = performance.now() + INVALIDATED_WITHIN_MS; !condition() && performance.now() < end; )
    await sleep(10);
};

const announce = (bus: Bus, key: string) =>
  transact(database.db, (tx) => bus.announce(tx, new Date(), [{ topic: 'session', key }]));

describe('the bus', () => {
  it('delivers events in this process after the commit, and in others soon after', async () => {
    const [here, there] = await Promise.all([listen(), listen()]);
    await announce(here.bus, 'a');
    expect(here.heard[0]).toBe('a');
    await until(() => there.heard.includes('a'));
    expect(there.heard).toEqual(['a']);
    await Promise.all([here.bus.stop(), there.bus.stop()]);
  });

  it('delivers nothing after a rollback', async () => {
    const { bus, heard } = await listen();
    const work = transact(database.db, async (tx) => {
      await bus.announce(tx, new Date(), [{ topic: 'session', key: 'rolled back' }]);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow();
    await announce(bus, 'after');
    await until(() => heard.filter((key) => key === 'after').length > 1);
    expect(heard).not.toContain('rolled back');
    await bus.stop();
  });

  it('does not skip events of a transaction that began early and committed late', async () => {
    const { bus, heard } = await listen();
    let commit = () => {};
    const waiting = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const late = transact(database.db, async (tx) => {
      await insertBusEvents(tx, [{ topic: 'session', key: 'late', created_at: new Date() }]);
      await waiting;
    });
    for (let index = 0; index < 5; index++) await announce(bus, `early ${index}`);
    await until(() => heard.filter((key) => key === 'early 4').length > 1);
    expect(heard).not.toContain('late');
    commit();
    await late;
    await until(() => heard.includes('late'));
    expect(heard).toContain('late');
    await bus.stop();
  });

  it('delivers events that happened while its connection was lost', async () => {
    const { bus, heard } = await listen();
    const other = createBus(openBusConnection(database.address, log), log);
    await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`);
    // All pooled connections were closed as well, and fail at their next use.
    await expect.poll(() => announce(other, 'while away').then(() => true)).toBe(true);
    await until(() => heard.includes('while away'));
    expect(heard).toContain('while away');
    await until(() => bus.isFresh());
    expect(bus.isFresh()).toBe(true);
    await Promise.all([bus.stop(), other.stop()]);
  });

  it('isFresh returns false before the first sync', async () => {
    const silent = createBus(openBusConnection({ connectionString: 'postgresql://127.0.0.1:1/none' }, log), log);
    expect(silent.isFresh()).toBe(false);
    await expect(silent.start()).rejects.toThrow();
  });

  it('calls the other subscribers if one throws', async () => {
    const { bus, heard } = await listen();
    bus.subscribe('session', () => {
      throw new Error('mine alone');
    });
    await bus.deliver([{ topic: 'session', key: 'x' }]);
    expect(heard).toContain('x');
    await bus.stop();
  });

  it('deletes old events', async () => {
    await transact(database.db, (tx) =>
      insertBusEvents(tx, [{ topic: 'session', key: 'old', created_at: new Date(0) }]),
    );
    expect(await deleteOldBusEvents(database.db, new Date(1), 10)).toBe(1);
  });
});
