import { setTimeout as sleep } from 'node:timers/promises';
import { VerifyError } from '../packages/verify/src/index.ts';
import { atMost, milliseconds } from './goals.ts';
import { load, percentile, request } from './load.ts';
import { type Columns, type Report, tableOf } from './report.ts';
import type { Service } from './service.ts';

const CONNECTIONS = 16;
const LIMIT_MS = 5_000;
const CHECK_EVERY_MS = 5;
/** Changes wait a random part of it, because each measurement ends just after a poll of the verifier. */
const POLL_INTERVAL_MS = 2_000;

export interface Measured {
  /** Milliseconds from sending a change to the first rejection by the verifier. */
  readonly times: number[];
  /** Results that were not as expected. */
  readonly faults: string[];
}

/** The result of a verification: `accepted`, or the code of the error. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error) => (error instanceof VerifyError ? error.code : String(error)),
  );

export const randomPause = (): Promise<void> => sleep(Math.random() * POLL_INTERVAL_MS);

/** Makes a change, and verifies until the result is no longer `accepted`. Returns the last result and the time. */
export async function untilRejected(
  change: () => Promise<unknown>,
  verify: () => Promise<unknown>,
): Promise<{ readonly code: string; readonly time: number }> {
  const begun = performance.now();
  await change();
  let code = 'accepted';
  while (code === 'accepted' && performance.now() - begun < 2 * LIMIT_MS) {
    await sleep(CHECK_EVERY_MS);
    code = await codeOf(verify());
  }
  return { code, time: performance.now() - begun };
}

interface Line extends Measured {
  readonly name: string;
}

const at = (share: number): ((line: Line) => string) => {
  return ({ times }) => percentile(Float64Array.from(times).sort(), share).toFixed(0);
};
const columnsOf = (what: string): Columns<Line> => [
  [`${what}s`, ({ name }) => name],
  ['count', ({ times }) => String(times.length)],
  ['p50 ms', at(0.5)],
  ['p90 ms', at(0.9)],
  ['p99 ms', at(0.99)],
  ['longest ms', at(1)],
  ['errors', ({ faults }) => String(faults.length)],
];

interface Trial {
  /** What is changed, in the singular. */
  readonly what: string;
  readonly name: string;
  readonly service: Service;
  /** The session that the load asks for. */
  readonly token: string;
  /** The length of one round of load. */
  readonly seconds: number;
  work(): Promise<readonly Measured[]>;
}

/** Measures while 16 connections load the service. No change may take longer than 5 seconds. */
export async function measureUnderLoad({ what, name, service, token, seconds, work }: Trial): Promise<Report> {
  let isOver = false;
  let answers = 0;
  const asked = request('GET', '/v1/auth/session', { authorization: `Bearer ${token}` });
  const loading = (async () => {
    while (!isOver) {
      answers += (await load({ port: service.port, connections: CONNECTIONS, next: () => asked }, seconds)).answers;
    }
  })();
  const begun = performance.now();
  const measured = await work().finally(() => {
    isOver = true;
  });
  const elapsed = (performance.now() - begun) / 1000;
  await loading;
  const line: Line = {
    name,
    times: measured.flatMap(({ times }) => times),
    faults: measured.flatMap(({ faults }) => faults),
  };
  const longest = Math.max(...line.times);
  return {
    tables: [tableOf(columnsOf(what), [line])],
    notes: [
      `Meanwhile the service answered ${(answers / elapsed).toFixed(0)} requests for the session per second, from ${CONNECTIONS} connections of the process that verifies.`,
      ...new Set(line.faults),
    ],
    verdicts: [{ ...atMost(what, longest, LIMIT_MS, milliseconds), met: longest <= LIMIT_MS && !line.faults.length }],
    data: { ...line, requestsPerSecond: answers / elapsed },
  };
}
