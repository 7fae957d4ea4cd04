import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';
import type { Bench } from '../bench.ts';
import { PASSWORD } from '../limits.ts';
import { type Columns, tableOf } from '../report.ts';
import { startService } from '../service.ts';
import { BUSY, type Crowd, fill } from './crowd.ts';

const EMPTY: Crowd = { organizations: 0, users: 0, sessions: 0, audit: 0 };
const SMALL: Crowd = { organizations: 1_000, users: 10_000, sessions: 0, audit: 10_000 };
const LARGE: Crowd = { organizations: 100_000, users: 1_000_000, sessions: 0, audit: 10_000_000 };

const DAY_MS = 86_400_000;
const TIMES = 30;

const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** Requests by name. Deep pages begin at offset 100,000, or at the last page of a shorter list. */
const requestsFor = (crowd: Crowd): Record<string, string> => {
  const deep = (rows: number): string => `page=${Math.floor(Math.min(100_000, rows - 25) / 25) + 1}&page_size=25`;
  return {
    'audit, first page': '/audit-logs',
    'audit, deep page': `/audit-logs?${deep(crowd.audit)}`,
    'audit, one action': '/audit-logs?action=auth.logout',
    'audit, one action, deep page': `/audit-logs?action=auth.login&${deep(crowd.audit / 2)}`,
    'audit, one actor': `/audit-logs?user_id=${BUSY}`,
    'audit, 3 days and some': `/audit-logs?from=${ago(33.3)}&to=${ago(30.1)}`,
    'audit, one action, 40 days, deep page': `/audit-logs?action=auth.login&from=${ago(50.5)}&to=${ago(10.2)}&${deep(crowd.audit / 5)}`,
    'users, first page': '/admin/users',
    'users, deep page': `/admin/users?${deep(crowd.users)}`,
    'users, disabled': '/admin/users?status=disabled',
    'users, q = one address': '/admin/users?q=person-777@',
    'users, q = a few hundred': '/admin/users?q=c4ca4238.example',
    'organizations, first page': '/admin/orgs',
    'organizations, deep page': `/admin/orgs?${deep(crowd.organizations)}`,
    'organizations, q': '/admin/orgs?q=organization 77',
  };
};

interface Line {
  readonly name: string;
  readonly small: number;
  readonly large: number;
  /** The number of matching rows at the large size. */
  readonly total: number;
}

const COLUMNS: Columns<Line> = [
  ['list', ({ name }) => name],
  ['10 thousand: p50 ms', ({ small }) => small.toFixed(1)],
  ['10 million: p50 ms', ({ large }) => large.toFixed(1)],
  ['slower by', ({ small, large }) => `${(large / small).toFixed(1)} ×`],
  ['total', ({ total }) => total.toLocaleString('en')],
];

export const lists: Bench = {
  name: 'lists',
  about:
    'lists of the console with ten thousand audit rows and with ten million; a quarter of an hour, several gigabytes',
  isLong: true,
  async run() {
    const email = 'bench@example.com';
    const service = await startService({ settings: { INITIAL_OWNER_EMAIL: email } });
    const db = await service.connect();
    const token = await register(service.url, email);
    await fill(db, EMPTY, SMALL);
    await untilCounted(db);
    const small = await measure(service.url, token, requestsFor(SMALL));
    await fill(db, SMALL, LARGE);
    await untilCounted(db);
    const large = await measure(service.url, await register(service.url, email), requestsFor(LARGE));
    const lines = [...small].map(([name, { ms }]) => {
      const { ms: slow, total } = large.get(name)!;
      return { name, small: ms, large: slow, total };
    });
    return { tables: [tableOf(COLUMNS, lines)], verdicts: [], data: lines };
  },
};

/** Registers the account, or signs in if it exists. Returns the access token. */
async function register(service: string, email: string): Promise<string> {
  const ask = (path: string, body: object) =>
    fetch(`${service}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const registered = await ask('/auth/register', { email, password: PASSWORD, organization_name: 'Bench' });
  const answer = registered.ok ? registered : await ask('/auth/login', { email, password: PASSWORD });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** Waits until the sweeper has counted all but the latest rows. */
export async function untilCounted(db: Db): Promise<void> {
  process.stderr.write('  waiting for the counts');
  for (;;) {
    const { rows } = await sql<{ open: number }>`select count(*) as open from (
      select from audit_events, audit_mark where xid >= counted_before and id > counted_to limit 100) as live`.execute(
      db,
    );
    if (rows[0]!.open < 100) break;
    process.stderr.write('.');
    await sleep(2_000);
  }
  process.stderr.write('\n');
}

type Measured = Map<string, { ms: number; total: number }>;

/** For each path, the median time of `TIMES` sequential requests after a warm-up, and the total of the list. */
async function measure(service: string, token: string, paths: Record<string, string>): Promise<Measured> {
  const measured: Measured = new Map();
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = [];
    let total = 0;
    for (let index = -3; index < TIMES; index++) {
      const begun = performance.now();
      const answer = await fetch(`${service}/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
      const body = (await answer.json()) as { total: number };
      if (index >= 0) times.push(performance.now() - begun);
      if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(body)}`);
      total = body.total;
    }
    times.sort((left, right) => left - right);
    measured.set(name, { ms: times[Math.floor(TIMES / 2)]!, total });
  }
  return measured;
}
