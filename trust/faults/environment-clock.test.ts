import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { hashToken, randomToken } from '../../packages/server/src/platform/crypto/tokens.ts';
import {
  bearer,
  claimsOf,
  createBrowser,
  refreshWith,
  registerUser,
  signInAgain,
  type TestUser,
} from '../../packages/server/test/browser.ts';
import { createTestClock } from '../../packages/server/test/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/database.ts';
import { startTestApp, type TestApp } from '../../packages/server/test/harness.ts';
import { startServer } from '../../packages/server/test/process.ts';
import { suspendSweeps } from '../../packages/server/test/replicas.ts';
import { isFull } from '../effort.ts';
import { cases } from '../ledger.ts';
import { createWrongClock } from './clock-fixture.ts';
import { findFaults } from './invariants-fixture.ts';
import { until } from './site-fixture.ts';

/** A service whose clock can be shifted. */
interface Clocked {
  readonly target: TestApp | string;
  shift(hours: number): void;
  /** The status of /readyz. */
  readiness(): Promise<number>;
  /** The first failed request in the log, or the exit of the process. */
  complaint(): string | undefined;
  stop(): Promise<unknown>;
}

let folder: string;
let database: TestDatabase;
let service: Clocked;
let releaseSweeps: () => Promise<void>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-clock-'));
  database = await createTestDatabase();
  // The invariants count mails. With the clock 91 days ahead, a sweep would delete them if the test runs long enough.
  releaseSweeps = await suspendSweeps({ database });
  service = await (isFull ? startProcess() : startInProcess());
});
afterAll(async () => {
  await service?.stop();
  await releaseSweeps?.();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startInProcess(): Promise<Clocked> {
  const app = await startTestApp({ database, clock: createTestClock(new Date()) });
  return {
    target: app,
    shift: (hours) => app.clock.set(new Date(Date.now() + hours * 3_600_000)),
    readiness: async () => (await app.server.inject('/readyz')).statusCode,
    complaint: () => app.logs.map((line) => JSON.stringify(line)).find((line) => line.includes('a request failed')),
    stop: () => app.close(),
  };
}

async function startProcess(): Promise<Clocked> {
  const clock = createWrongClock(folder, 'here');
  const env = { DATABASE_URL: database.url, DATA_DIR: folder, ...clock.env };
  const { url, child, output, kill } = await startServer({ cwd: folder, env });
  return {
    target: url,
    shift: (hours) => clock.set(hours),
    readiness: async () => (await fetch(`${url}/readyz`)).status,
    complaint: () => (child.exitCode === null ? /"a request failed".*/.exec(output())?.[0] : 'it has ended'),
    stop: kill,
  };
}

/** Shifts the clock and waits until the service uses the new time, which the feed shows. */
async function setClock(hours: number): Promise<void> {
  service.shift(hours);
  await until('the clock is set', async () => {
    const { json } = await createBrowser(service.target).get('/.well-known/service-revocations.json');
    return Math.abs(Date.parse(json.generated_at) - Date.now() - hours * 3_600_000) < 600_000;
  });
}

const statusOf = async (token: string): Promise<number> =>
  (await createBrowser(service.target).get('/auth/session', bearer(token))).status;

const refreshTokenOf = ({ browser }: TestUser): string => browser.jar.get('service_rt')!;

async function issueReset({ user_id, email }: TestUser): Promise<string> {
  const token = randomToken();
  await sql`insert into one_time_tokens (kind, subject, token_hash, user_id, email, created_at, expires_at)
    values ('password_reset', ${user_id}::uuid, ${hashToken(token)}, ${user_id}::uuid, ${email}, now(), now() + interval '1 hour')`.execute(
    database.db,
  );
  return token;
}

const reset = (token: string) =>
  createBrowser(service.target).post('/auth/password/reset', { token, new_password: 'another horse, another battery' });

const expectStatus = (seen: number, ...wanted: number[]): string | undefined =>
  wanted.includes(seen) ? undefined : `it was answered ${seen}`;

async function useService(): Promise<string | undefined> {
  const user = await registerUser(service.target);
  const browser = await signInAgain(service.target, user);
  const token = browser.jar.get('service_at')!;
  const before = [(await browser.post('/auth/refresh')).status, await statusOf(token)];
  const after = [(await browser.post('/auth/logout')).status, await statusOf(token)];
  const seen = [...before, ...after].join(' ');
  return seen === '200 200 204 401' ? (await findFaults(database.db))[0] : `it went ${seen}`;
}

cases(
  'the clock moves forward and back: nothing ended or used becomes valid, and the service keeps working',
  async (ledger) => {
    const early = await registerUser(service.target);
    const idle = await registerUser(service.target);
    const gone = await registerUser(service.target);
    await gone.browser.post('/auth/logout');
    const link = await issueReset(early);

    await setClock(2);
    await ledger.attempt('clock two hours ahead: an access token has expired', async () => {
      return expectStatus(await statusOf(early.access_token), 401);
    });
    await ledger.attempt('clock two hours ahead: a mailed link has expired', async () =>
      expectStatus((await reset(link)).status, 401),
    );
    await ledger.attempt('clock two hours ahead: a refresh token is still valid', async () => {
      return expectStatus((await refreshWith(service.target, refreshTokenOf(early))).status, 200);
    });
    await ledger.attempt('clock two hours ahead: the service works', useService);
    const ahead = await registerUser(service.target);
    const ended = await registerUser(service.target);
    await ended.browser.post('/auth/logout');

    await setClock(0);
    await ledger.attempt('clock set back: a revoked session stays revoked', async () => {
      const seen = await Promise.all([ended, gone].map(({ access_token }) => statusOf(access_token)));
      return expectStatus(Math.max(...seen), 401) ?? expectStatus(Math.min(...seen), 401);
    });
    await ledger.attempt('clock set back: a used token stays used', async () => {
      return expectStatus((await refreshWith(service.target, refreshTokenOf(early))).status, 401);
    });
    await ledger.attempt(
      'clock set back: a session from the future can be revoked, and is in the feed until its token expires',
      async () => {
        const { status } = await ahead.browser.post('/auth/logout');
        if (status !== 204) return `it was answered ${status}`;
        if ((await statusOf(ahead.access_token)) !== 401) return 'it is accepted';
        const row = await database.db
          .selectFrom('revocations')
          .select('expires_at')
          .where('sid', '=', ahead.session_id)
          .executeTakeFirst();
        const end = claimsOf(ahead.access_token).exp * 1000;
        return row && row.expires_at.getTime() >= end - 1000 ? undefined : 'the feed forgets it too soon';
      },
    );
    await ledger.attempt('clock set back: the service works', useService);

    await setClock(-2);
    await ledger.attempt('clock two hours behind: a revoked session stays revoked', async () => {
      const seen = await Promise.all([ended, gone, ahead].map(({ access_token }) => statusOf(access_token)));
      return expectStatus(Math.max(...seen), 401) ?? expectStatus(Math.min(...seen), 401);
    });
    await ledger.attempt('clock two hours behind: the service works', useService);

    await setClock(91 * 24);
    await ledger.attempt('clock 91 days ahead: no session is valid', async () => {
      return expectStatus((await refreshWith(service.target, refreshTokenOf(idle))).status, 401);
    });
    await ledger.attempt('clock 91 days ahead: the service works', useService);
    await setClock(0);
    await ledger.attempt('clock set right again: the service works and is ready', async () => {
      const status = await service.readiness();
      return status === 200 ? useService() : `/readyz was ${status}`;
    });
    await ledger.attempt('no request has failed', () => service.complaint());
  },
  120_000,
);
