import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { type Server, startServer } from '../../packages/server/test/process.ts';
import { rounds } from '../effort.ts';
import { cases } from '../ledger.ts';
import { startBalancer } from './balancer-fixture.ts';
import { findFaults } from './invariants-fixture.ts';
import { startLoad } from './load-fixture.ts';
import { borrowPostgres, type Postgres } from './postgres-fixture.ts';
import { rememberPromises } from './promises-fixture.ts';
import { type Relay, startRelay } from './relay-fixture.ts';
import { until } from './site-fixture.ts';

const RESTARTS = rounds(1, 5);
const OWNER = 'owner@example.com';

let postgres: Postgres;
let relay: Relay;
let folder: string;
let owner: TestUser;
let replicas: Server[];
beforeAll(async () => {
  postgres = await borrowPostgres();
  relay = await startRelay(postgres.socket);
  folder = mkdtempSync(join(tmpdir(), 'gh-load-'));
  replicas = await Promise.all(Array.from({ length: rounds(1, 2) }, start));
  owner = await registerUser(replicas[0]!.url, { email: OWNER });
});
afterAll(async () => {
  await Promise.all((replicas ?? []).map((replica) => replica.kill()));
  await relay?.close();
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Promise<Server> =>
  startServer({
    cwd: folder,
    env: {
      DATABASE_URL: postgres.urlAt(relay.port),
      PUBLIC_BASE_URL: 'http://localhost:8080',
      DATA_DIR: folder,
      INITIAL_OWNER_EMAIL: OWNER,
      DRAIN_SECONDS: '2',
    },
  });

cases(
  'replacing the replicas behind a load balancer: no request fails, and nothing is lost',
  async (ledger) => {
    const balancer = await startBalancer(replicas);
    const promises = rememberPromises();
    const load = startLoad({
      url: () => balancer.url,
      concurrency: rounds(1, 4),
      owner: () => owner.access_token,
      promises,
      balanced: true,
    });
    await load.calm();
    for (let round = 0; round < RESTARTS; round++) {
      for (const old of replicas) {
        await ledger.attempt(`round ${round}: no request fails`, async () => {
          const before = load.failures.length;
          const fresh = await start();
          replicas = replicas.map((replica) => (replica === old ? fresh : replica));
          balancer.replace(old, fresh);
          await until('the new one is used', () => balancer.sendsTo(fresh));
          const { code } = await old.stop();
          await load.calm();
          const failed = load.failures.slice(before);
          if (failed.length > 0) return `${failed.length} failed: ${JSON.stringify(failed[0])}`;
          if (balancer.surprises > 0) return 'the port was closed before /readyz reported it to the balancer';
          return code === 0 ? undefined : `the old one ended with ${code}`;
        });
      }
    }
    await load.stop();
    balancer.close();
    ledger.note(`rolling restarts: ${load.answered} requests answered, ${load.failures.length} failed`);
    await ledger.attempt('nothing that was acknowledged is lost', async () => {
      const faults = [...load.odd, ...(await promises.broken(postgres.db)), ...(await findFaults(postgres.db))];
      return faults[0];
    });
  },
  300_000,
);

interface Taken {
  readonly flag_key: string;
  readonly taken: Promise<void>;
  readonly status: Promise<number>;
  finish(): void;
}

/** Begins a write and waits for 100 Continue. The body is sent by `finish`. */
function beginRequest(url: string): Taken {
  const flag_key = `stop-${randomUUID()}`;
  const body = JSON.stringify({ flag_key, enabled: true });
  const headers = {
    authorization: `Bearer ${owner.access_token}`,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const asked = request(`${url}/v1/admin/feature-flags`, { method: 'PUT', headers, agent: false });
  const status = new Promise<number>((resolve) => {
    asked.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode!)));
    asked.on('error', () => resolve(0));
  });
  const taken = new Promise<void>((resolve) => asked.on('continue', resolve));
  asked.flushHeaders();
  return { flag_key, taken, status, finish: () => void asked.end(body) };
}

cases('SIGTERM under load: every accepted request is answered', async (ledger) => {
  const [server] = replicas as [Server];
  const early = Array.from({ length: 6 }, () => beginRequest(server.url));
  const late = Array.from({ length: 6 }, () => beginRequest(server.url));
  await Promise.all([...early, ...late].map(({ taken }) => taken));
  for (const one of early) one.finish();
  const ended = server.stop();
  await until('it has heard the signal', () => server.output().includes('"stopping"'));
  for (const one of late) one.finish();
  for (const [name, asked] of Object.entries({ 'being worked at': early, 'half read': late })) {
    for (const [index, { status, flag_key }] of asked.entries()) {
      await ledger.attempt(`${name}, ${index}`, async () => {
        const seen = await status;
        if (seen !== 200) return `it was answered ${seen}`;
        const row = postgres.db.selectFrom('feature_flags').select('enabled').where('flag_key', '=', flag_key);
        return (await row.executeTakeFirst()) ? undefined : 'it was acknowledged, and is lost';
      });
    }
  }
  await ledger.attempt('the process exits cleanly', async () => {
    const { code } = await ended;
    return code === 0 ? undefined : `it ended with ${code}`;
  });
});
