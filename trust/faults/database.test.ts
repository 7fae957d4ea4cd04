import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { isFull, rounds } from '../effort.ts';
import { cases, type Ledger } from '../ledger.ts';
import { cutOffReplica } from './cut-off-fixture.ts';
import { findFaults } from './invariants-fixture.ts';
import { startLoad } from './load-fixture.ts';
import { rememberPromises } from './promises-fixture.ts';
import { type Site, startSite, until } from './site-fixture.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ settings: { max_connections: '40' } });
});
afterAll(() => site?.close());

interface Fault {
  readonly name: string;
  /** Whether the fault is tried only in the full form, because it takes long or needs its own database server. */
  readonly long?: boolean;
  /** Whether no request can succeed during the fault; `/readyz` must then be 503. */
  readonly outage?: boolean;
  begin(): Promise<unknown>;
  /** Missing if the fault ends by itself. */
  end?(): Promise<unknown>;
}

const FAULT_DURATION_MS = 4_000;

const signal = async (name: NodeJS.Signals): Promise<void> => {
  const before = await site.postgres.pid();
  process.kill(before, name);
  await until('there is another', async () => (await site.postgres.pid().catch(() => before)) !== before);
  await until('it takes connections', () =>
    site.postgres.connect().then(
      (one) => one.end().then(() => true),
      () => false,
    ),
  );
};

const terminate = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'gatehouse%' and pid <> pg_backend_pid() and random() < 0.5`
    .execute(site.postgres.db)
    .catch(() => {});

/** Changes a setting of the database and cuts existing connections, because they have already read their settings. */
const setting = async (change: string): Promise<void> => {
  const client = await site.postgres.connect();
  await client.query('set default_transaction_read_only = off');
  await client.query(`alter database ${site.postgres.name} ${change}`);
  await client.end();
  await everywhere((relay) => relay.cut());
};

const everywhere = (act: (relay: Site['relays'][number]) => unknown) => Promise.all(site.relays.map(act));

const others: pg.Client[] = [];

const FAULTS: readonly Fault[] = [
  { name: 'restarted', long: true, begin: () => signal('SIGINT') },
  { name: 'killed with -9', long: true, begin: () => signal('SIGKILL') },
  {
    name: 'connections ended at random',
    async begin() {
      for (let round = 0; round < 10; round++) {
        await terminate();
        await sleep(isFull ? 200 : 20);
      }
    },
  },
  {
    name: 'connections reset',
    long: true,
    async begin() {
      for (let round = 0; round < 5; round++) {
        await everywhere((relay) => relay.cut());
        await sleep(isFull ? 300 : 20);
      }
    },
  },
  {
    name: 'refuses connections',
    outage: true,
    async begin() {
      await everywhere((relay) => relay.refuse());
    },
    end: () => everywhere((relay) => relay.pass()),
  },
  {
    name: 'read-only',
    async begin() {
      await setting('set default_transaction_read_only = on');
      await until('a write is refused', async () => (await writes()) === 500);
    },
    end: () => setting('reset default_transaction_read_only'),
  },
  {
    name: 'out of connections',
    long: true,
    async begin() {
      await everywhere((relay) => relay.cut());
      await until('no more connections are accepted', async () => {
        const other = await site.postgres.connect().catch(() => undefined);
        if (other) others.push(other);
        await everywhere((relay) => relay.cut());
        return other === undefined && others.length > 20;
      });
    },
    end: () => Promise.all(others.splice(0).map((other) => other.end())),
  },
  {
    name: 'slow: 200 ms for each packet',
    long: true,
    async begin() {
      await everywhere((relay) => relay.slow(200));
    },
    end: () => everywhere((relay) => relay.pass()),
  },
  {
    name: 'unreachable, and silent; what was sent arrives late',
    long: true,
    outage: true,
    async begin() {
      await everywhere((relay) => relay.swallow());
    },
    end: () => everywhere((relay) => relay.pass()),
  },
  {
    name: 'unreachable, and silent; what was connected is lost',
    long: true,
    outage: true,
    async begin() {
      await everywhere((relay) => relay.swallow());
    },
    end: () => everywhere((relay) => relay.pass({ lost: true })),
  },
];

const writes = async (): Promise<number> => {
  const headers = { authorization: `Bearer ${site.owner.access_token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ display_name: `Owner ${performance.now()}` });
  return (await fetch(`${site.urls[0]}/v1/users/me`, { method: 'PATCH', headers, body })).status;
};

async function survive(ledger: Ledger, fault: Fault): Promise<string | undefined> {
  const promises = rememberPromises();
  const url = (worker: number) => site.urls[worker % site.urls.length]!;
  const load = startLoad({ url, concurrency: rounds(2, 4), owner: () => site.owner.access_token, promises });
  try {
    await load.calm();
    if (load.failures.length > 0) return `there were failures before it: ${JSON.stringify(load.failures[0])}`;
    await fault.begin();
    if (fault.outage) {
      await until(
        'it is not ready',
        async () => (await site.readiness(0)) === 503 && (await site.readiness(1)) === 503,
      );
      const alive = await fetch(`${site.urls[0]}/healthz`);
      if (alive.status !== 200) return `/healthz was ${alive.status}`;
    }
    if (fault.end && isFull) await sleep(FAULT_DURATION_MS);
    await fault.end?.();
    const ended = performance.now();
    await load.calm();
    await until('it is ready', async () => (await site.readiness(0)) === 200 && (await site.readiness(1)) === 200);
    const late = load.failures.map(({ at }) => at - ended).filter((after) => after > 0);
    const recovery = Math.max(0, ...late);
    const longest = Math.max(0, ...load.failures.map(({ at, asked_at }) => at - asked_at));
    ledger.note(
      `${fault.name}: ${promises.count} acknowledged, ${load.failures.length} failed, last failure ${Math.round(recovery)} ms after it ended, longest wait for one ${Math.round(longest)} ms`,
    );
    if (isFull && recovery > 5_000) return `failures until ${Math.round(recovery)} ms after it had ended`;
  } finally {
    await load.stop();
  }
  const dead = site.servers.filter(({ child }) => child.exitCode !== null);
  if (dead.length > 0) return `a server has ended:\n${dead[0]!.output().slice(-500)}`;
  const silent = load.failures.filter(({ status }) => status === 0);
  if (silent.length > 0) return `${silent.length} requests got no answer: ${silent[0]!.what}`;
  const faults = [...load.odd, ...(await promises.broken(site.postgres.db)), ...(await findFaults(site.postgres.db))];
  return faults.length > 0 ? faults.slice(0, 3).join('; ') : undefined;
}

cases(
  'a disconnected replica does not trust its caches, and learns what it has missed',
  (ledger) => cutOffReplica(site, ledger),
  300_000,
);

cases(
  'faults of the database under load: nothing acknowledged is lost, and the service recovers by itself',
  async (ledger) => {
    for (const fault of FAULTS) {
      if (fault.long && !isFull) continue;
      await ledger.attempt(fault.name, () => survive(ledger, fault));
    }
  },
  600_000,
);
