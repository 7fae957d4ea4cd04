import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';
import { insertAccounts, register } from '../accounts.ts';
import { type Bench, raced } from '../bench.ts';
import { atMost, perSecond, type Verdict } from '../goals.ts';
import { bearerSession, login } from '../operations.ts';
import { readCpu } from '../proc.ts';
import { type Measurement, median, type Result, showProgress } from '../race.ts';
import { tableOf } from '../report.ts';
import { type Service, startService } from '../service.ts';
import { atEnd } from '../tidy.ts';
import { FAN_OUT_COLUMNS, type FanOutLine, insertEvents, measureFanOut } from './fan-out.ts';

const ACCOUNTS = 1_000;
/** One million deliveries: each webhook has one of each event of its organization. */
const ORGANIZATIONS = 10;
const WEBHOOKS_EACH = 10;
const EVENTS_EACH = 1e6 / ORGANIZATIONS / WEBHOOKS_EACH;
/** An attempt takes 15 seconds. */
const BACKGROUND_SECONDS = 30;
const MAX_CPU_RATIO = 1.05;

/** The fan-out also reads the audit rows and moves its position. */
const MIN_FAN_OUT_RATIO = 0.5;

/**
 * What a backlog of deliveries costs requests, and what the fan-out costs. The receivers of the backlog accept
 * connections and never respond, so that the service keeps trying and the backlog stays.
 */
export const webhooks: Bench = {
  name: 'webhooks',
  about: 'session and login beside a million pending deliveries; the fan-out against plain inserts; several minutes',
  isLong: true,
  rounds: { rounds: 9, seconds: 2 },
  async run(options) {
    const { plain, fanOut } = await measureFanOut(options.rounds);
    const [idle, busy] = [await startService(), await startService()];
    const idleAccounts = await insertAccounts(await idle.connect(), ACCOUNTS);
    const db = await busy.connect();
    const busyAccounts = await insertAccounts(db, ACCOUNTS);
    const receiver = await startHangingReceiver();
    await insertBacklog(busy, db, receiver.url);
    await untilAttempted(db);
    const pairs = [
      [
        await bearerSession({ name: 'GET /auth/session', service: idle }),
        await bearerSession({ name: 'GET /auth/session, backlog', service: busy }),
      ],
      [
        login({ name: 'POST /auth/login', service: idle, accounts: idleAccounts }),
        login({ name: 'POST /auth/login, backlog', service: busy, accounts: busyAccounts }),
      ],
    ] as const;
    const background = await measureBackground([idle, busy]);
    const before = await countAttempts(db);
    const report = await raced(
      { contestants: pairs.flatMap((pair) => pair.map((one) => ({ ...one, against: pair[0].name }))) },
      options,
    );
    const attempts = (await countAttempts(db)) - before;
    const find = (name: string) => report.results.find((result) => result.name === name)!;
    const cpuVerdicts = pairs.map(([without, beside]) => cpuVerdict(find(without.name), find(beside.name)));
    return {
      tables: [...report.tables, tableOf(FAN_OUT_COLUMNS, [plain, fanOut])],
      notes: [
        `${await countPending(db)} deliveries of ${ORGANIZATIONS * WEBHOOKS_EACH} webhooks were pending at the end; ${attempts} attempts during the measurement, ${receiver.open()} connections open.`,
        `CPU time without requests: ${background.map((ms) => ms.toFixed(1)).join(' and ')} ms per second, without and with the backlog. It is part of the CPU time per request.`,
      ],
      verdicts: [...cpuVerdicts, fanOutVerdict(plain, fanOut)],
      data: { requests: report.results, background, plain, fanOut },
    };
  },
};

/** Milliseconds of CPU time per second that services and their databases use without requests. */
async function measureBackground(services: readonly Service[]): Promise<number[]> {
  const spent = () => services.map(({ pid }) => readCpu([pid])).map(({ service, database }) => service + database);
  const before = spent();
  await sleep(BACKGROUND_SECONDS * 1000);
  return spent().map((after, index) => (after - before[index]!) / BACKGROUND_SECONDS);
}

