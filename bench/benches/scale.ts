import { join } from 'node:path';
import type { EmbeddedPostgres } from '@gatehouse/embedded-postgres';
import { sql } from 'kysely';
import { signRefreshToken } from '../../packages/server/src/domain/sessions/refresh/token.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import { connectDatabase, type DatabaseAddress, type Db } from '../../packages/server/src/platform/db/connect.ts';
import { migrate } from '../../packages/server/src/platform/db/migrate.ts';
import { freePort } from '../../packages/server/test/ports.ts';
import type { Bench } from '../bench.ts';
import { openDatabase } from '../database.ts';
import { atMost } from '../goals.ts';
import { hashPassword, PASSWORD } from '../limits.ts';
import { ownDatabases, readCpu } from '../proc.ts';
import { type Columns, tableOf } from '../report.ts';
import { makeFolder, root, type Started, startNode, untilReady } from '../start-process.ts';
import { type Crowd, fill, personOf, sessionOf } from './crowd.ts';
import { untilCounted } from './lists.ts';

/** The fraction of the rows to create, for example 0.1 for a trial: all of them take half an hour and 10 GB. */
const SHARE = Number(process.env.SCALE_SHARE ?? 1);

const EMPTY: Crowd = { organizations: 0, users: 0, sessions: 0, audit: 0 };
const SIZES: Readonly<Record<Size, Crowd>> = {
  small: { organizations: 1_000, users: 10_000, sessions: 50_000, audit: 100_000 },
  large: { organizations: 1e5 * SHARE, users: 1e6 * SHARE, sessions: 5e6 * SHARE, audit: 1e7 * SHARE },
};
type Size = 'small' | 'large';

const SECRET = 'a secret for measurements, and for nothing else, 0123456789';

const ROUNDS = 5;
const LANES = 16;
/** Requests per round. No user or session is used twice, so that nothing is cached. */
const COUNTS = { login: 300, refresh: 1_500, session: 1_500 } as const;
type Operation = keyof typeof COUNTS;
const OPERATIONS: Readonly<Record<Operation, string>> = {
  login: 'POST /auth/login',
  refresh: 'POST /auth/refresh',
  session: 'GET /auth/session, not in memory',
};
const GOAL = 1.2;

interface Target {
  readonly size: Size;
  readonly url: string;
  readonly service: number;
  /** Return numbers of users and of sessions that are spread over the whole range, none twice. */
  readonly nextPerson: () => number;
  readonly nextSession: () => number;
  /** Access tokens from the refreshes. Each is used for one `session` request. */
  readonly tokens: string[];
}

/**
 * Measures the operations with ten thousand users and with a million: one PostgreSQL with a database for each size, and
 * two services with the same settings, measured alternately.
 */
export const scale: Bench = {
  name: 'scale',
  about: 'cost of many rows: 10,000 users against a million with 5 million sessions; half an hour, 10 GB',
  isLong: true,
  async run() {
    const folder = makeFolder();
    const postgres = await openDatabase(folder, 'server');
    const sessions_from = new Date(Date.now() - 22 * 86_400_000);
    const places: Target[] = [];
    for (const size of ['small', 'large'] as const) {
      console.error(`${size}:`);
      const address = await makeDatabase(postgres, size, sessions_from);
      const port = await freePort();
      places.push(await opened(size, port, startService(folder, port, address)));
      await withDatabase(address, untilCounted);
    }
    const lines = await measure(places, ownDatabases()[0]!, sessions_from);
    return {
      tables: [tableOf(COLUMNS, lines)],
      verdicts: lines.map(({ name, ratio }) =>
        atMost(`${name}: CPU with many rows, to that with few`, ratio, GOAL, (value) => `${value.toFixed(2)} ×`),
      ),
      data: { sizes: SIZES, lines },
    };
  },
};

