import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  bearer,
  createBrowser,
  registerUser,
  signInAgain,
  type TestUser,
} from '../../packages/server/test/browser.ts';
import { isFull, rounds } from '../effort.ts';
import type { Ledger } from '../ledger.ts';
import { type Site, until } from './site-fixture.ts';

type End = (site: Site, user: TestUser) => Promise<{ status: number }>;

const hereOf = ({ urls }: Site): string => urls[0]!;

const asOwner = (site: Site, method: string, path: string, body?: unknown): Promise<Answer> =>
  createBrowser(hereOf(site)).send(method, path, {
    ...bearer(site.owner.access_token),
    ...(body !== undefined && { body }),
  });

const ENDS: Readonly<Record<string, End>> = {
  'signed out': (_site, { browser }) => browser.post('/auth/logout'),
  'signed out everywhere': (_site, { browser }) => browser.delete('/auth/sessions?include_current=true'),
  'password changed elsewhere': async (site, user) =>
    (await signInAgain(hereOf(site), user)).post('/users/me/password', {
      current_password: user.password,
      new_password: 'another horse, another battery',
    }),
  'account disabled': (site, { user_id }) => asOwner(site, 'PATCH', `/admin/users/${user_id}`, { status: 'disabled' }),
  'account deleted': (site, { user_id }) => asOwner(site, 'DELETE', `/admin/users/${user_id}`),
  'organization suspended': (site, { organization_id }) =>
    asOwner(site, 'PATCH', `/admin/orgs/${organization_id}`, { suspended: true }),
};

interface Cut {
  readonly name: string;
  /** Whether the case runs only in the full form. */
  readonly long?: boolean;
  begin(site: Site): unknown;
  end(site: Site): unknown;
}

const CUTS: readonly Cut[] = [
  { name: 'refused', begin: ({ relays }) => relays[1]!.refuse(), end: ({ relays }) => relays[1]!.pass() },
  {
    name: 'in silence, for good',
    long: true,
    begin: ({ relays }) => relays[1]!.swallow(),
    end: ({ relays }) => relays[1]!.pass({ lost: true }),
  },
];

interface Seen {
  /** Milliseconds from the acknowledged end of the session to the last request that was accepted. */
  readonly lastAccepted: number;
  readonly refused: number;
}

/** Disconnects the second replica from its database while the first one ends sessions that both have cached. */
export async function cutOffReplica(site: Site, ledger: Ledger): Promise<void> {
  for (const cut of CUTS) if (isFull || !cut.long) await cutOff(site, ledger, cut);
}

async function cutOff(site: Site, ledger: Ledger, cut: Cut): Promise<void> {
  const here = hereOf(site);
  const statusThere = async (token: string): Promise<number> =>
    (await createBrowser(site.urls[1]!).get('/auth/session', bearer(token))).status;
  const watch = async (token: string): Promise<Seen> => {
    const since = performance.now();
    for (let lastAccepted = 0; ; await sleep(rounds(200, 20))) {
      const asked = performance.now() - since;
      const status = await statusThere(token);
      if (status !== 200 || asked > 30_000) return { lastAccepted, refused: status };
      lastAccepted = asked;
    }
  };

  const accounts = await Promise.all(Object.keys(ENDS).map(() => registerUser(here)));
  const bystander = await registerUser(here);
  for (const { access_token } of [...accounts, bystander]) {
    if ((await statusThere(access_token)) !== 200) throw new Error('a session is not known at the other replica');
  }
  await cut.begin(site);
  const seen = await Promise.all(
    Object.entries(ENDS).map(async ([name, end], index) => {
      const { status } = await end(site, accounts[index]!);
      if (status >= 300) throw new Error(`${name} was answered ${status}`);
      return watch(accounts[index]!.access_token);
    }),
  );
  const latest = Math.max(...seen.map(({ lastAccepted }) => lastAccepted));
  ledger.note(`cut off, ${cut.name}: accepted until ${Math.round(latest)} ms after the end of a session`);
  await ledger.attempt(
    `cut off, ${cut.name}: /readyz reports that it is not ready, and the other replica serves requests`,
    async () => {
      await until('it is not ready', async () => (await site.readiness(1)) === 503);
      await registerUser(here);
      return (await site.readiness(0)) === 200 ? undefined : 'the other one is not ready either';
    },
  );
  await cut.end(site);
  await until('it serves again', async () => (await statusThere(bystander.access_token)) === 200);
  for (const [index, name] of Object.keys(ENDS).entries()) {
    await ledger.attempt(`cut off, ${cut.name}: ${name}`, async () => {
      const { lastAccepted, refused } = seen[index]!;
      if (refused === 200) return 'it was never refused';
      if (isFull && lastAccepted > 5_000) return `it was accepted until ${Math.round(lastAccepted)} ms after the end`;
      const after = await statusThere(accounts[index]!.access_token);
      return after === 401 ? undefined : `once it was back, it answered ${after}`;
    });
  }
}