const costOf = ({ cpu: { service = 0, database = 0 } }: Measurement): number => service + database;

/** The median of the rounds, in each of which the two were measured one after the other. */
function cpuVerdict(without: Result, beside: Result): Verdict {
  const ratios = beside.rounds.map((round, index) => costOf(round) / costOf(without.rounds[index]!));
  const verdict = atMost(
    `${without.name}: CPU with the backlog, to that without`,
    median(ratios),
    MAX_CPU_RATIO,
    (value) => `${value.toFixed(3)} ×`,
  );
  return { ...verdict, met: verdict.met && without.errors + beside.errors === 0 };
}

function fanOutVerdict(plain: FanOutLine, fanOut: FanOutLine): Verdict {
  const ratio = median(fanOut.rates.map((rate, index) => rate / plain.rates[index]!));
  return {
    operation: 'fan-out, rows',
    ours: perSecond(median(fanOut.rates)),
    limit: `plain inserts: ${perSecond(median(plain.rates))}`,
    ratio: `${ratio.toFixed(2)} ×`,
    goal: `≥ ${MIN_FAN_OUT_RATIO.toFixed(2)} ×`,
    met: ratio >= MIN_FAN_OUT_RATIO,
  };
}

interface HangingReceiver {
  readonly url: string;
  /** The number of connections that wait for a response. */
  open(): number;
}

async function startHangingReceiver(): Promise<HangingReceiver> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, open: () => sockets.size };
}

/** Creates the webhooks through the API, and inserts their deliveries. */
async function insertBacklog(service: Service, db: Db, url: string): Promise<void> {
  await sql`set statement_timeout = 0`.execute(db);
  const owners = await register(service, ORGANIZATIONS);
  for (const [index, { access_token, organization_id }] of owners.entries()) {
    showProgress(`  the backlog: organization ${index + 1} of ${ORGANIZATIONS}`);
    // Before the webhooks are created, which therefore do not get these rows from the fan-out as well.
    await insertEvents(db, organization_id, EVENTS_EACH);
    for (let count = 0; count < WEBHOOKS_EACH; count++) {
      const answer = await fetch(`${service.url}/v1/orgs/${organization_id}/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url, events: ['role.*'] }),
      });
      if (!answer.ok) throw new Error(`the webhook was answered ${answer.status}`);
    }
    await sql`
      insert into webhook_deliveries (id, webhook_id, event_id, audit_id, event_at, type, next_attempt_at, created_at)
      select gen_random_uuid(), w.id, e.event_id, e.id, e."timestamp", e.action, now(), now()
      from audit_events e join webhooks w using (organization_id)
      where e.organization_id = ${organization_id} and e.action = 'role.created'`.execute(db);
  }
  for (const table of ['webhook_deliveries', 'audit_events']) await sql`vacuum analyze ${sql.table(table)}`.execute(db);
  await sql`checkpoint`.execute(db);
}

/** Waits until every webhook has had an attempt. */
async function untilAttempted(db: Db): Promise<void> {
  const isFailing = sql<{ working: number }>`select count(*) as working from webhooks where failing_since is null`;
  while ((await isFailing.execute(db)).rows[0]!.working > 0) await sleep(500);
}

const countPending = (db: Db): Promise<string> => countOf(db, sql`count(*)`);

const countAttempts = async (db: Db): Promise<number> => Number(await countOf(db, sql`coalesce(sum(attempts), 0)`));

async function countOf(db: Db, what: ReturnType<typeof sql>): Promise<string> {
  const { rows } = await sql<{ count: number | string }>`
    select ${what} as count from webhook_deliveries where status = 'pending'`.execute(db);
  return String(rows[0]!.count);
}