async function makeDatabase(
  { connection }: EmbeddedPostgres,
  size: Size,
  sessions_from: Date,
): Promise<DatabaseAddress> {
  const address = { ...connection, database: `bench_${size}` };
  await withDatabase(connection, (db) => sql`create database ${sql.table(address.database)}`.execute(db));
  await migrate(address, new Date());
  const password_hash = await hashPassword();
  await withDatabase(address, async (db) => {
    await fill(db, EMPTY, SIZES[size], { password_hash, sessions_from });
    await sql`checkpoint`.execute(db);
  });
  return address;
}

async function withDatabase(address: DatabaseAddress, work: (db: Db) => Promise<unknown>): Promise<void> {
  const { db, close } = connectDatabase({ address, poolSize: 1, unhurried: true, onIdleError: () => {} });
  await work(db).finally(close);
}

function startService(folder: string, listening: number, address: DatabaseAddress): Started {
  const { user, password, host, port, database } = address as EmbeddedPostgres['connection'];
  const DATABASE_URL = `postgresql://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const settings = { DATABASE_URL, JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080', LOG_LEVEL: 'warn' };
  return startNode([join(root, 'packages/server/dist/main.mjs'), 'serve'], {
    cwd: folder,
    env: { ...settings, PORT: String(listening) },
  });
}

async function opened(size: Size, port: number, started: Started): Promise<Target> {
  const url = `http://127.0.0.1:${port}`;
  await untilReady(`${url}/readyz`, started);
  const { users, sessions } = SIZES[size];
  const accounts = walk(users);
  const opened = walk(sessions);
  return {
    size,
    url,
    service: started.pid,
    nextPerson: () => until(accounts, (n) => personOf(n).is_active),
    nextSession: () => until(opened, (n) => personOf(sessionOf(n, SIZES[size], new Date(0)).person).is_active),
    tokens: [],
  };
}

/** Yields 1 to `count`, each number once, in steps that are coprime to `count`. */
function* walk(count: number): Generator<number> {
  const leap = Math.floor(count * 0.6180339) | 1;
  let step = leap;
  while (divisor(step, count) !== 1) step += 2;
  for (let at = 0, done = 0; done < count; done++, at = (at + step) % count) yield at + 1;
}

const divisor = (left: number, right: number): number => (right === 0 ? left : divisor(right, left % right));

function until(numbers: Generator<number>, fits: (n: number) => boolean): number {
  for (;;) {
    const { value, done } = numbers.next();
    if (done) throw new Error('there are not so many');
    if (fits(value)) return value;
  }
}

interface Ask {
  readonly path: string;
  readonly init: RequestInit;
  readonly take?: (body: { access_token: string }) => void;
}

function prepare(place: Target, operation: Operation, sessions_from: Date): Ask {
  if (operation === 'login') {
    const { email } = personOf(place.nextPerson());
    const body = JSON.stringify({ email, password: PASSWORD });
    return { path: '/auth/login', init: { method: 'POST', headers: { 'content-type': 'application/json' }, body } };
  }
  if (operation === 'refresh') {
    const { sid, jti, person: account } = sessionOf(place.nextSession(), SIZES[place.size], sessions_from);
    const times = { issued_at: new Date(), expires_at: new Date(Date.now() + 86_400_000) };
    const token = signRefreshToken(createKeyring(SECRET), { sub: personOf(account).user_id, sid, jti }, times);
    return {
      path: '/auth/refresh',
      init: { method: 'POST', headers: { cookie: `service_rt=${token}` } },
      take: ({ access_token }) => void place.tokens.push(access_token),
    };
  }
  return { path: '/auth/session', init: { headers: { authorization: `Bearer ${place.tokens.pop()}` } } };
}

interface Measurement {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of CPU time per request. */
  readonly service: number;
  readonly postgres: number;
}

