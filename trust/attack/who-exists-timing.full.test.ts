import { afterAll, beforeAll } from 'vitest';
import { createBrowser, registerUser, type TestUser } from '../../packages/server/test/browser.ts';
import { type FakeMailApi, type MailApiMode, startFakeMailApi } from '../../packages/server/test/fake-mail-api.ts';
import { NO_LIMITS } from '../../packages/server/test/no-limits.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { cases } from '../ledger.ts';
import { openLine, type RawLine, type RawRequest } from './raw-line-fixture.ts';
import { type Branch, describeFound, type Sampling, timeApart } from './who-exists-clock-fixture.ts';
import { ASKED_BY_ANYBODY, askedBy, type Kind, type People, populate, type Question } from './who-exists-fixture.ts';

let api: FakeMailApi;
let replicas: Replicas;
let users: People;
let asker: TestUser;
let line: RawLine;
/** One failure of a client address, and it is limited. */
let strict: Replicas;
let limited: { readonly people: People; readonly line: RawLine };
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
  limited = { people: await populate(strict), line: await openLine(strict.urls[0]!) };
  await limited.line.ask(fromClient(ASKED_BY_ANYBODY.login(limited.people.nobody)));
});
afterAll(async () => {
  line.close();
  limited.line.close();
  await strict.close();
  await replicas.close();
  await api.close();
});

/** From an address whose failures are counted. */
const fromClient = (request: RawRequest): RawRequest => ({
  ...request,
  headers: { ...request.headers, 'x-forwarded-for': '203.0.113.9' },
});

const branchesOf = (question: Question, kinds: readonly Kind[], among: People) =>
  kinds.map((kind): Branch => ({ name: kind, request: () => fromClient(question(among[kind])) })) as [
    Branch,
    ...Branch[],
  ];

/** The invitation before is no longer in the way. */
const forget = async () => void (await replicas.database.db.deleteFrom('invitations').execute());

/** Each has a code that can be guessed at five times, and its mail is sent. */
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
  /** How the mail provider behaves meanwhile. */
  readonly mail?: MailApiMode;
  readonly before?: NonNullable<Sampling['before']>;
  /** By a client address that has failed too often. */
  readonly isLimited?: boolean;
}

const WHOEVER = ['nobody', 'active', 'disabled', 'deleted'] as const;

const MAILED = (['password/forgot', 'email-otp/request'] as const).map(
  (name): Timed => ({
    name: `${name}, the mail provider hanging`,
    question: () => ASKED_BY_ANYBODY[name],
    kinds: WHOEVER,
    status: 204,
    samples: 500,
    mail: 'hang',
  }),
);

const TIMED: readonly Timed[] = [
  ...MAILED,
  {
    name: 'login',
    question: () => ASKED_BY_ANYBODY.login,
    kinds: [...WHOEVER, 'without a password', 'with a second factor'],
    status: 401,
    samples: 250,
  },
  {
    name: 'password/forgot',
    question: () => ASKED_BY_ANYBODY['password/forgot'],
    kinds: WHOEVER,
    status: 204,
    samples: 500,
  },
  {
    name: 'email-otp/request',
    question: () => ASKED_BY_ANYBODY['email-otp/request'],
    kinds: WHOEVER,
    status: 204,
    samples: 500,
  },
  {
    name: 'email-otp/verify',
    question: () => ASKED_BY_ANYBODY['email-otp/verify'],
    kinds: WHOEVER,
    status: 401,
    samples: 500,
    before: { every: 2 * WHOEVER.length, refresh: requestCodes(WHOEVER) },
  },
  {
    name: 'passkey/login/begin',
    question: () => ASKED_BY_ANYBODY['passkey/login/begin'],
    kinds: [...WHOEVER, 'with a passkey'],
    status: 200,
    samples: 1000,
  },
  {
    name: 'login beyond FAILURES_PER_ADDRESS',
    question: () => ASKED_BY_ANYBODY.login,
    kinds: WHOEVER,
    status: 429,
    samples: 500,
    isLimited: true,
  },
  {
    name: 'email-otp/verify beyond FAILURES_PER_ADDRESS',
    question: () => ASKED_BY_ANYBODY['email-otp/verify'],
    kinds: WHOEVER,
    status: 401,
    samples: 500,
    isLimited: true,
  },
  {
    name: 'an invitation',
    question: () => askedBy(asker)['an invitation'],
    kinds: WHOEVER,
    status: 201,
    samples: 500,
    before: { every: 1, refresh: forget },
  },
];

for (const { name, question, kinds, samples, mail = 'ok', isLimited = false, ...how } of TIMED) {
  cases(
    `${name}: no clock tells who exists`,
    async (ledger) => {
      api.mode = mail;
      const asked = isLimited ? limited : { people: users, line };
      const found = await timeApart(branchesOf(question(), kinds, asked.people), samples, { line: asked.line, ...how });
      for (const one of found) {
        const told = describeFound(kinds[0]!, one);
        ledger.note(`${name}: ${told}`);
        ledger.enter(`${name}: ${one.branch}`, one.isDistinguishable ? told : undefined);
      }
    },
    1_800_000,
  );
}
