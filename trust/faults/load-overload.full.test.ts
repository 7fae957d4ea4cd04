import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import {
  type Answer,
  atOnce,
  bearer,
  createBrowser,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../../packages/server/test/browser.ts';
import { startServer } from '../../packages/server/test/process.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { createVerifier } from '../../packages/verify/src/index.ts';
import { cases, type Ledger } from '../ledger.ts';
import { findFaults } from './invariants-fixture.ts';
import { startLoad } from './load-fixture.ts';
import { rememberPromises } from './promises-fixture.ts';

const OWNER = 'owner@example.com';
/** The number of concurrent sign-ins: about half of them are queued, the others refused. */
const CONCURRENCY = 150;
/** Short, so that the cache of verified tokens reaches its final size while the soak warms up. */
const TOKEN_TTL_SECONDS = 120;
const MINUTES = Number(process.env.TRUST_MINUTES ?? 20);

let place: Replicas;
let server: Awaited<ReturnType<typeof startServer>>;
let user: TestUser;
beforeAll(async () => {
  place = await startReplicas(0);
  server = await startServer({
    cwd: place.folder,
    env: {
      DATABASE_URL: place.database.url,
      DATA_DIR: place.folder,
      INITIAL_OWNER_EMAIL: OWNER,
      ACCESS_TOKEN_TTL: `${TOKEN_TTL_SECONDS}s`,
      LIMIT_REGISTRATION_PER_ADDRESS: '1000000/1h',
    },
  });
  user = await registerUser(server.url, { email: OWNER });
});
afterAll(async () => {
  await server?.kill();
  await place?.close();
});

/** The resident memory of the process in MiB. */
const memory = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))![1]) / 1024;

const login = (): Promise<Answer> =>
  createBrowser(server.url).post('/auth/login', { email: user.email, password: PASSWORD });

const isOrderly = ({ status, headers, json }: Answer): boolean =>
  status === 200 ||
  (status === 429 && json?.error?.code === 'rate_limited' && /^\d+$/.test(String(headers['retry-after'])));

/** What an API with a verifier sees: verdicts on a valid token, and on one whose session is revoked meanwhile. */
async function verifyBeside(isOver: () => boolean) {
  const verifier = createVerifier({ issuer: server.url.replace('127.0.0.1', 'localhost') });
  const leaving = createBrowser(server.url);
  const signedIn = await leaving.post('/auth/login', { email: user.email, password: PASSWORD });
  await verifier.ready();
  const verdict = (token: string): Promise<string> =>
    verifier.verify(token).then(
      () => 'accepted',
      ({ code }) => code,
    );
  const verdicts: string[] = [];
  let revokedAt: number | undefined;
  let refusedAfterMs: number | undefined;
  const revoke = async (): Promise<void> => {
    await sleep(5_000);
    // Signing out may be refused like any other request; then it is sent again.
    while ((await leaving.post('/auth/logout')).status !== 204) await sleep(20);
    revokedAt = performance.now();
  };
  const revoking = revoke();
  for (; !isOver(); await sleep(20)) {
    verdicts.push(await verdict(user.access_token));
    if (refusedAfterMs !== undefined || (await verdict(signedIn.json.access_token)) !== 'session_revoked') continue;
    refusedAfterMs = revokedAt === undefined ? 0 : performance.now() - revokedAt;
  }
  await revoking;
  verifier.close();
  return { verdicts, refusedAfterMs };
}

