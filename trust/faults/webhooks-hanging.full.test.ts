import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { type Receiver, startReceiver } from '../../packages/server/src/features/webhooks/receiver-fixture.ts';
import { atOnce, createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/database.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { type Server, startServer } from '../../packages/server/test/process.ts';
import { fullCases } from '../ledger.ts';

const ORGANIZATIONS = 100;
const WEBHOOKS_EACH = 10;
const HANGING = ORGANIZATIONS * WEBHOOKS_EACH;
const EVENTS = 50;

let database: TestDatabase;
let server: Server;
let receiver: Receiver;
let folder: string;
/** Attempts that got no response so far: how many there were, the webhooks they belong to, and those still open. */
const hanging = { attempts: 0, webhooks: new Set<string>(), open: new Set<ServerResponse>() };
/** The event ids that the healthy webhook has received. */
const delivered = new Set<string>();

beforeAll(async () => {
  [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
  folder = mkdtempSync(join(tmpdir(), 'gh-hanging-'));
  receiver.answer = (response) => {
    const { path, event } = receiver.received.pop()!;
    if (path.endsWith('/healthy')) {
      delivered.add(event.data.event_id);
      return void response.writeHead(204).end();
    }
    hanging.attempts++;
    hanging.webhooks.add(path);
    hanging.open.add(response);
    response.on('close', () => hanging.open.delete(response));
  };
  server = await startServer({
    cwd: folder,
    env: {
      DATABASE_URL: database.url,
      JWT_SECRET: SECRET,
      PUBLIC_BASE_URL: 'http://localhost:8080',
      DATA_DIR: folder,
      LIMIT_REGISTRATION_PER_ADDRESS: '1000/1h',
    },
  });
});
afterAll(async () => {
  await server?.kill();
  await receiver?.close();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

const createWebhook = (user: TestUser, path: string) =>
  user.browser.post(`/orgs/${user.organization_id}/webhooks`, { url: receiver.url + path, events: ['org.updated'] });
const rename = (user: TestUser, name: string) => user.browser.patch(`/orgs/${user.organization_id}`, { name });

/** Creates ten webhooks of a new organization whose receivers hang, and causes several events. */
async function addHangingWebhooks(organization: number): Promise<void> {
  const owner = await registerUser(server.url);
  for (let index = 0; index < WEBHOOKS_EACH; index++) await createWebhook(owner, `/${organization}/${index}/hang`);
  for (const name of ['First', 'Second', 'Third']) await rename(owner, name);
}

const eventIdOf = async (organization_id: string, name: string): Promise<string> => {
  const rows = await database.db
    .selectFrom('audit_events')
    .select(['event_id', 'metadata'])
    .where('organization_id', '=', organization_id)
    .where('action', '=', 'org.updated')
    .orderBy('id', 'desc')
    .limit(1)
    .execute();
  if (rows.length === 0) throw new Error(`${name} has no audit row`);
  return rows[0]!.event_id;
};

fullCases(
  `${HANGING} webhooks whose receivers hang delay neither the deliveries of another webhook nor sign-ins`,
  async (ledger) => {
    const owner = await registerUser(server.url);
    await createWebhook(owner, '/healthy');
    for (let from = 0; from < ORGANIZATIONS; from += 10) await atOnce(10, (index) => addHangingWebhooks(from + index));
    while (hanging.webhooks.size < HANGING) await sleep(100);
    let mostAttempts = 0;
    for (let index = 0; index < EVENTS; index++) {
      const before = hanging.attempts;
      await rename(owner, `Name ${index}`);
      const event_id = await eventIdOf(owner.organization_id, `Name ${index}`);
      await ledger.attempt(`sign-in ${index}`, async () => {
        const { email, password } = owner;
        const { status } = await createBrowser(server.url).post('/auth/login', { email, password });
        return status === 200 ? undefined : `status ${status}`;
      });
      // A delivery that waits for those of the other webhooks would wait for an attempt of each.
      while (!delivered.has(event_id) && hanging.attempts - before < HANGING) await sleep(10);
      const attempts = hanging.attempts - before;
      mostAttempts = Math.max(mostAttempts, attempts);
      const seen = delivered.has(event_id) ? undefined : `not delivered before ${attempts} attempts that hang`;
      ledger.enter(`event ${index}`, seen ?? (hanging.open.size > 0 ? undefined : 'no attempt was hanging'));
    }
    ledger.note(
      `${hanging.attempts} attempts of ${HANGING} webhooks got no response, ${hanging.open.size} of them still open; while one event was delivered to another webhook, at most ${mostAttempts} of these attempts began`,
    );
  },
  900_000,
);
