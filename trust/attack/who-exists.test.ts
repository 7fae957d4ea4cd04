import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { randomToken } from '../../packages/server/src/platform/crypto/tokens.ts';
import { createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { type FakeMailApi, type MailApiMode, startFakeMailApi } from '../../packages/server/test/fake-mail-api.ts';
import { NO_LIMITS } from '../../packages/server/test/no-limits.ts';
import { knowInvitation, knowToken, setUser } from '../../packages/server/test/records.ts';
import { type Replicas, startReplicas, suspendSweeps } from '../../packages/server/test/replicas.ts';
import { isFull, rounds } from '../effort.ts';
import { cases } from '../ledger.ts';
import { openLine, type RawAnswer, type RawRequest } from './raw-line-fixture.ts';
import {
  ANONYMOUS,
  KINDS,
  type Kind,
  newAddress,
  populate,
  type Question,
  questionsBy,
  type Target,
  type Targets,
} from './who-exists-fixture.ts';

const TABLES = [
  'audit_events',
  'bus_events',
  'invitations',
  'mails',
  'memberships',
  'one_time_tokens',
  'passkey_challenges',
  'rate_counters',
  'sessions',
  'users',
] as const;

/** Replaces what is specific to a user or the time. All replaced parts have the same length for every user. */
const withoutOwn = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{16}@example\.com/g, 'ADDRESS')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

/** Removes the keys of passkey options: their number and length depend on the email, also for decoys. */
const withoutKeys = ({ head, body }: RawAnswer): string => {
  const { publicKey } = JSON.parse(body);
  if (!publicKey) return `${head}\n${body}`;
  const { challenge, allowCredentials, ...rest } = publicKey;
  const keys = new Set(allowCredentials.map((key: object) => Object.keys(key).join()));
  return `${head.replace(/^content-length: \d+/im, '')}\n${JSON.stringify({ ...rest, length: challenge.length, keys: [...keys] })}`;
};

const MODES: readonly MailApiMode[] = isFull ? ['slow', 'hang', 500, 429, 401] : ['hang'];

