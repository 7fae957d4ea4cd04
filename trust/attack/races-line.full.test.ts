import { sql } from 'kysely';
import { type Answer, createBrowser, registerUser, tally } from '../../packages/server/test/browser.ts';
import { CODE, mailed } from '../../packages/server/test/mailed.ts';
import { oneTimeTokensOf } from '../../packages/server/test/records.ts';
import { startReplicas } from '../../packages/server/test/replicas.ts';
import { cases } from '../ledger.ts';

const CONCURRENCY = 400;

cases('guesses at a code that wait too long for a connection get 429, and none gets 500', async (ledger) => {
  // Default timeouts: with the 50 seconds that the test URL allows for a connection, no request would be refused.
  const replicas = await startReplicas(2, { DATABASE_POOL_SIZE: '2' }, { defaultTimeouts: true });
  const { database } = replicas;
  const { email, user_id } = await registerUser(replicas.urls[0]!);
  await createBrowser(replicas.urls[0]!).post('/auth/email-otp/request', { email });
  const right = await mailed(replicas, email, CODE);
  const code = String((Number(right) + 1) % 1_000_000).padStart(6, '0');

  // With two connections and 0.1 seconds for each guess, not all 400 are processed in five seconds.
  await sql`create function tarry() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.1); return null; end $$`.execute(database.db);
  await sql`create trigger tarry before update on one_time_tokens for each statement execute function tarry()`.execute(
    database.db,
  );
  const answers = await replicas.many(CONCURRENCY, (url) =>
    createBrowser(url).post('/auth/email-otp/verify', { email, code }),
  );

  const counts = tally(answers);
  ledger.note(`${CONCURRENCY} guesses at once with two connections for each server: ${JSON.stringify(counts)}`);
  await ledger.attempt('each response is 401, or 429 with Retry-After', () => {
    const isProper = ({ status, headers }: Answer) =>
      status === 401 || (status === 429 && headers['retry-after'] === '1');
    return answers.every(isProper) ? undefined : JSON.stringify(counts);
  });
  await ledger.attempt('the queue was full for some requests', () =>
    counts[429] ? undefined : JSON.stringify(counts),
  );
  await ledger.attempt('at most five codes were verified', async () => {
    const [row] = await oneTimeTokensOf(database, user_id, 'login_code');
    return row!.attempts <= 5 ? undefined : `${row!.attempts} were`;
  });
  await replicas.close();
});
