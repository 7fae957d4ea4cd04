import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { type FakeMailApi, startFakeMailApi } from '../../../test/fake-mail-api.ts';
import { createMailFixture, type MailFixture, outletsOf } from '../../../test/mail-queue.ts';
import { after } from '../../platform/clock.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import { connectDatabase } from '../../platform/db/connect.ts';
import { resealColumn } from '../../platform/db/reseal.ts';
import { createLogger } from '../../platform/log.ts';
import { createApiTransport } from '../../platform/mail/api.ts';
import { configOf, LOST_KEY, NEW_KEY, rowOf, storeRow } from '../provider-settings/rows-fixture.ts';
import { configKeyring } from '../provider-settings/secret.ts';
import { createProviderStates } from '../provider-settings/states.ts';
import { countMails } from './queries.ts';
import { openContent } from './sealed-content.ts';
import { chooseTransport } from './transport.ts';
import { RETRY_DELAYS } from './worker.ts';

const MAX_ATTEMPTS = RETRY_DELAYS.length + 1;

const database = useTestDatabase({ poolSize: 10 });
let mail: MailFixture;
beforeEach(async () => {
  mail = await createMailFixture(database);
});
afterEach(async () => {
  const stored = await mail.database.db.selectFrom('mails').selectAll().execute();
  await mail.close();
  // After every test: no code, address or provider key in a log line or row.
  expect(`${mail.logs.join('')}${JSON.stringify(stored)}`).not.toMatch(/042137|ada@|re_hush/);
});

const lines = (level: number) => mail.logs.map((line) => JSON.parse(line)).filter((line) => line.level === level);
const WARN = 40;
const INFO = 30;

