import { afterAll, beforeAll } from 'vitest';
import { createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { type FakeMailApi, type MailApiMode, startFakeMailApi } from '../../packages/server/test/fake-mail-api.ts';
import { NO_LIMITS } from '../../packages/server/test/no-limits.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { cases } from '../ledger.ts';
import { openLine, type RawLine, type RawRequest } from './raw-line-fixture.ts';
import { type Branch, describeFound, type Sampling, timeApart } from './who-exists-clock-fixture.ts';
import { ANONYMOUS, type Kind, populate, type Question, questionsBy, type Targets } from './who-exists-fixture.ts';

let api: FakeMailApi;
let replicas: Replicas;
let users: Targets;
let asker: TestUser;
let line: RawLine;
/** Servers that limit a client address after one failure. */
let strict: Replicas;
let limited: { readonly users: Targets; readonly line: RawLine };
beforeAll(async () => {
  api = await startFakeMailApi();
  replicas = await startReplicas(1, {
    ...NO_LIMITS,
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'fatal',
    ACCESS_TOKEN_TTL: '1h',
    EMAIL_API_KEY: 're_test_key',
    EMAIL_FROM: 'id@example.com',
    EMAIL_API_BASE_URL: api.url,
  });
  users = await populate(replicas);
  asker = await registerUser(replicas.urls[0]!);
  line = await openLine(replicas.urls[0]!);
  strict = await startReplicas(1, {
    ...NO_LIMITS,
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'fatal',
    FAILURES_PER_ADDRESS: '1',
  });
  limited = { users: await populate(strict), line: await openLine(strict.urls[0]!) };
  await limited.line.ask(fromClient(ANONYMOUS.login(limited.users.nobody)));
});
afterAll(async () => {
  line.close();
  limited.line.close();
  await strict.close();
  await replicas.close();
  await api.close();
});

/** The request, as sent from a client address whose failures are counted. */
const fromClient = (request: RawRequest): RawRequest => ({
  ...request,
  headers: { ...request.headers, 'x-forwarded-for': '203.0.113.9' },
});

const branchesOf = (question: Question, kinds: readonly Kind[], among: Targets) =>
  kinds.map((kind): Branch => ({ name: kind, request: () => fromClient(question(among[kind])) })) as [
    Branch,
    ...Branch[],
  ];

const deleteInvitations = async () => void (await replicas.database.db.deleteFrom('invitations').execute());

/** Requests a code, which allows five guesses, for a user of each kind, and waits until the mails are sent. */
const requestCodes = (kinds: readonly Kind[]) => async () => {
  for (const kind of kinds) {
    await createBrowser(replicas.urls[0]!).post('/auth/email-otp/request', { email: users[kind].email });
  }
  const { db } = replicas.database;
  const queued = () => db.selectFrom('mails').select('id').where('state', '=', 'queued').execute();
  while ((await queued()).length > 0);
};

interface Timed {
  readonly name: string;
  readonly question: () => Question;
  readonly kinds: readonly Kind[];
  readonly status: number;
  readonly samples: number;
  readonly mail?: MailApiMode;
  readonly before?: NonNullable<Sampling['before']>;
  /** Whether the request comes from a client address that is limited. */
  readonly isLimited?: boolean;
}

const BASIC_KINDS = ['nobody', 'active', 'disabled', 'deleted'] as const;

const MAILED = (['password/forgot', 'email-otp/request'] as const).map(
  (name): Timed => ({
    name: `${name}, the mail provider hanging`,
    question: () => ANONYMOUS[name],
    kinds: BASIC_KINDS,
    status: 204,
    samples: 500,
    mail: 'hang',
  }),
);

const TIMED: readonly Timed[] = [
  ...MAILED,
  {
    name: 'login',
    question: () => ANONYMOUS.login,
    kinds: [...BASIC_KINDS, 'without a password', 'with a second factor'],
    status: 401,
    samples: 250,
  },
  {
    name: 'password/forgot',
    question: () => ANONYMOUS['password/forgot'],
    kinds: BASIC_KINDS,
    status: 204,
    samples: 500,
  },
  {
    name: 'email-otp/request',
    question: () => ANONYMOUS['email-otp/request'],
    kinds: BASIC_KINDS,
    status: 204,
    samples: 500,
  },
  {
    name: 'email-otp/verify',
    question: () => ANONYMOUS['email-otp/verify'],
    kinds: BASIC_KINDS,
    status: 401,
    samples: 500,
    before: { every: 2 * BASIC_KINDS.length, refresh: requestCodes(BASIC_KINDS) },
  },
  {
    name: 'passkey/login/begin',
    question: () => ANONYMOUS['passkey/login/begin'],
    kinds: [...BASIC_KINDS, 'with a passkey'],
    status: 200,
    samples: 1000,
  },
  {
    name: 'sso/discover',
    question: () => ANONYMOUS['sso/discover'],
    kinds: [...BASIC_KINDS, 'verified', 'with a second factor'],
    status: 200,
    samples: 1000,
  },
  {
    name: 'login beyond FAILURES_PER_ADDRESS',
    question: () => ANONYMOUS.login,
    kinds: BASIC_KINDS,
    status: 429,
    samples: 500,
    isLimited: true,
  },
  {
    name: 'email-otp/verify beyond FAILURES_PER_ADDRESS',
    question: () => ANONYMOUS['email-otp/verify'],
    kinds: BASIC_KINDS,
    status: 401,
    samples: 500,
    isLimited: true,
  },
  {
    name: 'an invitation',
    question: () => questionsBy(asker)['an invitation'],
    kinds: BASIC_KINDS,
    status: 201,
    samples: 500,
    before: { every: 1, refresh: deleteInvitations },
  },
];

for (const { name, question, kinds, samples, mail = 'ok', isLimited = false, ...how } of TIMED) {
  cases(
    `${name}: response times do not reveal who exists`,
    async (ledger) => {
      api.mode = mail;
      const asked = isLimited ? limited : { users, line };
      const found = await timeApart(branchesOf(question(), kinds, asked.users), samples, { line: asked.line, ...how });
      for (const one of found) {
        const description = describeFound(kinds[0]!, one);
        ledger.note(`${name}: ${description}`);
        ledger.enter(`${name}: ${one.branch}`, one.isDistinguishable ? description : undefined);
      }
    },
    1_800_000,
  );
}
