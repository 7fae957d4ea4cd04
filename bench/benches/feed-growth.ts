import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../packages/server/src/platform/db/connect.ts';
import type { Bench } from '../bench.ts';
import { atMost, milliseconds } from '../goals.ts';
import { load, request } from '../load.ts';
import { type Columns, tableOf } from '../report.ts';
import { type Service, startService } from '../service.ts';
import { createStallMeter, type StallMeter } from '../stall-meter.ts';
import { root, type Started, startNode } from '../start-process.ts';
import { atEnd } from '../tidy.ts';

const ENTRIES = 100_000;
/** Seconds that an entry stays in the feed, so that about as many expire as are added. */
const LIFETIME_SECONDS = 900;
const ADDED_PER_SECOND = 100;
const TRANSACTIONS_PER_SECOND = 10;
const VERIFIERS = { processes: 2, each: 25 };
const AT_ONCE = 50;
const FEED = '/.well-known/service-revocations.json';
const WARM_UP_SECONDS = 3;
const LIMIT_MS = 20;

const fill = (db: Db) =>
  sql`insert into revocations (sid, revoked_at, expires_at)
    select gen_random_uuid(), now(), now() + (60 + ${LIFETIME_SECONDS} * n::float8 / ${ENTRIES}) * interval '1 second'
    from generate_series(1, ${ENTRIES}::int) n`.execute(db);

function grow(db: Db): () => Promise<number> {
  let isOver = false;
  let added = 0;
  const adding = (async () => {
    const begun = performance.now();
    while (!isOver) {
      const due = Math.floor(((performance.now() - begun) / 1000) * ADDED_PER_SECOND);
      if (due > added) {
        await sql`insert into revocations (sid, revoked_at, expires_at)
          select gen_random_uuid(), now(), now() + ${LIFETIME_SECONDS} * interval '1 second'
          from generate_series(1, ${due - added}::int)`.execute(db);
        added = due;
      }
      await sleep(1000 / TRANSACTIONS_PER_SECOND);
    }
  })();
  adding.catch(() => {});
  const stop = async () => {
    isOver = true;
    await adding;
    return added;
  };
  atEnd(stop);
  return stop;
}

const startVerifiers = ({ url }: Service): Started[] =>
  Array.from({ length: VERIFIERS.processes }, () =>
    startNode([join(root, 'bench/limits/verifiers.mjs')], {
      env: { SERVICE_URL: url, COUNT: String(VERIFIERS.each) },
    }),
  );

async function untilReady({ output, hasEnded }: Started): Promise<void> {
  while (!output().includes('all are ready')) {
    if (hasEnded()) throw new Error(`a verifier did not start:\n${output()}`);
    await sleep(50);
  }
}

interface Phase {
  readonly name: string;
  /** The longest stall of each round in milliseconds: of the service, and of an idle process. */
  readonly service: number[];
  readonly idle: number[];
}

const listed = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(', ');
const PHASES: Columns<Phase> = [
  ['while', ({ name }) => name],
  ['longest stop ms, each round', ({ service }) => listed(service)],
  ['of an idle process', ({ idle }) => listed(idle)],
];

interface Round {
  readonly meter: StallMeter;
  readonly seconds: number;
  readonly phase: (name: string) => Phase;
}

async function runRound({ meter, seconds, phase }: Round) {
  const service = await startService({ settings: meter.env });
  const db = await service.connect();
  await fill(db);
  const measure = async (name: string, work: () => Promise<unknown>) => {
    const stalls = await meter.during(service, work);
    phase(name).service.push(stalls.service);
    phase(name).idle.push(stalls.idle);
  };
  const sizeOf = async (query: string) => (await (await fetch(service.url + FEED + query)).arrayBuffer()).byteLength;
  // Warm-up: the heap of a new process grows in steps, whatever the load.
  const probe = request('GET', '/healthz');
  await load({ port: service.port, connections: 8, next: () => probe }, WARM_UP_SECONDS);
  let bytes = 0;
  await measure('the feed is read for the first time', async () => {
    bytes = await sizeOf('');
  });
  const stopGrowing = grow(db);
  const verifiers = startVerifiers(service);
  await measure('50 verifiers start and it grows', () => Promise.all(verifiers.map(untilReady)));
  await measure('they poll and it grows', () => sleep(seconds * 1000));
  const { cursor } = (await (await fetch(service.url + FEED)).json()) as { cursor: string };
  await sleep(2_000);
  const polled = await sizeOf(`?after=${cursor}`);
  const asked = request('GET', FEED);
  await measure('50 others read all of it without end', () =>
    load({ port: service.port, connections: AT_ONCE, next: () => asked }, seconds / 2),
  );
  const added = await stopGrowing();
  const lost = verifiers.map(({ output }) => output().match(/^lost/gm)?.length ?? 0).reduce((sum, one) => sum + one);
  await Promise.all(verifiers.map(({ close }) => close()));
  await service.close();
  return { bytes, polled, added, lost };
}

/** The minimum of the rounds counts: stalls of the service recur in every round, pauses by the machine do not. */
export const feedGrowth: Bench = {
  name: 'feed-growth',
  about: 'longest event loop stall with 100,000 revocations, more being added, and 50 verifiers',
  rounds: { rounds: 2, seconds: 6 },
  async run({ rounds, seconds }) {
    const meter = createStallMeter();
    const phases = new Map<string, Phase>();
    const phase = (name: string): Phase => {
      const known = phases.get(name) ?? { name, service: [], idle: [] };
      phases.set(name, known);
      return known;
    };
    const measurements = [];
    for (let round = 0; round < rounds; round++) measurements.push(await runRound({ meter, seconds, phase }));
    const all = [...phases.values()];
    return {
      tables: [tableOf(PHASES, all)],
      notes: measurements.map(
        ({ bytes, polled, added, lost }) =>
          `The whole feed has ${bytes} bytes, the additions of 2 seconds ${polled}. ${added} entries were added; verifiers lost the feed ${lost} times.`,
      ),
      verdicts: all.map(({ name, service }) => atMost(name, Math.min(...service), LIMIT_MS, milliseconds)),
      data: { phases: all, figures: measurements },
    };
  },
};
