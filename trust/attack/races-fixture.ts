import { type Answer, tally } from '../../packages/server/test/browser.ts';
import { countingRows } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';

type Table = Parameters<typeof countingRows>[1][number];

/** What many concurrent requests try to get, and the expected result if exactly one of them gets it. */
interface Contest {
  request(url: string, index: number): Promise<Answer>;
  readonly won: number;
  /** The statuses of all other requests; contains `won` if the endpoint is idempotent. */
  readonly lost: readonly number[];
  /** The rows that the successful request adds. The others add none. */
  readonly rows: Partial<Record<Table, number>>;
  /** The audited actions of the successful request, without failures. */
  readonly audited: readonly string[];
  /** Checks everything else and returns what is wrong. */
  after?(winner: Answer, index: number): Promise<string | undefined>;
}

export interface Race {
  readonly name: string;
  prepare(): Promise<Contest>;
}

/** Sends `concurrency` requests through all servers and returns what was seen instead of exactly one success. */
export async function run(replicas: Replicas, concurrency: number, { prepare }: Race): Promise<string | undefined> {
  const { won, lost, rows, audited, request, after } = await prepare();
  const since = await latestEvent(replicas);
  const tables = Object.keys(rows) as Table[];
  const counted = await countingRows(replicas.database, tables, () => replicas.many(concurrency, request));
  const answers = counted.result;
  const statuses = JSON.stringify(tally(answers));
  const winner = answers.findIndex(({ status }) => status === won);
  if (!lost.includes(won) && tally(answers)[won] !== 1) return `not one winner: ${statuses}`;
  if (!answers.every(({ status }, index) => index === winner || lost.includes(status))) return `answered ${statuses}`;
  if (JSON.stringify(counted.rows) !== JSON.stringify(rows)) return `rows: ${JSON.stringify(counted.rows)}`;
  const trail = await successesSince(replicas, since);
  if (trail.join() !== [...audited].sort().join()) return `audited: ${trail}`;
  return after?.(answers[winner]!, winner);
}

export async function latestEvent({ database: { db } }: Replicas): Promise<number> {
  const rows = await db.selectFrom('audit_events').select('id').orderBy('id', 'desc').limit(1).execute();
  return rows[0]?.id ?? 0;
}

export async function successesSince({ database: { db } }: Replicas, since: number): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_events')
    .select('action')
    .where('id', '>', since)
    .where('outcome', '=', 'success')
    .execute();
  return rows.map(({ action }) => action).sort();
}
