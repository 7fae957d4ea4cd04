import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, bearer, createBrowser, registerUser, tally } from '../../packages/server/test/browser.ts';
import { auditOf, countSessions } from '../../packages/server/test/records.ts';
import { useReplicas } from '../../packages/server/test/replicas.ts';
import { insertMembership } from '../../packages/server/test/team.ts';
import { rounds } from '../effort.ts';
import { cases, fullCases } from '../ledger.ts';

/** One user tries to fill the revocation feed, through two servers. */
const SWITCHES = rounds(12, 60);
const replicas = useReplicas(2, { LIMIT_ORGANIZATION_SWITCHES: `${SWITCHES}/10m` });

const countRevocations = async (): Promise<number> =>
  (await replicas.database.db.selectFrom('revocations').select('sid').execute()).length;

const switchTo = (url: string, token: string, organization_id: string): Promise<Answer> =>
  createBrowser(url).post('/auth/organization', { organization_id }, bearer(token));

cases('switching to the current organization adds nothing to the feed', async (ledger) => {
  const user = await registerUser(replicas.urls[0]!);
  const before = { revocations: await countRevocations(), audit: (await auditOf(replicas.database)).length };
  const answers: Answer[] = [];
  for (let call = 0; call < rounds(40, 1_000); call += 20) {
    answers.push(...(await replicas.many(20, (url) => switchTo(url, user.access_token, user.organization_id))));
  }
  ledger.enter(
    'each response is 200',
    Object.keys(tally(answers)).join() === '200' ? undefined : JSON.stringify(tally(answers)),
  );
  await ledger.attempt('no entry in the feed', async () => {
    const added = (await countRevocations()) - before.revocations;
    return added === 0 ? undefined : `${added} entries`;
  });
  await ledger.attempt('there is one session, and it is active', async () => {
    const count = await countSessions(replicas.database, user.user_id);
    return count === 1 ? undefined : `${count} sessions`;
  });
  await ledger.attempt('no row in the audit trail', async () => {
    const added = (await auditOf(replicas.database)).length - before.audit;
    return added === 0 ? undefined : `${added} rows`;
  });
});

cases('switches between organizations are limited over both servers', async (ledger) => {
  const user = await registerUser(replicas.urls[0]!);
  const other = await registerUser(replicas.urls[1]!);
  await insertMembership(replicas.database, { organization_id: other.organization_id, user_id: user.user_id });
  const organizations = [other.organization_id, user.organization_id];
  const before = await countRevocations();
  let token = user.access_token;
  const statuses: number[] = [];
  for (let round = 0; round < SWITCHES + 10; round++) {
    const { status, json } = await switchTo(replicas.either(round), token, organizations[statuses.length % 2]!);
    statuses.push(status);
    if (status !== 200) break;
    token = json.access_token;
  }
  ledger.enter(
    'the first above the limit is 429',
    statuses.indexOf(429) === SWITCHES ? undefined : `answered ${statuses.join(' ')}`,
  );
  for (const url of replicas.urls) {
    await ledger.attempt('the next switch is 429 too, at either server', async () => {
      const { status } = await switchTo(url, token, organizations[0]!);
      return status === 429 ? undefined : `answered ${status}`;
    });
  }
  await ledger.attempt('as many entries in the feed as switches', async () => {
    const added = (await countRevocations()) - before;
    return added === SWITCHES ? undefined : `${added} entries`;
  });
});

const FEED = '/.well-known/service-revocations.json';

interface Feed {
  readonly cursor: string;
  readonly partial?: true;
  readonly revocations: readonly { readonly sid: string }[];
}

const readFeed = async (url: string, after?: string): Promise<Feed> =>
  (await (await fetch(`${url}${FEED}${after ? `?after=${after}` : ''}`)).json()) as Feed;

/** Returns forged cursors of every form, made from another client's, that claim to have seen what `later` has. */
function forgeries(cursor: string, later: string): [string, string][] {
  const [instance, xmin] = cursor.split('.');
  const xmax = later.split('.')[2]!;
  const open = (count: number) => Array.from({ length: count }, (_, index) => (36 ** 5 + index).toString(36)).join('-');
  return [
    ['which has seen everything', `${instance}.${xmin}.${xmax}.`],
    ['with 50 open transactions', `${instance}.${xmin}.${xmax}.${open(50)}`],
    ['with 51 open transactions', `${instance}.${xmin}.${xmax}.${open(51)}`],
    ['with 100 open transactions', `${instance}.${xmin}.${xmax}.${open(100)}`],
    ['of a later time', `${instance}.zzzzzzz.zzzzzzz.`],
  ];
}

cases('a forged cursor hides no revocation from other clients', async (ledger) => {
  for (const [index, url] of replicas.urls.entries()) {
    const { cursor } = await readFeed(url);
    const { session_id, browser } = await registerUser(url);
    await browser.post('/auth/logout');
    let later = await readFeed(url);
    while (!later.revocations.some(({ sid }) => sid === session_id)) {
      await sleep(50);
      later = await readFeed(url);
    }
    for (const [name, made] of forgeries(cursor, later.cursor)) {
      await ledger.attempt(`${name}, at server ${index + 1}`, async () => {
        await readFeed(url, made);
        const { revocations } = await readFeed(url, cursor);
        return revocations.some(({ sid }) => sid === session_id) ? undefined : 'the revocation is not listed';
      });
    }
  }
});

fullCases('a flood of probes does not delay the feed', async (ledger) => {
  for (const url of replicas.urls) {
    let isOver = false;
    const flood = Array.from({ length: 100 }, async () => {
      while (!isOver) await (await fetch(`${url}/readyz`)).arrayBuffer();
    });
    await ledger.attempt('every request for the feed gets a response', async () => {
      for (let poll = 0; poll < 20; poll++) {
        // Waits, because the feed is cached for a second.
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        const { status } = await fetch(url + FEED, { signal: AbortSignal.timeout(5_000) });
        if (status !== 200) return `answered ${status}`;
      }
      return undefined;
    });
    isOver = true;
    await Promise.all(flood);
  }
});