describe('the mail worker', () => {
  it('sends due mails and deletes their content', async () => {
    const id = await mail.enqueue();
    await mail.worker().drain();
    const [request] = mail.api.requests;
    expect(request).toMatchObject({
      idempotencyKey: id,
      body: { from: 'Id <id@example.org>', to: ['ada@example.com'] },
    });
    expect(request!.body.text).toContain('042137');
    expect(request!.body.html).toContain('042137');
    expect(await mail.find(id)).toMatchObject({
      state: 'sent',
      sealed: null,
      attempts: 1,
      finished_at: mail.clock.now(),
      last_error: null,
    });
    await mail.worker().drain();
    expect(mail.api.requests).toHaveLength(1);
  });

  it('sends each of 60 mails once with two concurrent workers', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, () => mail.enqueue()));
    const outcomes: string[] = [];
    const observe = (outcome: string) => void outcomes.push(outcome);
    const workers = [mail.worker({ observe }), mail.worker({ observe })];
    await Promise.all(workers.map((worker) => worker.drain()));
    expect(mail.api.requests.map((request) => request.idempotencyKey).sort()).toEqual([...ids].sort());
    expect(await countMails(mail.database.db)).toEqual({ queued: 0, sent: 60, failed: 0, expired: 0 });
    expect(outcomes).toEqual(Array(60).fill('done'));
  });

  it('retries with growing delays, then fails and deletes the content', async () => {
    mail.api.mode = 500;
    const id = await mail.enqueue({ expires_in: 86400 });
    const worker = mail.worker();
    const waits: number[] = [];
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      await worker.drain();
      const row = await mail.find(id);
      expect(row).toMatchObject({ state: 'queued', attempts: attempt, last_error: 'http_500' });
      waits.push((row.next_attempt_at.getTime() - mail.clock.now().getTime()) / 1000);
      mail.clock.set(after(row.next_attempt_at, -1));
      await worker.drain();
      expect(mail.api.requests).toHaveLength(attempt);
      mail.clock.set(row.next_attempt_at);
    }
    await worker.drain();
    expect(waits).toEqual([5, 15, 60, 300, 900, 3600, 3600]);
    expect(await mail.find(id)).toMatchObject({
      state: 'failed',
      sealed: null,
      attempts: MAX_ATTEMPTS,
      last_error: 'http_500',
    });
    expect(new Set(mail.api.requests.map((request) => request.idempotencyKey))).toEqual(new Set([id]));
  });

  it.each([400, 422] as const)('a mail fails at once if the provider responds %i', async (status) => {
    mail.api.mode = status;
    const id = await mail.enqueue();
    await mail.worker().drain();
    expect(await mail.find(id)).toMatchObject({
      state: 'failed',
      sealed: null,
      attempts: 1,
      last_error: `http_${status}`,
    });
  });

  it('pauses all mails when the provider asks for a pause, without counting an attempt', async () => {
    mail.api.mode = 429;
    const ids = await Promise.all(Array.from({ length: 12 }, () => mail.enqueue()));
    const worker = mail.worker();
    await worker.drain();
    expect(mail.api.requests).toHaveLength(4);
    for (const id of ids) expect((await mail.find(id)).attempts).toBe(0);
    mail.api.mode = 'ok';
    await worker.drain();
    expect(mail.api.delivered.size).toBe(0);
    mail.clock.advance(2);
    await worker.drain();
    expect(mail.api.delivered.size).toBe(12);
  });

  it('drops a mail that has expired, and deletes its content on time', async () => {
    mail.api.mode = 500;
    const [late, tried] = [await mail.enqueue({ expires_in: 10 }), await mail.enqueue({ expires_in: 30 })];
    const worker = mail.worker();
    mail.clock.advance(10);
    await worker.drain();
    expect(await mail.find(late)).toMatchObject({ state: 'expired', sealed: null, attempts: 0 });
    mail.clock.advance(5);
    await worker.drain();
    expect((await mail.find(tried)).next_attempt_at).toEqual(after(mail.clock.now(), 15));
    mail.clock.advance(14);
    await worker.drain();
    mail.clock.advance(1);
    await worker.drain();
    expect(await mail.find(tried)).toMatchObject({
      state: 'expired',
      sealed: null,
      attempts: 2,
      last_error: 'http_500',
    });
    expect(mail.api.requests).toHaveLength(2);
  });

  it('a mail under another JWT_SECRET waits, without counting attempts, for a worker that has the secret', async () => {
    const another = createKeyring('another secret, 0123456789 0123456789 0123456789');
    const id = await mail.enqueue({ keyring: another });
    for (let attempt = 0; attempt < MAX_ATTEMPTS + 1; attempt++) {
      await mail.worker().drain();
      mail.clock.advance(30);
    }
    expect(await mail.find(id)).toMatchObject({ state: 'queued', attempts: 0, last_error: 'unreadable' });
    expect(lines(WARN)).toEqual([]);
    await mail.worker({ keyring: another }).drain();
    expect(await mail.find(id)).toMatchObject({ state: 'sent', sealed: null });
    expect(mail.api.requests).toHaveLength(1);
  });

  it('leaves a mail whose template it does not know in the queue, for a replica of a newer version', async () => {
    const id = await mail.enqueue();
    await mail.database.db
      .updateTable('mails')
      .set({ template: 'of_tomorrow' } as never)
      .where('id', '=', id)
      .execute();
    await mail.worker().drain();
    expect(await mail.find(id)).toMatchObject({ state: 'queued', last_error: 'unknown_template' });
  });

  it('waits while no transport is configured, and logs it once', async () => {
    const [id, short] = [await mail.enqueue(), await mail.enqueue({ expires_in: 5 })];
    let configured = false;
    const worker = mail.worker({ outlets: outletsOf(() => (configured ? mail.transport : undefined)) });
    await worker.drain();
    mail.clock.advance(5);
    await worker.drain();
    expect(await mail.find(id)).toMatchObject({ state: 'queued', attempts: 0 });
    expect((await mail.find(short)).state).toBe('expired');
    expect(lines(WARN)).toHaveLength(1);
    configured = true;
    await worker.drain();
    expect((await mail.find(id)).state).toBe('sent');
  });

  it('logs once that the transport is down and once that it is back', async () => {
    mail.api.mode = 500;
    const ids = await Promise.all(Array.from({ length: 10 }, () => mail.enqueue()));
    const worker = mail.worker();
    await worker.drain();
    mail.clock.advance(5);
    await worker.drain();
    expect(lines(WARN)).toMatchObject([{ reason: 'http_500' }]);
    mail.api.mode = 'ok';
    mail.clock.advance(15);
    await worker.drain();
    expect(lines(INFO)).toHaveLength(1);
    for (const id of ids) expect(await mail.find(id)).toMatchObject({ state: 'sent', last_error: null });
  });
});