async function flood(ledger: Ledger): Promise<void> {
  const quiet = memory();
  let over = false;
  let highest = quiet;
  const others: { answer: Answer; took: number }[] = [];
  const watch = async () => {
    const paths = ['/auth/session', '/users/me', '/auth/sessions'];
    for (let round = 0; !over; round++, await sleep(10)) {
      const begun = performance.now();
      const answer = await createBrowser(server.url).get(paths[round % paths.length]!, bearer(user.access_token));
      others.push({ answer, took: performance.now() - begun });
      highest = Math.max(highest, memory());
    }
  };
  const watching = watch();
  const verifying = verifyBeside(() => over);
  const answers: Answer[] = [];
  // Refused requests are sent again at once, so that there are far more than the cores can hash.
  const end = performance.now() + 15_000;
  await atOnce(CONCURRENCY, async () => {
    while (performance.now() < end) answers.push(await login());
  });
  over = true;
  await watching;
  const { verdicts, refusedAfterMs } = await verifying;
  const counts = tally(answers);
  const slowest = Math.max(...others.map(({ took }) => took));
  ledger.note(
    `overload: ${answers.length} sign-ins, ${counts[200] ?? 0} taken and ${counts[429] ?? 0} refused; ${others.length} other requests meanwhile, the slowest ${Math.round(slowest)} ms; memory ${Math.round(quiet)} MiB, at most ${Math.round(highest)}`,
  );
  await ledger.attempt('too many sign-ins: rejected ones are 429 with Retry-After', () => {
    const odd = answers.find((answer) => !isOrderly(answer));
    if (odd) return `one was answered ${odd.status}: ${odd.text}`;
    return answers.length >= 10 * (counts[200] ?? 0) ? undefined : `it was no overload: ${JSON.stringify(counts)}`;
  });
  await ledger.attempt('other requests get responses meanwhile', () => {
    const odd = others.find(({ answer }) => !isOrderly(answer));
    if (odd) return `one was answered ${odd.answer.status}: ${odd.answer.text}`;
    return others.some(({ answer }) => answer.status === 200) ? undefined : 'not one was let through';
  });
  ledger.note(
    `overload: a verifier beside it gave ${verdicts.length} verdicts, and refused a session ${Math.round(refusedAfterMs ?? Number.NaN)} ms after its end`,
  );
  await ledger.attempt('an API behind the service accepts valid tokens all the time', () => {
    const odd = verdicts.find((verdict) => verdict !== 'accepted');
    return odd ?? (verdicts.length > 100 ? undefined : `there were ${verdicts.length} verdicts`);
  });
  await ledger.attempt('an API behind the service refuses a revoked session within 5 seconds', () =>
    refusedAfterMs !== undefined && refusedAfterMs <= 5_000 ? undefined : `it did after ${refusedAfterMs} ms`,
  );
  await ledger.attempt('sign-ins are accepted right after the overload', async () => {
    const { status, text } = await login();
    return status === 200 ? undefined : `one was answered ${status}: ${text}`;
  });
  // Each hash needs 19 MiB, and there are at most as many concurrent ones as hashing threads.
  await ledger.attempt('memory stays bounded', () =>
    highest > quiet + 300 ? `${Math.round(highest)} MiB, from ${Math.round(quiet)}` : undefined,
  );
}

cases('overload by ten times more sign-ins than can be hashed: the excess gets 429, others are served', flood);

/** Growth per minute that may be noise, in a soak of twenty minutes. */
const MAX_MIB_PER_MINUTE = 3;

/** MiB per minute, by least squares. */
function slope(samples: readonly { minute: number; mib: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = { minute: mean(samples.map(({ minute }) => minute)), mib: mean(samples.map(({ mib }) => mib)) };
  const rise = samples.reduce((sum, { minute, mib }) => sum + (minute - middle.minute) * (mib - middle.mib), 0);
  return rise / samples.reduce((sum, { minute }) => sum + (minute - middle.minute) ** 2, 0);
}

cases(
  'soak: memory does not grow, no request fails, and nothing is lost',
  async (ledger) => {
    const promises = rememberPromises();
    let token = '';
    const renewToken = async (): Promise<void> => {
      const { status, text, json } = await login();
      if (status !== 200) throw new Error(`the sign-in of the owner was answered ${status}: ${text}`);
      token = json.access_token;
    };
    await renewToken();
    const load = startLoad({
      url: () => server.url,
      concurrency: 4,
      owner: () => token,
      promises,
      pause: 20,
    });
    const begun = performance.now();
    const minute = () => (performance.now() - begun) / 60_000;
    const samples: { minute: number; mib: number }[] = [];
    // In the first fifth, caches fill and the heap reaches its size.
    for (let second = 1; minute() < MINUTES; second++) {
      await sleep(1_000);
      if (second % (TOKEN_TTL_SECONDS / 4) === 0) await renewToken();
      if (minute() > MINUTES / 5) samples.push({ minute: minute(), mib: memory() });
    }
    await load.stop();
    const perMinute = slope(samples);
    const [first, last] = [samples[0]!.mib, samples.at(-1)!.mib];
    ledger.note(
      `soak: ${MINUTES} minutes, ${load.answered} requests, ${load.failures.length} failed; memory ${Math.round(first)} MiB after warming up, ${Math.round(last)} at the end, ${perMinute.toFixed(2)} MiB a minute`,
    );
    await ledger.attempt('memory stays flat', () =>
      perMinute > MAX_MIB_PER_MINUTE ? `it grows by ${perMinute.toFixed(2)} MiB a minute` : undefined,
    );
    await ledger.attempt('no request fails', () => load.odd[0] ?? load.failures[0]?.what);
    await ledger.attempt('nothing is lost', async () => {
      const { db } = place.database;
      return [...(await promises.broken(db)), ...(await findFaults(db))][0];
    });
  },
  (MINUTES + 5) * 60_000,
);
