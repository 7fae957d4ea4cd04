import { once } from 'node:events';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, untilBlocked } from '../../../test/records.ts';
import { RELEASED_WITHIN_MS } from '../../../test/timeouts.ts';
import { insertEvents } from '../../domain/audit/counts/trail-fixture.ts';
import { SYSTEM } from '../../domain/kernel/caller.ts';
import { createReader, type Reader } from './audit-fixture.ts';
import { countReaders, insertMegabytes, listen, startDownload, takeApart } from './download-fixture.ts';
import { exportAudit } from './export.ts';

const KEY = 'key of the exports';

const app = useTestApp({ environment: { TIER: 'premium', AUDIT_EXPORT_KEY: KEY } });
let url: string;
let admin: Reader;
beforeAll(async () => {
  url = await listen(app);
  admin = await createReader(app, 'admin');
  await insertMegabytes(app, 16);
});

const allOver = () => expect.poll(() => countReaders(app), { timeout: RELEASED_WITHIN_MS }).toBe(0);
beforeEach(allOver);

const start = () => startDownload(url, admin.access_token);
const countAuditRows = async () => (await auditOf(app, { action: 'audit.exported' })).length;

describe('clients of an export', () => {
  it('a client that reads late gets the rows of the snapshot, with a valid signature', async () => {
    const before = (await auditOf(app)).length;
    const { read, answer } = await start().ready;
    await insertEvents(app.deps.db, Array(50).fill({ timestamp: '2029-04-04T04:04:04Z' }));
    const text = await read();
    const { lines, trailer, expected } = takeApart(text, KEY);
    expect(trailer).toEqual({ _signature: expected, _count: before });
    expect(answer.headers['x-service-signature']).toBe(expected);
    expect(lines).toHaveLength(before);
  });

  it('a client that reads slowly uses no connection of the request pool', async () => {
    const slow = await start().ready;
    await expect.poll(() => countReaders(app)).toBe(1);
    const busy = () => app.database.load().total - app.database.load().idle;
    await expect.poll(busy, { timeout: RELEASED_WITHIN_MS }).toBe(0);
    slow.abort();
  });

  it('two exports run at a time; a third gets 429 until one has ended', async () => {
    const [first, second] = await Promise.all([start().ready, start().ready]);
    const third = await start().ready;
    expect(third.answer.statusCode).toBe(429);
    expect(Number(third.answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(JSON.parse(await third.read()).error.code).toBe('rate_limited');
    await first.read();
    await expect.poll(() => countReaders(app), { timeout: RELEASED_WITHIN_MS }).toBe(1);
    const fourth = await start().ready;
    expect(fourth.answer.statusCode).toBe(200);
    fourth.abort();
    second.abort();
  });

  it('a client that disconnects during the download leaves no connection or transaction open', async () => {
    for (let round = 0; round < 3; round++) {
      const { answer, abort } = await start().ready;
      await once(answer, 'readable');
      abort();
    }
    await allOver();
    const next = await start().ready;
    expect(next.answer.statusCode).toBe(200);
    next.abort();
  });

  it('a client that disconnects before the signature leaves nothing open, and nothing is audited', async () => {
    const before = await countAuditRows();
    const blocker = await app.deps.db.startTransaction().execute();
    await sql`lock table audit_events in access exclusive mode`.execute(blocker);
    const { abort, ready } = start();
    await untilBlocked(app, 1);
    abort();
    await expect(ready).rejects.toThrow();
    await expect.poll(connections, { timeout: RELEASED_WITHIN_MS }).toBe(0);
    await blocker.commit().execute();
    await allOver();
    expect(await countAuditRows()).toBe(before);
  });

  it('an export succeeds even if signing takes longer than the idle timeout of a connection', async () => {
    const { server } = app.server;
    const { timeout } = server;
    server.timeout = 50;
    const silent = once(server, 'connection').then(([socket]) => once(socket, 'timeout'));
    const blocker = await app.deps.db.startTransaction().execute();
    await sql`lock table audit_events in access exclusive mode`.execute(blocker);
    const { ready } = start();
    await silent;
    await blocker.commit().execute();
    const { answer, abort } = await ready;
    expect(answer.statusCode).toBe(200);
    abort();
    server.timeout = timeout;
  });

  it('a client that stops reading is disconnected, without the trailer', async () => {
    const made = await exportAudit(app.deps, SYSTEM, {}, { gone: new AbortController().signal, stallTimeoutMs: 30 });
    const broken = once(made!.body, 'error');
    made!.body.once('data', () => made!.body.pause());
    const [error] = await broken;
    expect(error.message).toBe('the client has stopped reading');
    await allOver();
  });

  it('a lost database connection aborts the response, without the trailer', async () => {
    const { read } = await start().ready;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`.execute(app.deps.db);
    await expect(read()).rejects.toThrow('aborted');
    await allOver();
    expect(app.logs.some(({ msg }) => msg === 'an audit export was aborted')).toBe(true);
    const next = await start().ready;
    expect(next.answer.statusCode).toBe(200);
    next.abort();
  });
});

const connections = () =>
  new Promise<number>((resolve, reject) =>
    app.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