describe('the mail worker after failures', () => {
  it('sends a mail again with the same idempotency key if the process died before it recorded the success', async () => {
    const id = await mail.enqueue();
    // The process loses its database for good at the moment when the provider has accepted the mail.
    const doomed = connectDatabase({ address: mail.database.address, poolSize: 2, onIdleError: () => {} });
    const dying = {
      ...mail.transport,
      send: async (...args: Parameters<typeof mail.transport.send>) => {
        await mail.transport.send(...args);
        await doomed.close();
      },
    };
    await mail.worker({ db: doomed.db, outlets: outletsOf(() => dying) }).drain();
    expect(mail.api.requests).toHaveLength(1);
    expect((await mail.find(id)).state).toBe('queued');
    const survivor = mail.worker();
    await survivor.drain();
    expect(mail.api.requests).toHaveLength(1);
    mail.clock.advance(61);
    await survivor.drain();
    expect(mail.api.requests.map((request) => request.idempotencyKey)).toEqual([id, id]);
    expect(mail.api.delivered.size).toBe(1);
    expect(await mail.find(id)).toMatchObject({ state: 'sent', attempts: 2 });
  });

  it('does not send a mail again if only recording its success failed', async () => {
    const id = await mail.enqueue();
    const { db } = mail.database;
    // At the moment when the provider has accepted the mail, queries on the queue stop being answered.
    const blocked = {
      ...mail.transport,
      send: async (...args: Parameters<typeof mail.transport.send>) => {
        await mail.transport.send(...args);
        await db.schema.alterTable('mails').renameTo('mails_gone').execute();
      },
    };
    const worker = mail.worker({ outlets: outletsOf(() => blocked) });
    await worker.drain();
    await db.schema
      .alterTable('mails_gone' as never)
      .renameTo('mails')
      .execute();
    expect((await mail.find(id)).state).toBe('queued');
    mail.clock.advance(61);
    await worker.drain();
    expect(mail.api.requests).toHaveLength(1);
    expect((await mail.find(id)).state).toBe('sent');
    expect(lines(WARN)).toHaveLength(1);
    expect(lines(INFO)).toHaveLength(1);
  });

  it('wakes up for new mail, and finishes running sends when stopped', async () => {
    const worker = mail.worker();
    worker.start();
    const first = await mail.enqueue();
    worker.wake();
    await expect.poll(async () => (await mail.find(first)).state).toBe('sent');

    mail.api.mode = 'slow';
    const second = await mail.enqueue();
    worker.wake();
    await mail.api.received(2);
    const stopping = worker.stop();
    mail.api.release();
    await stopping;
    expect((await mail.find(second)).state).toBe('sent');

    const third = await mail.enqueue();
    worker.wake();
    expect((await mail.find(third)).state).toBe('queued');
  });

  it('sends mail that was queued while all slots were busy', async () => {
    mail.api.mode = 'slow';
    const worker = mail.worker();
    worker.start();
    await Promise.all(Array.from({ length: 4 }, () => mail.enqueue()));
    worker.wake();
    await mail.api.received(4);
    await Promise.all(Array.from({ length: 5 }, () => mail.enqueue()));
    worker.wake();
    mail.api.mode = 'ok';
    mail.api.release();
    await mail.api.received(9);
    await worker.stop();
    expect(mail.api.delivered.size).toBe(9);
  });

  it('closes its transport when stopped', async () => {
    let closed = 0;
    const transport = { ...mail.transport, close: async () => void closed++ };
    const worker = mail.worker({ outlets: outletsOf(() => transport) });
    worker.start();
    await worker.stop();
    expect(closed).toBe(1);
  });
});

