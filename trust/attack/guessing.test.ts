import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  tally,
} from '../../packages/server/test/browser.ts';
import { mailsIn } from '../../packages/server/test/mailed.ts';
import { auditOf, countSessions } from '../../packages/server/test/records.ts';
import { useReplicas } from '../../packages/server/test/replicas.ts';
import { challenge, enrolNew, halfSignIn } from '../../packages/server/test/second-factor.ts';
import { rounds } from '../effort.ts';
import { cases, fullCases } from '../ledger.ts';

/** The default limit in the full form, a small one in the short form. */
const FAILURE_LIMIT = rounds(20, 600);
const GUESSES = rounds(50, 1500);
const AT_ONCE = 10;
const CODES_PER_DAY = rounds(12, 300);

const replicas = useReplicas(2, {
  TRUST_PROXY: '127.0.0.1',
  FAILURES_PER_ADDRESS: String(FAILURE_LIMIT),
  LIMIT_TOTP: '100000/1h',
  LIMIT_TOTP_PER_DAY: `${CODES_PER_DAY}/1d`,
});

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const auditedFrom = async (address: string) =>
  (await auditOf(replicas.database)).filter(({ ip_address }) => ip_address === address);

/** Sends `count` requests, ten at a time, through both servers. */
async function inBatches(count: number, ask: (url: string, index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < count) {
    const done = answers.length;
    answers.push(...(await replicas.many(AT_ONCE, (url, index) => ask(url, done + index))));
  }
  return answers;
}

/** Whether the count is wrong. Requests that were running when the limit was reached may exceed it. */
const exceeds = (count: number) => count < FAILURE_LIMIT || count > FAILURE_LIMIT + AT_ONCE;

cases('wrong codes for made-up email addresses from one client are limited', async (ledger) => {
  const address = '203.0.113.10';
  const answers = await inBatches(GUESSES, (url) =>
    createBrowser(url).post('/auth/email-otp/verify', { email: newEmail('made-up'), code: '123456' }, from(address)),
  );
  const rows = await auditedFrom(address);
  const failed = rows.filter(({ action }) => action === 'auth.email_otp.failed').length;
  const limited = rows.filter(({ action }) => action === 'abuse.limited').length;
  ledger.note(`${GUESSES} wrong codes of one client through two servers: ${failed} audited, limit ${FAILURE_LIMIT}`);
  const counts = tally(answers);
  ledger.enter('each response is 401', counts[401] === GUESSES ? undefined : JSON.stringify(counts));
  ledger.enter('at most as many failures as the limit are audited', exceeds(failed) ? `${failed} were` : undefined);
  ledger.enter('the limit is audited once', limited === 1 ? undefined : `${limited} times`);
  await ledger.attempt('the next password of this client is not verified', async () => {
    const { email } = await registerUser(replicas.urls[0]!);
    const { status } = await createBrowser(replicas.urls[1]!).post(
      '/auth/login',
      { email, password: PASSWORD },
      from(address),
    );
    return status === 429 ? undefined : `answered ${status}`;
  });
});

cases('one password sprayed over many accounts is limited', async (ledger) => {
  const address = '203.0.113.11';
  const victim = await registerUser(replicas.urls[0]!, { password: 'Summer2026 is here' });
  const spray = (email: string) => (url: string) =>
    createBrowser(url).post('/auth/login', { email, password: 'Summer2026 is here' }, from(address));
  const answers = await inBatches(FAILURE_LIMIT + 4 * AT_ONCE, (url) => spray(newEmail('sprayed'))(url));
  const counts = tally(answers);
  ledger.note(`one password over ${answers.length} accounts through two servers: ${JSON.stringify(counts)}`);
  ledger.enter(
    'at most as many passwords as the limit are verified',
    exceeds(counts[401] ?? 0) ? JSON.stringify(counts) : undefined,
  );
  ledger.enter('the other requests get 429 with Retry-After', counts[429] ? undefined : JSON.stringify(counts));
  for (const url of replicas.urls) {
    await ledger.attempt('the account with this password gets 429 too', async () => {
      const { status } = await spray(victim.email)(url);
      return status === 429 ? undefined : `answered ${status}`;
    });
  }
});

fullCases('IPv6 clients in one /48 share a limit', async (ledger) => {
  await ledger.attempt('a /48 gets 429 after 16 times the limit of one client', async () => {
    const seen = new Set<number>();
    for (let batch = 0; batch <= (16 * FAILURE_LIMIT) / AT_ONCE; batch++) {
      const network = `2001:db8:5:${batch.toString(16)}::1`;
      const tried = await replicas.many(AT_ONCE, (url) =>
        createBrowser(url).post('/auth/email/verify', { token: 'A'.repeat(43) }, from(network)),
      );
      for (const { status } of tried) seen.add(status);
    }
    return seen.has(429) ? undefined : `answered ${[...seen]} alone`;
  });
});

cases('guessing TOTP codes after a correct password is limited per day', async (ledger) => {
  const user = await enrolNew(replicas.urls[0]!);
  const tokens: string[] = [];
  for (let index = 0; index < CODES_PER_DAY / 3; index++) tokens.push(await halfSignIn(replicas.either(index), user));
  const code = user.app.wrong();
  const answers = await inBatches(tokens.length * 5, (url, index) =>
    challenge(url, tokens[index % tokens.length]!, { code }),
  );
  const counts = tally(answers);
  ledger.note(`${answers.length} codes of an app through two servers in a day: ${JSON.stringify(counts)}`);
  ledger.enter(
    'the number of codes verified in a day is the limit',
    counts[401] === CODES_PER_DAY ? undefined : JSON.stringify(counts),
  );
  await ledger.attempt('the right code is rejected after them', async () => {
    const { status } = await challenge(replicas.urls[1]!, await halfSignIn(replicas.urls[1]!, user), {
      code: user.app.code(),
    });
    return status === 429 ? undefined : `answered ${status}`;
  });
  await ledger.attempt('the owner gets one mail', async () => {
    const queued = () => replicas.database.db.selectFrom('mails').select('id').where('state', '=', 'queued').execute();
    while ((await queued()).length > 0) await sleep(20);
    const notices = mailsIn(replicas).filter(
      ({ to, subject }) => to === user.email && /knows your password/.test(subject),
    );
    return notices.length === 1 ? undefined : `${notices.length} times`;
  });
  await ledger.attempt('no attempt opened a session', async () => {
    const sessions = await countSessions(replicas.database, user.user_id);
    return sessions === 1 ? undefined : `${sessions} sessions`;
  });
  await ledger.attempt('a recovery code still works', async () => {
    const { status } = await challenge(replicas.urls[0]!, await halfSignIn(replicas.urls[0]!, user), {
      recovery_code: user.recovery_codes[0],
    });
    return status === 200 ? undefined : `answered ${status}`;
  });
});
