import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { type Receiver, startReceiver } from '../../packages/server/src/features/webhooks/receiver-fixture.ts';
import { atOnce, bearer, createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { type Server, startServer } from '../../packages/server/test/process.ts';
import { SEED } from '../effort.ts';
import { fullCases } from '../ledger.ts';
import { type Postgres, startPostgres } from './postgres-fixture.ts';
import { type Relay, startRelay } from './relay-fixture.ts';

const ROUNDS = Number(process.env.TRUST_ROUNDS ?? 200);
const CHANGES_PER_ROUND = 6;
/** Every round whose number is a multiple of this kills PostgreSQL instead of the service. */
const DATABASE_ROUNDS = 25;
/** An attempt that a kill has interrupted is repeated when its lease has expired, 30 seconds later. */
const DELIVERED_WITHIN_MS = 120_000;

let postgres: Postgres;
let relay: Relay;
let receiver: Receiver;
let folder: string;
let owner: TestUser;
/** The service of the next round, started while the current one is used and killed. */
let spare: Promise<Server>;
/** When each event first reached the receiver, and how often. */
const received = new Map<string, { at: number; times: number }>();

const start = () =>
  startServer({
    cwd: folder,
    env: {
      DATABASE_URL: postgres.urlAt(relay.port),
      JWT_SECRET: SECRET,
      PUBLIC_BASE_URL: 'http://localhost:8080',
      DATA_DIR: folder,
      ACCESS_TOKEN_TTL: '3600',
    },
  });

beforeAll(async () => {
  postgres = await startPostgres();
  relay = await startRelay(postgres.socket);
  receiver = await startReceiver();
  folder = mkdtempSync(join(tmpdir(), 'gh-webhooks-'));
  spare = start();
  const { url } = await spare;
  owner = await registerUser(url);
  const webhook = { url: receiver.url, events: ['org.updated'] };
  await owner.browser.post(`/orgs/${owner.organization_id}/webhooks`, webhook);
  receiver.answer = (response) => {
    const id = receiver.received.pop()!.event.data.event_id;
    const { at, times } = received.get(id) ?? { at: Date.now(), times: 0 };
    received.set(id, { at, times: times + 1 });
    response.writeHead(204).end();
  };
});
afterAll(async () => {
  await (await spare)?.kill();
  await receiver?.close();
  await relay?.close();
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

let state = SEED;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const listCommitted = async (): Promise<{ event_id: string; timestamp: Date }[]> => {
  const { rows } = await sql<{ event_id: string; timestamp: Date }>`
    select event_id, "timestamp" from audit_events where action = 'org.updated'`.execute(postgres.db);
  return rows;
};

const missing = async (): Promise<string[]> =>
  (await listCommitted()).map(({ event_id }) => event_id).filter((id) => !received.has(id));

/** Returns when PostgreSQL accepts connections again. */
async function killDatabase(): Promise<void> {
  const pid = await postgres.pid();
  process.kill(pid, 'SIGKILL');
  const isBack = async () => {
    if ((await postgres.pid().catch(() => pid)) === pid) return false;
    return postgres.connect().then(
      (client) => client.end().then(() => true),
      () => false,
    );
  };
  while (!(await isBack())) await sleep(50);
}

/** Renames the organization concurrently, and kills the service or PostgreSQL after a random number of responses. */
async function interrupt(server: Server, round: number): Promise<void> {
  const browser = createBrowser(server.url);
  const path = `/orgs/${owner.organization_id}`;
  const until = Math.floor(random() * CHANGES_PER_ROUND);
  let answered = 0;
  const changes = atOnce(CHANGES_PER_ROUND, async (index) => {
    const change = { name: `Round ${round}, ${index}` };
    await browser.patch(path, change, bearer(owner.access_token)).catch(() => undefined);
    answered += 1;
  });
  while (answered < until) await sleep(1);
  await sleep(random() * 100);
  if (round % DATABASE_ROUNDS === DATABASE_ROUNDS - 1) {
    // Waits for the start of the next service, which would exit if its database ended meanwhile.
    await spare;
    await killDatabase();
  } else await server.kill();
  await changes;
  await server.kill();
}

fullCases(
  'every committed event is delivered even if the service or PostgreSQL is killed with SIGKILL at random times',
  async (ledger) => {
    for (let round = 0; round < ROUNDS; round++) {
      const server = await spare;
      spare = start();
      await interrupt(server, round);
    }
    const deadline = Date.now() + DELIVERED_WITHIN_MS;
    while ((await missing()).length > 0 && Date.now() < deadline) await sleep(500);
    const committed = await listCommitted();
    for (const { event_id } of committed) {
      ledger.enter(`event ${event_id}`, received.has(event_id) ? undefined : 'was never delivered');
    }
    const delays = committed
      .map(({ event_id, timestamp }) => (received.get(event_id)?.at ?? Number.NaN) - timestamp.getTime())
      .toSorted((one, other) => one - other);
    const at = (share: number) => Math.round(delays[Math.floor(share * (delays.length - 1))]!);
    const repeated = [...received.values()].filter(({ times }) => times > 1).length;
    ledger.note(
      `${ROUNDS} kills, seed ${SEED}: ${committed.length} events committed, ${repeated} delivered more than once; ` +
        `from the commit to the delivery p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, longest ${at(1)} ms`,
    );
  },
  1_800_000,
);