async function shoot(
  place: Target,
  operation: Operation,
  postmaster: number,
  sessions_from: Date,
): Promise<Measurement> {
  const asks = Array.from({ length: COUNTS[operation] }, () => prepare(place, operation, sessions_from));
  const count = asks.length;
  const times: number[] = [];
  const lane = async () => {
    for (let ask = asks.pop(); ask; ask = asks.pop()) {
      const begun = performance.now();
      const answer = await fetch(`${place.url}/v1${ask.path}`, ask.init);
      const body = (await answer.json()) as { access_token: string };
      times.push(performance.now() - begun);
      if (!answer.ok) throw new Error(`${ask.path} was answered ${answer.status}: ${JSON.stringify(body)}`);
      ask.take?.(body);
    }
  };
  const spent = () => ({ service: readCpu([place.service]).service, postgres: readCpu([postmaster]).database });
  const before = spent();
  const begun = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  const seconds = (performance.now() - begun) / 1000;
  const after = spent();
  times.sort((left, right) => left - right);
  const at = (share: number) => times[Math.floor(times.length * share)]!;
  return {
    rate: count / seconds,
    p50: at(0.5),
    p99: at(0.99),
    service: (after.service - before.service) / count,
    postgres: (after.postgres - before.postgres) / count,
  };
}

interface Line {
  readonly name: string;
  readonly small: Measurement;
  readonly large: Measurement;
  /** CPU time of service and PostgreSQL together: the large database relative to the small one. */
  readonly ratio: number;
  /** The ratio of the CPU time of PostgreSQL alone, where the number of rows matters. */
  readonly postgres_ratio: number;
}

/** Alternates small and large, so that a slow moment of the machine affects both. The first round is not counted. */
async function measure(places: readonly Target[], postmaster: number, sessions_from: Date): Promise<Line[]> {
  const measurements = new Map<string, Measurement[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const operation of Object.keys(COUNTS) as Operation[]) {
      for (const place of places) {
        if (process.stderr.isTTY)
          process.stderr.write(`\r  round ${round} of ${ROUNDS}: ${operation}, ${place.size}`.padEnd(60));
        const measurement = await shoot(place, operation, postmaster, sessions_from);
        const key = `${operation} ${place.size}`;
        if (round > 0) measurements.set(key, [...(measurements.get(key) ?? []), measurement]);
      }
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  return (Object.keys(COUNTS) as Operation[]).map((operation) => {
    const [small, large] = (['small', 'large'] as const).map((size) =>
      medians(measurements.get(`${operation} ${size}`)!),
    );
    const ratio = (large!.service + large!.postgres) / (small!.service + small!.postgres);
    const postgres_ratio = large!.postgres / small!.postgres;
    return { name: OPERATIONS[operation], small: small!, large: large!, ratio, postgres_ratio };
  });
}

function medians(measurements: readonly Measurement[]): Measurement {
  const of = (pick: (measurement: Measurement) => number) =>
    measurements.map(pick).sort((a, b) => a - b)[Math.floor(measurements.length / 2)]!;
  return {
    rate: of(({ rate }) => rate),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    service: of(({ service }) => service),
    postgres: of(({ postgres }) => postgres),
  };
}

const pair = (pick: (measurement: Measurement) => number, digits: number) => (line: Line) =>
  `${pick(line.small).toFixed(digits)} | ${pick(line.large).toFixed(digits)}`;

const COLUMNS: Columns<Line> = [
  ['small | large', ({ name }) => name],
  ['req/s', pair(({ rate }) => rate, 0)],
  ['p50 ms', pair(({ p50 }) => p50, 1)],
  ['p99 ms', pair(({ p99 }) => p99, 1)],
  ['service CPU ms', pair(({ service }) => service, 3)],
  ['PostgreSQL CPU ms', pair(({ postgres }) => postgres, 3)],
  ['PostgreSQL, large / small', ({ postgres_ratio }) => postgres_ratio.toFixed(2)],
  ['both, large / small', ({ ratio }) => ratio.toFixed(2)],
];
