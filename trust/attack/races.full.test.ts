import { afterAll, beforeAll } from 'vitest';
import {
  type Answer,
  bearer,
  createBrowser,
  refreshTokenIn,
  refreshWith,
  registerUser,
  signInAgain,
  type TestUser,
  tally,
} from '../../packages/server/test/browser.ts';
import { startFakeProvider } from '../../packages/server/test/fake-providers/provider.ts';
import type { FakeProvider } from '../../packages/server/test/fake-providers/types.ts';
import { findSession, findUser, knowToken, setUser } from '../../packages/server/test/records.ts';
import { isRefusedInTime, type Replicas, startReplicas, suspendSweeps } from '../../packages/server/test/replicas.ts';
import { insertMembership, listOwners, teammate } from '../../packages/server/test/team.ts';
import { cases } from '../ledger.ts';
import { codesAndLinks } from './races-codes-fixture.ts';
import { latestEvent, run, successesSince } from './races-fixture.ts';
import { namesAndTokens } from './races-names-fixture.ts';

let google: FakeProvider;
let replicas: Replicas;
let resumeSweeps: () => Promise<void>;
beforeAll(async () => {
  google = await startFakeProvider('oauth_a');
  replicas = await startReplicas(2, {
    ...google.environment,
    OAUTH_A_CLIENT_ID: google.settings.public_config.client_id!,
    OAUTH_A_CLIENT_SECRET: google.settings.secret,
    LIMIT_MAIL_PER_ADDRESS: '100000/1h',
  });
  resumeSweeps = await suspendSweeps(replicas);
});
afterAll(async () => {
  await resumeSweeps();
  await replicas.close();
  await google.close();
});

const CONCURRENCY = 50;
const ROUNDS = Number(process.env.TRUST_ROUNDS ?? 5);

/** The tests hash many passwords, and other processes share the machine. */
const TEST_TIMEOUT_MS = 3_600_000;

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

async function eachRound<T extends { name: string }>(tried: readonly T[], once: (one: T) => Promise<void>) {
  for (let round = 0; round < ROUNDS; round++) for (const one of tried) await once(one);
}

cases(
  'of many concurrent requests one succeeds, and only the rows and audit rows of that request exist',
  async (ledger) => {
    const races = [...codesAndLinks(replicas, CONCURRENCY), ...namesAndTokens(replicas, google)];
    await eachRound(races, (race) =>
      ledger.attempt(`${race.name}, ${CONCURRENCY} requests`, () => run(replicas, CONCURRENCY, race)),
    );
  },
  TEST_TIMEOUT_MS,
);

interface End {
  readonly name: string;
  /** Prepares the race and returns a function that ends the session of `user.browser`. */
  prepare(user: TestUser): Promise<(url: string) => Promise<Answer>>;
}

const as = ({ access_token }: TestUser) => bearer(access_token);
const withRole = async (platform_role: 'admin' | 'owner'): Promise<TestUser> => {
  const user = await registerUser(here());
  await setUser(replicas.database, user.user_id, { platform_role });
  return user;
};

const ENDS: readonly End[] = [
  {
    name: 'logout',
    prepare: async (user) => (url) => createBrowser(url).post('/auth/logout', undefined, as(user)),
  },
  {
    name: 'revocation',
    prepare: async (user) => (url) => createBrowser(url).delete(`/auth/sessions/${user.session_id}`, as(user)),
  },
  {
    name: 'revocation of all others',
    async prepare(user) {
      const { jar } = await signInAgain(here(), user);
      return (url) => createBrowser(url, jar).delete('/auth/sessions');
    },
  },
  {
    name: 'a password change elsewhere',
    async prepare(user) {
      const { jar } = await signInAgain(here(), user);
      const body = { current_password: user.password, new_password: 'another correct horse' };
      return (url) => createBrowser(url, jar).post('/users/me/password', body);
    },
  },
  {
    name: 'a reset',
    async prepare({ email, user_id }) {
      await createBrowser(here()).post('/auth/password/forgot', { email });
      const token = await knowToken(replicas.database, user_id, 'password_reset');
      const body = { token, new_password: 'another correct horse' };
      return (url) => createBrowser(url).post('/auth/password/reset', body);
    },
  },
  {
    name: 'a change of organization',
    async prepare(user) {
      const { organization_id } = await registerUser(here());
      await insertMembership(replicas.database, { organization_id, user_id: user.user_id });
      return (url) => createBrowser(url).post('/auth/organization', { organization_id }, as(user));
    },
  },
  {
    name: 'the account disabled',
    async prepare({ user_id }) {
      const admin = await withRole('admin');
      return (url) => createBrowser(url).patch(`/admin/users/${user_id}`, { status: 'disabled' }, as(admin));
    },
  },
  {
    name: 'the organization suspended',
    async prepare({ organization_id }) {
      const admin = await withRole('admin');
      return (url) => createBrowser(url).patch(`/admin/orgs/${organization_id}`, { suspended: true }, as(admin));
    },
  },
];

