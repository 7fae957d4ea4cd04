import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { createBrowser, PASSWORD, registerUser } from '../../packages/server/test/browser.ts';
import { type FakeMailApi, type MailApiMode, startFakeMailApi } from '../../packages/server/test/fake-mail-api.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { isFull, rounds } from '../effort.ts';
import { cases } from '../ledger.ts';
import { findFaults } from './invariants-fixture.ts';
import { type BadProvider, type Behaviour, startBadProvider } from './provider-fixture.ts';
import { type Relay, startRelay } from './relay-fixture.ts';
import { until } from './site-fixture.ts';

let api: FakeMailApi;
let wire: Relay;
let provider: BadProvider;
let replicas: Replicas;
beforeAll(async () => {
  api = await startFakeMailApi();
  wire = await startRelay(() => Number(new URL(api.url).port));
  provider = await startBadProvider();
  replicas = await startReplicas(1, {
    EMAIL_API_KEY: 're_some-key',
    EMAIL_FROM: 'id@example.com',
    EMAIL_API_BASE_URL: `http://127.0.0.1:${wire.port}`,
    ...provider.env,
  });
});
afterAll(async () => {
  await replicas?.close();
  await wire?.close();
  await api?.close();
  await provider?.close();
});

interface MailFault {
  readonly name: string;
  /** Whether the fault takes too long for a test run. */
  readonly long?: boolean;
  readonly mode?: MailApiMode;
  readonly begin?: () => unknown;
}

const MAIL_FAULTS: readonly MailFault[] = [
  { name: '500', mode: 500 },
  { name: '429', mode: 429, long: true },
  { name: 'a key that is refused', mode: 401, long: true },
  { name: 'no connection', begin: () => wire.refuse(), long: true },
  { name: 'a connection that is cut in the middle', mode: 'hang', begin: () => void cutAgainAndAgain() },
  { name: 'no answer', mode: 'hang', long: true },
  { name: 'silence', begin: () => wire.swallow(), long: true },
];

const MAILS = rounds(2, 5);

let cutting = false;
async function cutAgainAndAgain(): Promise<void> {
  cutting = true;
  for (; cutting; await sleep(20)) wire.cut();
}

const mailsSince = async (since: number) => {
  const { rows } = await sql<{ id: string; state: string; attempts: number; last_error: string | null }>`
    select id, state, attempts, last_error from mails order by id offset ${since}`.execute(replicas.database.db);
  return rows;
};

cases(
  'a failing mail API: no request waits for it, no mail is lost, and none arrives twice',
  async (ledger) => {
    const { db } = replicas.database;
    for (const fault of MAIL_FAULTS) {
      if (fault.long && !isFull) continue;
      await ledger.attempt(`mail: ${fault.name}`, async () => {
        const before = (await mailsSince(0)).length;
        api.mode = fault.mode ?? 'ok';
        await fault.begin?.();
        const begun = performance.now();
        for (let index = 0; index < MAILS; index++) await registerUser(replicas.urls[0]!);
        const took = (performance.now() - begun) / MAILS;
        await until('an attempt to send a mail has failed', async () =>
          (await mailsSince(before)).some(({ last_error }) => last_error !== null),
        );
        cutting = false;
        api.mode = 'ok';
        await wire.pass({ lost: true });
        // In the full form, queued mails are retried after their delay.
        if (!isFull) await sql`update mails set next_attempt_at = now() where state = 'queued'`.execute(db);
        await until('all have gone', async () => (await mailsSince(before)).every(({ state }) => state !== 'queued'));
        const mails = await mailsSince(before);
        ledger.note(`mail, ${fault.name}: a registration took ${Math.round(took)} ms meanwhile`);
        if (mails.length !== MAILS) return `${mails.length} were queued in place of ${MAILS}`;
        const lost = mails.filter(({ id, state }) => state !== 'sent' || !api.delivered.has(id));
        if (lost.length > 0) return `a mail is lost: ${JSON.stringify(lost[0])}`;
        if (isFull && took > 5_000) return `a registration took ${Math.round(took)} ms`;
        return (await findFaults(db))[0];
      });
    }
    await ledger.attempt('mail: every queued mail was delivered', async () => {
      const queued = (await mailsSince(0)).length;
      return api.delivered.size === queued ? undefined : `${api.delivered.size} of ${queued}`;
    });
  },
  600_000,
);

const PROVIDER_FAULTS: readonly { behaviour: Behaviour; long?: boolean }[] = [
  { behaviour: 500 },
  { behaviour: 'reset' },
  { behaviour: 'nonsense' },
  { behaviour: 'refused' },
  { behaviour: 'silent', long: true },
  { behaviour: 'drips', long: true },
  { behaviour: 'endless', long: true },
];

async function completeCallback(): Promise<{ status: number; text: string; took: number }> {
  const browser = createBrowser(replicas.urls[0]!);
  const { headers, status } = await browser.get('/auth/oauth/oauth_a/start');
  if (status !== 302) throw new Error(`the start was answered ${status}`);
  const state = new URL(String(headers.location)).searchParams.get('state');
  const begun = performance.now();
  const accept = { headers: { accept: 'application/json' } };
  const answer = await browser.get(`/auth/oauth/oauth_a/callback?code=c&state=${encodeURIComponent(state!)}`, accept);
  return { status: answer.status, text: answer.text, took: performance.now() - begun };
}

cases(
  'a failing identity provider: its requests time out, and all other sign-ins succeed',
  async (ledger) => {
    const user = await registerUser(replicas.urls[0]!);
    for (const { behaviour, long } of PROVIDER_FAULTS) {
      if (long && !isFull) continue;
      await ledger.attempt(`provider: ${behaviour}`, async () => {
        await provider.behave(behaviour);
        const callbacks = Array.from({ length: isFull ? 20 : 2 }, completeCallback);
        const { status } = await createBrowser(replicas.urls[0]!).post('/auth/login', {
          email: user.email,
          password: PASSWORD,
        });
        if (status !== 200) return `the sign-in of another user got ${status}`;
        const answers = await Promise.all(callbacks);
        const odd = answers.find((answer) => answer.status !== 401 || !answer.text.includes('provider_error'));
        if (odd) return `it was answered ${odd.status}: ${odd.text}`;
        const slowest = Math.max(...answers.map(({ took }) => took));
        if (long) ledger.note(`provider, ${behaviour}: timed out after ${Math.round(slowest)} ms`);
        return isFull && slowest > 15_000 ? `it took ${Math.round(slowest)} ms` : undefined;
      });
    }
  },
  300_000,
);
