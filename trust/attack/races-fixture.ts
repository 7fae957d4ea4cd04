import { type Answer, tally } from '../../packages/server/test/browser.ts';
import { countingRows } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';

type Table = Parameters<typeof countingRows>[1][number];

/** What many hands reach for at once, and what is to be seen when one of them got it. */
interface Prize {
  reach(url: string, index: number): Promise<Answer>;
  /** The status of the one who gets it. */
  readonly won: number;
  /** What the others may be told; the same as `won` where the endpoint is idempotent. */
  readonly lost: readonly number[];
  /** How many rows of these the winner adds: nobody else adds one. */
  readonly rows: Partial<Record<Table, number>>;
  /** The trail of the winner, without refusals. */
  readonly told: readonly string[];
  /** What else must be so; tells of what is not. */
  after?(winner: Answer, index: number): Promise<string | undefined>;
}

export interface Race {
  readonly name: string;
  prepare(): Promise<Prize>;
}

/** So many hands through all servers. Tells what was seen in place of one winner. */
export async function run(replicas: Replicas, concurrency: number, { prepare }: Race): Promise<string | undefined> {
  const { won, lost, rows, told, reach, after } = await prepare();
  const since = await latestEvent(replicas);
  const tables = Object.keys(rows) as Table[];
  const counted = await countingRows(replicas.database, tables, () => replicas.many(concurrency, reach));
  const answers = counted.result;
  const said = JSON.stringify(tally(answers));
  const winner = answers.findIndex(({ status }) => status === won);
  if (!lost.includes(won) && tally(answers)[won] !== 1) return `not one winner: ${said}`;
  if (!answers.every(({ status }, index) => index === winner || lost.includes(status))) return `answered ${said}`;
  if (JSON.stringify(counted.rows) !== JSON.stringify(rows)) return `rows: ${JSON.stringify(counted.rows)}`;
  const trail = await successesSince(replicas, since);
  if (trail.join() !== [...told].sort().join()) return `told: ${trail}`;
  return after?.(answers[winner]!, winner);
}

export async function latestEvent({ database: { db } }: Replicas): Promise<number> {
  const rows = await db.selectFrom('audit_events').select('id').orderBy('id', 'desc').limit(1).execute();
  return rows[0]?.id ?? 0;
}

/** What has been done since then, in the order of the alphabet. */
export async function successesSince({ database: { db } }: Replicas, since: number): Promise<string[]> {
  const rows = await db
    .selectFrom('audit_events')
    .select('action')
    .where('id', '>', since)
    .where('outcome', '=', 'success')
    .execute();
  return rows.map(({ action }) => action).sort();
}
