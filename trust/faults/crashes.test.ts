import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { type Server, startServer } from '../../packages/server/test/process.ts';
import { enrol } from '../../packages/server/test/second-factor.ts';
import { isFull, rounds, SEED } from '../effort.ts';
import { cases, type Ledger } from '../ledger.ts';
import { findFaults } from './invariants-fixture.ts';
import { OPERATIONS, type Stage } from './operations-fixture.ts';
import { borrowPostgres, type Postgres, startPostgres } from './postgres-fixture.ts';
import { type Relay, startRelay } from './relay-fixture.ts';

const ROUNDS = Number(process.env.TRUST_ROUNDS ?? rounds(3, 200));
/** The number of concurrent operations, so that one kill interrupts several. */
const AT_ONCE = 6;

let postgres: Postgres;
let relay: Relay;
let folder: string;
let owner: TestUser;
let env: Record<string, string>;
/** The next server, started while the current one is used. */
let spare: Promise<Server | undefined>;
beforeAll(async () => {
  postgres = await (isFull ? startPostgres() : borrowPostgres());
  relay = await startRelay(postgres.socket);
  folder = mkdtempSync(join(tmpdir(), 'gh-crash-'));
  env = {
    DATABASE_URL: postgres.urlAt(relay.port),
    JWT_SECRET: SECRET,
    PUBLIC_BASE_URL: 'http://localhost:8080',
    DATA_DIR: folder,
    INITIAL_OWNER_EMAIL: 'owner@example.com',
    ACCESS_TOKEN_TTL: '3600',
    CONFIG_ENCRYPTION_KEY: '00112233445566778899aabbccddeeff102132435465768798a9bacbdcedfe0f',
    TIER: 'premium',
  };
  spare = start();
  const { url } = (await spare)!;
  const enrolled = await enrol(url, await registerUser(url, { email: 'owner@example.com' }));
  owner = { ...enrolled, access_token: enrolled.verified_token };
  // The table grows and is read after every kill, so it needs an index.
  await sql`create index on audit_events (resource_id)`.execute(postgres.db);
});
afterAll(async () => {
  await (await spare)?.kill();
  await relay?.close();
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = () => startServer({ cwd: folder, env });

let state = SEED;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

interface Outcome {
  readonly name: string;
  readonly acknowledged: boolean;
  readonly done: boolean;
  readonly took: number;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
}

/** Runs the operations concurrently; with `after`, kills the server and commands after that many milliseconds. */
async function interrupt(server: Server, names: readonly string[], after?: number): Promise<Outcome[]> {
  const stage: Stage = { url: server.url, db: postgres.db, owner, folder, env };
  const acts = await Promise.all(names.map((name) => OPERATIONS[name]!(stage)));
  const begun = performance.now();
  const answers = acts.map(async (act) => {
    const answer = await act.send().catch(() => undefined);
    return { status: answer?.status, took: performance.now() - begun };
  });
  if (after !== undefined) {
    await sleep(after);
    for (const act of acts) act.kill?.();
    await server.kill();
  }
  const settled = await Promise.all(answers);
  return Promise.all(
    settled.map(async ({ status = 0, took }, index) => ({
      name: names[index]!,
      acknowledged: status >= 200 && status < 300,
      done: await acts[index]!.isDone(postgres.db),
      took,
      status,
    })),
  );
}

/** Inconsistencies that were reported after earlier kills. */
const known = new Set<string>();

const broken = async (outcomes: readonly Outcome[]): Promise<string | undefined> => {
  const lost = outcomes.filter(({ acknowledged, done }) => acknowledged && !done);
  const found = (await findFaults(postgres.db)).filter((fault) => !known.has(fault));
  for (const fault of found) known.add(fault);
  const faults = [...lost.map(({ name }) => `${name} was acknowledged, and is lost`), ...found];
  return faults.length > 0 ? faults.slice(0, 3).join('; ') : undefined;
};

/** Checks that all operations complete without a kill, and returns how many milliseconds each takes. */
async function runAll(ledger: Ledger, names: readonly string[]): Promise<Map<string, number>> {
  const whole: Outcome[] = [];
  await ledger.attempt('without a kill, every operation is done and acknowledged', async () => {
    for (const name of names) whole.push(...(await interrupt((await spare)!, [name])));
    const undone = whole.filter(({ acknowledged, done }) => !acknowledged || !done);
    return undone.length > 0 ? JSON.stringify(undone) : broken(whole);
  });
  return new Map(whole.map(({ name, took }) => [name, took]));
}

cases(
  'an operation interrupted by kill -9 is complete and audited, or left no trace',
  async (ledger) => {
    const names = Object.keys(OPERATIONS);
    const durations = isFull ? await runAll(ledger, names) : new Map<string, number>();
    const count = { acknowledged: 0, done: 0, undone: 0 };
    let next = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const server = (await spare)!;
      spare = round + 1 < ROUNDS ? start() : Promise.resolve(undefined);
      const chosen = Array.from({ length: AT_ONCE }, () => names[next++ % names.length]!);
      // The kill happens during one of the operations. Concurrent operations on a new server take longer than one.
      const aim = chosen[Math.floor(random() * AT_ONCE)]!;
      const after = random() * 4 * (durations.get(aim) ?? 50);
      await ledger.attempt(`round ${round}, ${chosen.join(', ')}, after ${Math.round(after)} ms`, async () => {
        const outcomes = await interrupt(server, chosen, after);
        for (const { acknowledged, done } of outcomes)
          count[acknowledged ? 'acknowledged' : done ? 'done' : 'undone'] += 1;
        return broken(outcomes);
      });
    }
    ledger.note(
      `${ROUNDS} kills, seed ${SEED}: ${count.acknowledged} operations had been acknowledged, ${count.done} were done and not acknowledged, ${count.undone} were not done`,
    );
  },
  1_200_000,
);