describe.each(isFull ? [1, 2] : [2])('who exists, on %i server(s)', (count) => {
  let api: FakeMailApi;
  let replicas: Replicas;
  let resumeSweeps: () => Promise<void>;
  let users: Targets;
  let asker: TestUser;
  beforeAll(async () => {
    api = await startFakeMailApi();
    replicas = await startReplicas(count, {
      ...NO_LIMITS,
      EMAIL_API_KEY: 're_test_key',
      EMAIL_FROM: 'id@example.com',
      EMAIL_API_BASE_URL: api.url,
    });
    resumeSweeps = await suspendSweeps(replicas);
    users = await populate(replicas);
    asker = await registerUser(replicas.urls[0]!);
  });
  afterAll(async () => {
    await resumeSweeps();
    await replicas.close();
    await api.close();
  });

  let hashes: Record<string, number> = {};

  async function observe(url: string, request: RawRequest): Promise<{ status: number; seen: string }> {
    const before = await countRows();
    // Only requests of this function compute hashes, so the count after the previous request is still valid.
    hashes[url] ??= await countHashes(url);
    const hashesBefore = hashes[url];
    const line = await openLine(url);
    const answer = await line.ask(request);
    line.close();
    const after = await countRows();
    const rows = TABLES.map((table) => `${table} ${after[table]! - before[table]!}`);
    hashes[url] = await countHashes(url);
    const hashed = `hashes ${hashes[url] - hashesBefore}`;
    const actions = await replicas.database.db
      .selectFrom('audit_events')
      .select('action')
      .orderBy('id', 'desc')
      .limit(after.audit_events! - before.audit_events!)
      .execute();
    const bytes = answer.status === 200 ? withoutKeys(answer) : `${answer.head}\n${withoutOwn(answer.body)}`;
    return { status: answer.status, seen: [bytes, hashed, ...rows, ...actions.map(({ action }) => action)].join('\n') };
  }

  async function countRows(): Promise<Record<string, number>> {
    const counts = TABLES.map((table) => sql`(select count(*) from ${sql.table(table)}) as ${sql.ref(table)}`);
    const { rows } = await sql<Record<string, number>>`select ${sql.join(counts)}`.execute(replicas.database.db);
    return rows[0]!;
  }

  const countHashes = async (url: string): Promise<number> =>
    Number(/^gatehouse_password_hashes_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())![1]);

  const deleteInvitations = ({ email }: Target) =>
    replicas.database.db.deleteFrom('invitations').where('email', '=', email).execute();

  const expected: Record<string, number> = {
    login: 401,
    'password/forgot': 204,
    'email-otp/request': 204,
    'email-otp/verify': 401,
    'passkey/login/begin': 200,
    'sso/discover': 200,
    'an invitation': 201,
    'a change to their email': 204,
    'a look at their account': 403,
    'a look at their seat': 404,
  };

  async function compareAll(
    enter: (name: string, seen: string | undefined) => void,
    url: string,
    questions: Record<string, Question>,
    kinds: readonly Kind[] = KINDS,
  ): Promise<void> {
    for (const [name, question] of Object.entries(questions)) {
      // Creates the rate limit counters of the client, so that the following requests create none.
      await observe(url, question({ email: newAddress(), user_id: randomUUID() }));
      let forUnknown: string | undefined;
      for (const kind of kinds) {
        const { status, seen } = await observe(url, question(users[kind]));
        forUnknown ??= seen;
        const wrong = status === expected[name] ? undefined : `answered ${status}`;
        enter(`${name}: ${kind}`, wrong ?? (seen === forUnknown ? undefined : `${seen}\nand not\n${forUnknown}`));
        await deleteInvitations(users[kind]);
      }
    }
  }

  cases(
    'unknown and existing users get the same bytes, and cost the same number of hashes and rows',
    async (ledger) => {
      const questions = { ...ANONYMOUS, ...questionsBy(asker) };
      // In the second round, counters and codes already exist.
      for (const url of [...replicas.urls, replicas.urls[0]!].slice(0, rounds(1, 2)))
        await compareAll(ledger.enter, url, questions);
    },
    600_000,
  );

  cases(
    'responses do not reveal who exists if the mail API is slow, hangs or fails',
    async (ledger) => {
      const { login, 'passkey/login/begin': _, 'sso/discover': __, ...mailing } = ANONYMOUS;
      const questions = { ...mailing, 'an invitation': questionsBy(asker)['an invitation'] };
      for (const mode of MODES) {
        api.mode = mode;
        const enter = (name: string, seen: string | undefined) => ledger.enter(`${mode}: ${name}`, seen);
        await compareAll(enter, replicas.either(1), questions, isFull ? KINDS : ['nobody', 'active', 'disabled']);
      }
      api.mode = 'ok';
      api.release();
    },
    600_000,
  );

  cases('the response to an invalid link does not reveal why it is invalid', async (ledger) => {
    const { database } = replicas;
    const url = replicas.urls[0]!;
    const dead: Record<
      string,
      (user_id: string, token: string, use: (token: string) => RawRequest) => Promise<unknown>
    > = {
      used: async (_user_id, token, use) => (await openLine(url)).ask(use(token)),
      expired: (user_id) =>
        database.db
          .updateTable('one_time_tokens')
          .set({ expires_at: new Date(0) })
          .where('subject', '=', user_id)
          .execute(),
      'of a disabled account': (user_id) => setUser(database, user_id, { status: 'disabled' }),
      'of another email': (user_id) => setUser(database, user_id, { email: newAddress() }),
    };
    const links = {
      password_reset: (token: string) => ({
        method: 'POST',
        path: '/auth/password/reset',
        body: { token, new_password: 'another correct horse' },
      }),
      email_verification: (token: string) => ({ method: 'POST', path: '/auth/email/verify', body: { token } }),
    };
    for (const kind of ['password_reset', 'email_verification'] as const) {
      const use = links[kind];
      const unknown = await observe(url, use(randomToken()));
      ledger.enter(`${kind}: never seen`, unknown.status === 401 ? undefined : `answered ${unknown.status}`);
      for (const [name, invalidate] of Object.entries(dead)) {
        const user = await registerUser(url);
        hashes = {};
        await createBrowser(url).post('/auth/password/forgot', { email: user.email });
        const token = await knowToken(database, user.user_id, kind);
        await invalidate(user.user_id, token, use);
        const { seen } = await observe(url, use(token));
        ledger.enter(`${kind}: ${name}`, seen === unknown.seen ? undefined : `${seen}\nand not\n${unknown.seen}`);
      }
    }
  });

  cases('the preview of an invitation does not reveal whether an account exists', async (ledger) => {
    const url = replicas.urls[0]!;
    let forUnknown: string | undefined;
    for (const kind of KINDS) {
      const line = await openLine(url);
      const invited = await line.ask(questionsBy(asker)['an invitation'](users[kind]));
      const token = await knowInvitation(replicas.database, JSON.parse(invited.body).id);
      const { status, head, body } = await line.ask({
        method: 'GET',
        path: `/auth/invitations/preview?token=${token}`,
      });
      line.close();
      const seen = `${head}\n${withoutOwn(body)}`;
      forUnknown ??= seen;
      const wrong = status === 200 ? undefined : `answered ${status}`;
      ledger.enter(`preview: ${kind}`, wrong ?? (seen === forUnknown ? undefined : seen));
      await deleteInvitations(users[kind]);
    }
  });
});