cases(
  'after a refresh that races the end of its session, no token is valid',
  async (ledger) => {
    await eachRound(ENDS, ({ name, prepare }) =>
      ledger.attempt(`${CONCURRENCY} refreshes against ${name}`, async () => {
        const user = await registerUser(here());
        const token = user.browser.jar.get('service_rt')!;
        const end = await prepare(user);
        const [ended, refreshes] = await Promise.all([
          end(there()),
          replicas.many(CONCURRENCY, (url) => refreshWith(url, token)),
        ]);
        const statuses = JSON.stringify(tally(refreshes));
        if (![200, 204].includes(ended.status)) return `the end was answered ${ended.status}`;
        const winners = refreshes.filter(({ status }) => status === 200);
        if (winners.length > 1 || refreshes.some(({ status }) => ![200, 401].includes(status)))
          return `answered ${statuses}`;
        if (!(await findSession(replicas.database, user.session_id)).revoked_at) return 'the session has not ended';
        for (const url of replicas.urls) {
          for (const left of [token, ...winners.flatMap((winner) => refreshTokenIn(winner) ?? [])]) {
            const { status } = await refreshWith(url, left);
            if (status !== 401) return `a token is answered ${status} afterwards`;
          }
          for (const { json } of winners) {
            if (!(await isRefusedInTime(url, json.access_token)))
              return 'an access token is still accepted after five seconds';
          }
        }
        return undefined;
      }),
    );
  },
  TEST_TIMEOUT_MS,
);

interface Departure {
  readonly name: string;
  readonly audited: string;
  /** Creates `count` owners, who are the only ones. */
  createOwners(count: number): Promise<TestUser[]>;
  leave(url: string, user: TestUser): Promise<Answer>;
  countOwners(accounts: readonly TestUser[]): Promise<number>;
}

const DEPARTURES: readonly Departure[] = [
  ...(
    [
      [
        'step down',
        'member.role_changed',
        (url, user) => createBrowser(url).patch(membershipPath(user), { role: 'member' }, as(user)),
      ],
      ['leave', 'member.removed', (url, user) => createBrowser(url).delete(membershipPath(user), as(user))],
    ] as [string, string, Departure['leave']][]
  ).map(([word, audited, leave]) => ({
    name: `owners of an organization ${word}`,
    audited,
    leave,
    async createOwners(count: number) {
      const first = await registerUser(here());
      const others = await replicas.many(count - 1, (url) => teammate(url, replicas.database, first, 'owner'));
      return [first, ...others];
    },
    countOwners: async ([first]: readonly TestUser[]) =>
      (await listOwners(replicas.database, first!.organization_id)).length,
  })),
  {
    name: 'platform owners step down',
    audited: 'platform_role.changed',
    async createOwners(count) {
      const { db } = replicas.database;
      await db.updateTable('users').set({ platform_role: null }).where('platform_role', '=', 'owner').execute();
      return replicas.many(count, () => withRole('owner'));
    },
    leave: (url, user) =>
      createBrowser(url).send('PUT', `/admin/users/${user.user_id}/platform-role`, {
        ...as(user),
        body: { role: null },
      }),
    async countOwners(accounts) {
      const rows = await Promise.all(accounts.map(({ user_id }) => findUser(replicas.database, user_id)));
      return rows.filter(({ platform_role }) => platform_role === 'owner').length;
    },
  },
];

function membershipPath({ organization_id, user_id }: TestUser): string {
  return `/orgs/${organization_id}/members/${user_id}`;
}

cases(
  'if all owners leave concurrently, one of them stays',
  async (ledger) => {
    const count = 20;
    await eachRound(DEPARTURES, ({ name, audited, createOwners, leave, countOwners }) =>
      ledger.attempt(`${count} ${name}`, async () => {
        const accounts = await createOwners(count);
        const since = await latestEvent(replicas);
        const answers = await replicas.many(count, (url, index) => leave(url, accounts[index]!));
        const gone = answers.filter(({ status }) => status < 300).length;
        if (gone !== count - 1 || tally(answers)[409] !== 1) return `answered ${JSON.stringify(tally(answers))}`;
        const left = await countOwners(accounts);
        if (left !== 1) return `${left} are left`;
        const trail = await successesSince(replicas, since);
        return trail.join() === Array(gone).fill(audited).join() ? undefined : `audited: ${trail}`;
      }),
    );
  },
  TEST_TIMEOUT_MS,
);
