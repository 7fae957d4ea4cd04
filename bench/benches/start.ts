import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/server/test/ports.ts';
import type { Bench } from '../bench.ts';
import { type DatabaseServer, startDatabase } from '../database.ts';
import { atMost, milliseconds, type Verdict } from '../goals.ts';
import { readMemory } from '../proc.ts';
import { median } from '../race.ts';
import { type Columns, tableOf } from '../report.ts';
import { startService } from '../service.ts';
import { makeFolder, root, startNode, untilReady } from '../start-process.ts';

const TIMES = 5;
const IDLE_SECONDS = 10;

interface Start {
  readonly name: string;
  /** In milliseconds. */
  readonly startup: number;
  readonly spread: readonly [number, number];
  /** In megabytes; undefined if the system does not report it. */
  readonly memory: { readonly service: number; readonly database: number } | undefined;
}

interface Running {
  readonly startup: number;
  readonly pids: readonly number[];
  close(): Promise<void>;
}

/** Starts a program several times, one after the other, and measures the memory of the last start when idle. */
async function measure(name: string, start: () => Promise<Running>): Promise<Start> {
  const times: number[] = [];
  for (;;) {
    const running = await start();
    times.push(running.startup);
    if (times.length === TIMES) {
      await sleep(IDLE_SECONDS * 1000);
      const memory = readMemory(running.pids);
      await running.close();
      return { name, startup: median(times), spread: [Math.min(...times), Math.max(...times)], memory };
    }
    await running.close();
  }
}

/** Measures Gatehouse with existing data: the first start creates it and is not measured. */
async function ours(): Promise<Start> {
  const folder = makeFolder();
  const start = async (): Promise<Running> => {
    const service = await startService({ folder });
    return { ...service, pids: [service.pid] };
  };
  await (await start()).close();
  return measure('serve, with its PostgreSQL', start);
}

/** Measures better-auth with a running PostgreSQL and existing tables. */
async function betterAuth(server: DatabaseServer): Promise<Start> {
  const { env } = await server.create('better_auth_start');
  const start = async (more: Record<string, string> = {}): Promise<Running> => {
    const port = await freePort();
    const settings = { ...env, ...more, NODE_ENV: 'production', PORT: String(port) };
    const begun = performance.now();
    const started = startNode([join(root, 'bench/peers/better-auth.mjs')], { env: settings });
    await untilReady(`http://127.0.0.1:${port}/api/auth/ok`, started);
    return { startup: performance.now() - begun, pids: [started.pid], close: started.close };
  };
  await (await start({ MIGRATE: '1' })).close();
  return measure('better-auth, without its PostgreSQL', start);
}

const megabytes = (size: number | undefined): string => (size === undefined ? '' : `${size.toFixed(0)} MB`);

const COLUMNS: Columns<Start> = [
  ['', ({ name }) => name],
  ['ready after', ({ startup }) => milliseconds(startup)],
  ['least … most', ({ spread }) => spread.map((time) => time.toFixed(0)).join(' … ')],
  ['memory (PSS): service', ({ memory }) => megabytes(memory?.service)],
  ['database', ({ memory }) => (memory?.database ? megabytes(memory.database) : '')],
];

const withLimit = (verdict: Verdict, limit: string): Verdict => ({ ...verdict, limit });

export const start: Bench = {
  name: 'start',
  about: '`serve` to ready with existing data, median of 5, and memory after 10 idle seconds; peer: better-auth',
  async run({ peers }) {
    const gatehouse = await ours();
    const peer = peers ? await betterAuth(await startDatabase()) : undefined;
    const all = peer ? [gatehouse, peer] : [gatehouse];
    const { memory } = gatehouse;
    const verdicts = [
      withLimit(
        atMost('serve to ready, warm', gatehouse.startup, 1000, milliseconds),
        peer ? `better-auth: ${milliseconds(peer.startup)}` : '',
      ),
      ...(memory
        ? [
            withLimit(
              atMost('idle memory, service and database', memory.service + memory.database, 150, megabytes),
              peer?.memory ? `better-auth without a database: ${megabytes(peer.memory.service)}` : '',
            ),
          ]
        : []),
    ];
    return { tables: [tableOf(COLUMNS, all)], verdicts, data: all };
  },
};