describe('discarded mails, to addresses without an account', () => {
  const enqueueDiscarded = async (options: Parameters<MailFixture['enqueue']>[0] = {}): Promise<string> => {
    const id = await mail.enqueue(options);
    const discard = { discard: true } as never;
    await mail.database.db.updateTable('mails').set(discard).where('id', '=', id).execute();
    return id;
  };

  it('a discarded mail is claimed, unsealed and finished like any other, and never reaches the transport', async () => {
    const [real, id] = [await mail.enqueue(), await enqueueDiscarded()];
    await mail.worker().drain();
    expect(mail.api.requests.map((request) => request.idempotencyKey)).toEqual([real]);
    const [{ id: _, discard, ...sent }, { id: __, discard: discarded, ...dropped }] = [
      await mail.find(real),
      await mail.find(id),
    ];
    expect(dropped).toEqual(sent);
    expect([discard, discarded]).toEqual([false, true]);
    expect(mail.logs).toEqual([]);
  });

  it('a discarded mail looks in the metrics like a mail that was sent', async () => {
    const outcomes: string[] = [];
    await enqueueDiscarded();
    expect(await countMails(mail.database.db)).toMatchObject({ queued: 1, sent: 0 });
    await mail.worker({ observe: (outcome) => void outcomes.push(outcome) }).drain();
    expect(await countMails(mail.database.db)).toMatchObject({ queued: 0, sent: 1 });
    expect(outcomes).toEqual(['done']);
  });

  it('a discarded mail waits and expires like any other while no transport is configured', async () => {
    const [id, short] = [await enqueueDiscarded(), await enqueueDiscarded({ expires_in: 5 })];
    const worker = mail.worker({ outlets: outletsOf(() => undefined) });
    mail.clock.advance(5);
    await worker.drain();
    expect((await mail.find(id)).state).toBe('queued');
    expect(await mail.find(short)).toMatchObject({ state: 'expired', sealed: null });
  });

  it('a discarded mail does not report the transport as working while the transport is down', async () => {
    mail.api.mode = 500;
    await mail.enqueue();
    const worker = mail.worker();
    await worker.drain();
    await enqueueDiscarded();
    await worker.drain();
    expect(lines(WARN)).toHaveLength(1);
    expect(lines(INFO)).toHaveLength(0);
  });
});

describe('the stored configuration of the mail provider', () => {
  const follow = (environment: Record<string, string> = {}) => {
    const { db } = mail.database;
    const config = configOf({
      NODE_ENV: 'production',
      CONFIG_ENCRYPTION_KEY: NEW_KEY,
      EMAIL_API_BASE_URL: mail.api.url,
      ...environment,
    });
    const log = createLogger({ level: 'trace', stream: { write: (line) => void mail.logs.push(line) } });
    const states = createProviderStates({ db, config, log, keyring: configKeyring(config) });
    const worker = mail.worker({ outlets: chooseTransport(config, mail.clock, states) });
    const save = async (secret: string, from: string, changes: Parameters<typeof rowOf>[1] = {}): Promise<void> => {
      await storeRow(db, rowOf('email_transport', { secret, public_config: { from }, ...changes }));
      await states.reload();
    };
    return { worker, save };
  };
  const sent = () => mail.api.requests.map(({ authorization, body }) => [authorization, body.from]);

  it.each([401, 403] as const)(
    'a mail rejected with %i for a wrong key is sent with the right key and the sender saved with it',
    async (status) => {
      const { worker, save } = follow();
      await save('re_hush_wrong', 'old@example.com');
      mail.api.mode = status;
      const id = await mail.enqueue();
      await worker.drain();
      expect(await mail.find(id)).toMatchObject({ state: 'queued', last_error: `http_${status}` });

      await save('re_hush_right', 'new@example.com');
      mail.api.mode = 'ok';
      mail.clock.set((await mail.find(id)).next_attempt_at);
      await worker.drain();
      expect(sent()).toEqual([
        ['Bearer re_hush_wrong', 'old@example.com'],
        ['Bearer re_hush_right', 'new@example.com'],
      ]);
      expect((await mail.find(id)).state).toBe('sent');
    },
  );

  it('a changed configuration applies to the next mail, while a running send keeps its transport', async () => {
    const { worker, save } = follow();
    await save('re_hush_1', 'one@example.com');
    mail.api.mode = 'slow';
    await mail.enqueue();
    const draining = worker.drain();
    await mail.api.received(1);
    await save('re_hush_2', 'two@example.com');
    mail.api.mode = 'ok';
    mail.api.release();
    await draining;
    await mail.enqueue();
    await worker.drain();
    expect(sent()).toEqual([
      ['Bearer re_hush_1', 'one@example.com'],
      ['Bearer re_hush_2', 'two@example.com'],
    ]);
  });

  it('waiting mails are sent once a transport is stored', async () => {
    const { worker, save } = follow();
    const id = await mail.enqueue();
    await worker.drain();
    expect((await mail.find(id)).state).toBe('queued');
    await save('re_hush_1', 'one@example.com');
    await worker.drain();
    expect((await mail.find(id)).state).toBe('sent');
  });

  it('key and sender of the environment are used if the stored configuration cannot be unsealed', async () => {
    const { worker, save } = follow({ EMAIL_API_KEY: 're_hush_env', EMAIL_FROM: 'env@example.com' });
    await save('re_hush_1', 'one@example.com');
    await mail.enqueue();
    await worker.drain();
    await save('re_hush_1', 'one@example.com', { key: LOST_KEY });
    await mail.enqueue();
    await worker.drain();
    expect(sent()).toEqual([
      ['Bearer re_hush_1', 'one@example.com'],
      ['Bearer re_hush_env', 'env@example.com'],
    ]);
  });
});

