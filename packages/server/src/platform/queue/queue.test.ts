import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock, type TestClock } from '../../../test/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { after, systemClock } from '../clock.ts';
import { createLogger } from '../log.ts';
import type { Outcome } from './queue.ts';
import {
  addDelivery,
  addMessage,
  createMessages,
  createTestQueue,
  findMessage,
  LEASE_SECONDS,
  listDeliveries,
} from './queue-fixture.ts';

let database: TestDatabase;
let clock: TestClock;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  clock = createTestClock();
  await createMessages(database.db);
});
afterEach(() => database.close());

const add = (id: string, options?: Parameters<typeof addMessage>[3]) =>
  addMessage(database.db, id, clock.now(), options);
const find = (id: string) => findMessage(database.db, id);
const done: Outcome = { result: 'done' };

/** A queue that records its attempts; `answer` returns the outcome of each attempt. */
function start(
  answer: (id: string) => Promise<Outcome> | Outcome = () => done,
  options: { isOpen?: () => boolean; claimPauseFactor?: number } = {},
) {
  const attempted: string[] = [];
  const logged: { level: number; msg: string }[] = [];
  const outcomes: Record<string, number> = {};
  const queue = createTestQueue(database.db, {
    clock,
    async attempt({ id }) {
      attempted.push(id);
      return answer(id);
    },
    log: createLogger({ level: 'trace', stream: { write: (line) => void logged.push(JSON.parse(line)) } }),
    observe(outcome, count) {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    },
    ...options,
  });
  return { queue, attempted, logged, outcomes };
}

function pendingAttempt() {
  let release = () => {};
  const released = new Promise<Outcome>((resolve) => {
    release = () => resolve(done);
  });
  return { released, release };
}

describe('a queue', () => {
  it('delivers more messages than its lanes can run at once, each message once', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `m${index}`);
    for (const id of ids) await add(id, { lane: id.endsWith('5') ? 'slow' : 'fast' });
    const { queue, attempted, outcomes } = start();
    await queue.drain();
    expect(attempted.sort()).toEqual(ids.sort());
    expect(outcomes).toEqual({ done: 25 });
  });

  it('with a pause between claims, the next messages of a backlog are attempted after the pause', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await add(id);
    const begunMs: number[] = [];
    const record = (): Outcome => {
      begunMs.push(performance.now());
      return done;
    };
    const { queue } = start(record, { claimPauseFactor: 1e9 });
    queue.start();
    await expect.poll(() => begunMs).toHaveLength(4);
    await queue.stop();
    // The lane runs two messages at once. Timers may fire a millisecond early.
    expect(begunMs[2]! - begunMs[1]!).toBeGreaterThan(450);
  });

  it('does not claim a leased message until the lease expires, and ignores the result of the earlier claim', async () => {
    await add('m');
    const { released, release } = pendingAttempt();
    const first = start(() => released.then(() => ({ result: 'failed', reason: 'late' })));
    const draining = first.queue.drain();
    await expect.poll(() => first.attempted).toEqual(['m']);
    const second = start(() => ({ result: 'retry', reason: 'busy' }));
    clock.advance(LEASE_SECONDS - 1);
    await second.queue.drain();
    expect(second.attempted).toEqual([]);
    clock.advance(1);
    await second.queue.drain();
    expect(second.attempted).toEqual(['m']);
    release();
    await draining;
    expect(await find('m')).toMatchObject({ state: 'queued', attempts: 2, last_error: 'busy' });
  });

  it('retries after each delay, then marks the message as failed', async () => {
    await add('m');
    const { queue, attempted, outcomes } = start(() => ({ result: 'retry', reason: 'busy' }));
    for (const [attempts, delay] of [10, 20].entries()) {
      await queue.drain();
      expect(await find('m')).toMatchObject({ state: 'queued', attempts: attempts + 1, last_error: 'busy' });
      clock.advance(delay - 1);
      await queue.drain();
      expect(attempted).toHaveLength(attempts + 1);
      clock.advance(1);
    }
    await queue.drain();
    expect(await find('m')).toMatchObject({ state: 'failed', attempts: 3, last_error: 'busy' });
    expect(outcomes).toEqual({ retried: 2, failed: 1 });
  });

  it('marks a message whose attempts throw as failed, and delivers the others in the meantime', async () => {
    for (const id of ['a', 'poison', 'z']) await add(id);
    const { queue, attempted, logged } = start((id) => {
      if (id === 'poison') throw new Error('no');
      return done;
    });
    await queue.drain();
    expect(attempted.sort()).toEqual(['a', 'poison', 'z']);
    for (const delay of [10, 20]) {
      clock.advance(delay);
      await queue.drain();
    }
    expect(await find('poison')).toMatchObject({ state: 'failed', attempts: 3, last_error: 'unexpected' });
    expect(logged.map(({ msg }) => msg)).toEqual(Array(3).fill('an attempt of the test queue threw'));
  });

  it('pauses a lane when its receiver asks for a pause, and does not count these attempts', async () => {
    for (const id of ['a', 'b', 'c']) await add(id);
    await add('other', { lane: 'slow' });
    let busy = true;
    const { queue, attempted } = start((id) =>
      busy && id !== 'other' ? { result: 'retry', reason: 'busy', pauseSeconds: 5 } : done,
    );
    await queue.drain();
    expect(attempted.sort()).toEqual(['a', 'b', 'other']);
    busy = false;
    await add('late', { lane: 'slow' });
    await queue.drain();
    expect(attempted).toHaveLength(4);
    clock.advance(5);
    await queue.drain();
    for (const id of ['a', 'b', 'c']) expect(await find(id)).toMatchObject({ state: 'done', attempts: 1 });
  });

  it('claims nothing for a closed lane, and marks expired messages', async () => {
    await add('m');
    await add('old', { expires_at: after(clock.now(), 10).toISOString() });
    let open = false;
    const { queue, attempted, outcomes } = start(undefined, { isOpen: () => open });
    clock.advance(10);
    await queue.drain();
    expect(attempted).toEqual([]);
    expect((await find('old')).state).toBe('expired');
    open = true;
    await queue.drain();
    expect(outcomes).toEqual({ expired: 1, done: 1 });
  });

  it('continues in one lane while the other waits, wakes for new messages, and finishes running attempts on stop', async () => {
    await add('stuck', { lane: 'slow' });
    await add('stuck too', { lane: 'slow' });
    const { released, release } = pendingAttempt();
    const { queue, attempted } = start((id) => (id === 'stuck' ? released : done));
    queue.start();
    await expect.poll(() => attempted).toContain('stuck');
    await add('m');
    queue.wake();
    await expect.poll(async () => (await find('m')).state).toBe('done');
    const stopping = queue.stop();
    release();
    await stopping;
    expect((await find('stuck')).state).toBe('done');
    expect(await find('stuck too')).toMatchObject({ state: 'queued', attempts: 0 });
  });

  it('survives a database failure, and does not repeat an attempt whose result was not recorded', async () => {
    await add('m');
    const { queue, attempted, logged } = start(async () => {
      await sql`alter table messages rename to gone`.execute(database.db);
      return done;
    });
    await queue.drain();
    await sql`alter table gone rename to messages`.execute(database.db);
    expect((await find('m')).state).toBe('queued');
    clock.advance(LEASE_SECONDS);
    await queue.drain();
    expect(attempted).toEqual(['m']);
    expect((await find('m')).state).toBe('done');
    expect(logged.map(({ msg }) => msg)).toEqual([
      'the test queue lost the database; trying again',
      'the test queue reached the database again',
    ]);
  });
});

