import { enqueueMail } from '../src/domain/mail/enqueue.ts';
import type { Outlets } from '../src/domain/mail/transport.ts';
import { createMailWorker, type MailWorkerDeps } from '../src/domain/mail/worker.ts';
import { after } from '../src/platform/clock.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { createKeyring, type Keyring } from '../src/platform/crypto/keyring.ts';
import { transact } from '../src/platform/db/transact.ts';
import { createLogger } from '../src/platform/log.ts';
import { createApiTransport } from '../src/platform/mail/api.ts';
import type { MailTransport } from '../src/platform/mail/message.ts';
import type { Queue } from '../src/platform/queue/queue.ts';
import { createTestClock, type TestClock } from './clock.ts';
import type { TestDatabase } from './database.ts';
import { type FakeMailApi, startFakeMailApi } from './fake-mail-api.ts';
import { SECRET } from './postgres.ts';

export interface MailFixture {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  readonly keyring: Keyring;
  readonly api: FakeMailApi;
  readonly transport: MailTransport;
  readonly logs: string[];
  /** The number of commits that woke the worker. */
  readonly wakes: { count: number };
  worker(changes?: Partial<MailWorkerDeps>): Queue;
  enqueue(options?: { expires_in?: number; keyring?: Keyring; code?: string }): Promise<string>;
  /** Queues a mail that is bound to its own transport. */
  enqueueBound(): Promise<string>;
  find(id: string): Promise<MailRow>;
  close(): Promise<void>;
}

type MailRow = Awaited<ReturnType<typeof findRow>>;

const findRow = (database: TestDatabase, id: string) =>
  database.db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Sends mail through the transport of `find`, and bound mail through that of `bound`. */
export const outletsOf = (
  find: () => MailTransport | undefined,
  bound: () => MailTransport | undefined = find,
): Outlets => ({
  current() {
    const transport = find();
    return transport && { transport, from: 'Id <id@example.org>' };
  },
  bound() {
    const transport = bound();
    return transport && { transport, from: 'Bound <bound@example.org>' };
  },
  close: async () => find()?.close(),
});

/** Removes all mails and provider configurations from the database, which other tests have used before. */
export async function createMailFixture(database: TestDatabase): Promise<MailFixture> {
  await database.db.deleteFrom('mails').execute();
  await database.db.deleteFrom('provider_configs').execute();
  const api = await startFakeMailApi();
  const clock = createTestClock();
  const keyring = createKeyring('a secret for tests, and for nothing else, 0123456789');
  const logs: string[] = [];
  const wakes = { count: 0 };
  const log = createLogger({ level: 'trace', stream: { write: (line) => void logs.push(line) } });
  const transport = createApiTransport({ baseUrl: api.url, apiKey: 're_hush' });
  const config = loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com' });
  const outlets = outletsOf(() => transport);
  const wake = () => void wakes.count++;
  return {
    database,
    clock,
    keyring,
    api,
    transport,
    logs,
    wakes,
    worker: (changes) => createMailWorker({ db: database.db, clock, log, keyring, config, outlets, ...changes }),
    enqueue: ({ expires_in = 7200, code = '042137', ...options } = {}) =>
      transact(database.db, (tx) =>
        enqueueMail(
          tx,
          { clock, keyring: options.keyring ?? keyring, wake },
          {
            template: 'login_code',
            locale: 'en',
            to: 'ada@example.com',
            params: { code, minutes: 10 },
            expires_at: after(clock.now(), expires_in),
          },
        ),
      ),
    enqueueBound: () =>
      transact(database.db, (tx) =>
        enqueueMail(
          tx,
          { clock, keyring, wake },
          {
            template: 'mail_transport_changed',
            locale: 'en',
            to: 'ada@example.com',
            params: { changed_by: 'bob@example.com', over: 'earlier' },
            expires_at: after(clock.now(), 3600),
            via: { from: 'bound@example.org', secret: 're_hush' },
          },
        ),
      ),
    find: (id) => findRow(database, id),
    close: () => api.close(),
  };
}