describe('mails that are bound to a transport', () => {
  let other: FakeMailApi;
  beforeEach(async () => {
    other = await startFakeMailApi();
  });
  afterEach(() => other.close());
  const dead = () => createApiTransport({ baseUrl: other.url, apiKey: 're_hush', timeoutMs: 60_000 });
  const fromTo = (api: FakeMailApi) => api.requests.map(({ body }) => body.from);

  it('are sent once by two concurrent workers, and their content is deleted', async () => {
    const ids = [await mail.enqueueBound(), await mail.enqueueBound(), await mail.enqueueBound()];
    await mail.enqueue();
    const outlets = outletsOf(() => mail.transport, dead);
    await Promise.all([mail.worker({ outlets }), mail.worker({ outlets })].map((worker) => worker.drain()));
    expect(fromTo(mail.api)).toEqual(['Id <id@example.org>']);
    expect(fromTo(other)).toEqual(Array(3).fill('Bound <bound@example.org>'));
    expect(other.requests.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual(ids.sort());
    for (const id of ids) expect(await mail.find(id)).toMatchObject({ state: 'sent', sealed: null });
  });

  it('are sent while no other transport is active', async () => {
    const [id, waiting] = [await mail.enqueueBound(), await mail.enqueue()];
    await mail.worker({ outlets: outletsOf(() => undefined, dead) }).drain();
    expect(await mail.find(id)).toMatchObject({ state: 'sent' });
    expect(await mail.find(waiting)).toMatchObject({ state: 'queued', attempts: 0 });
  });

  it('do not delay other mails while their transport does not answer', async () => {
    other.mode = 'hang';
    for (let count = 0; count < 6; count++) await mail.enqueueBound();
    const worker = mail.worker({ outlets: outletsOf(() => mail.transport, dead) });
    worker.start();
    await other.received(1);
    for (let count = 0; count < 12; count++) await mail.enqueue();
    worker.wake();
    await mail.api.received(12);
    expect(other.requests).toHaveLength(1);
    // The hanging send ends when the connection is closed.
    await other.close();
    await worker.stop();
  });

  it('do not pause other mails when their transport asks for a pause, and each attempt counts', async () => {
    other.mode = 429;
    const [bound, id] = [await mail.enqueueBound(), await mail.enqueue()];
    await mail.worker({ outlets: outletsOf(() => mail.transport, dead) }).drain();
    expect(await mail.find(id)).toMatchObject({ state: 'sent' });
    const row = await mail.find(bound);
    expect(row).toMatchObject({ state: 'queued', attempts: 1, last_error: 'http_429' });
    expect(row.next_attempt_at).toEqual(after(mail.clock.now(), 5));
    expect(lines(WARN)).toEqual([]);
  });

  it('are deleted when they expire, and fail if there is no such transport', async () => {
    other.mode = 500;
    const [expired, unbound] = [await mail.enqueueBound(), await mail.enqueueBound()];
    await mail.worker({ outlets: outletsOf(() => mail.transport, dead) }).drain();
    await mail.database.db
      .updateTable('mails')
      .set({ next_attempt_at: mail.clock.now() })
      .where('id', '=', unbound)
      .execute();
    await mail
      .worker({
        outlets: outletsOf(
          () => mail.transport,
          () => undefined,
        ),
      })
      .drain();
    expect(await mail.find(unbound)).toMatchObject({ state: 'failed', sealed: null, last_error: 'no_transport' });
    mail.clock.advance(3600);
    await mail.worker({ outlets: outletsOf(() => mail.transport, dead) }).drain();
    expect(await mail.find(expired)).toMatchObject({ state: 'expired', sealed: null });
  });

  it('are sealed again by keys rewrap, with their transport', async () => {
    const id = await mail.enqueueBound();
    const keyring = createKeyring(
      'another secret for tests, and for nothing else, 012',
      'a secret for tests, and for nothing else, 0123456789',
    );
    const [column] = sealedColumnsOf('mails');
    expect(await resealColumn(mail.database.db, keyring, column!)).toEqual({ done: 1, lost: 0 });
    const { sealed } = await mail.find(id);
    expect(openContent(keyring, id, sealed)?.via).toEqual({ from: 'bound@example.org', secret: 're_hush' });
  });
});