describe('a queue shared by processes', () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) await kill(child);
  });

  const kill = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };

  /** An attempt of the process ends when `together` processes have each started an attempt. */
  const startProcess = (together: number): ChildProcess => {
    const program = join(import.meta.dirname, 'process-fixture.ts');
    const args = ['--import=tsx', program, database.url, String(together)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] });
    children.push(child);
    return child;
  };

  it('a queue is processed by two processes, each message by one of them', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `m${index}`);
    for (const id of ids) await add(id);
    await sql`update messages set next_attempt_at = '-infinity'`.execute(database.db);
    const pids = [startProcess(2), startProcess(2)].map(({ pid }) => pid!);
    await expect
      .poll(async () => (await sql`select from messages where state <> 'done'`.execute(database.db)).rows.length)
      .toBe(0);
    const deliveries = await listDeliveries(database.db);
    expect(deliveries.map(({ id }) => id)).toEqual(ids.sort());
    expect(new Set(deliveries.map(({ pid }) => pid))).toEqual(new Set(pids));
  });

  it('a message claimed by a killed process is delivered by another when the lease expires', async () => {
    clock.set(systemClock.now());
    await add('m');
    // The attempt waits for a second process, which is never started.
    const child = startProcess(2);
    await expect.poll(() => listDeliveries(database.db)).toEqual([{ id: 'm', pid: child.pid }]);
    await kill(child);
    const { queue, attempted } = start(async (id) => {
      await addDelivery(database.db, id);
      return done;
    });
    clock.set(systemClock.now());
    await queue.drain();
    expect(attempted).toEqual([]);
    clock.advance(LEASE_SECONDS);
    await queue.drain();
    expect(attempted).toEqual(['m']);
    expect(await find('m')).toMatchObject({ state: 'done', attempts: 2 });
  });
});
