import { normalizeEmail } from '@gatehouse/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { type FakeMailServer, startFakeMailServer } from '../../packages/server/test/fake-mail-server.ts';
import { isFull, rounds, SEED } from '../effort.ts';
import { cases, type Ledger } from '../ledger.ts';
import { type Answer, ask, codeOf, JSON_TYPE, jsonOf } from './ask-fixture.ts';
import { changeDuring } from './rows-fixture.ts';
import { type Account, type Service, startService } from './service-fixture.ts';
import { ADDRESSES, BREAKS, IDS, type Likeness, MOMENTS, NAMES, PAGES } from './texts-fixture.ts';
import { type AskAs, askAs, type Items, type Place, placesOf } from './texts-places-fixture.ts';

let post: FakeMailServer;
let service: Service;
let platformOwner: Account;
let owner: Account;
let as: AskAs;
beforeAll(async () => {
  post = await startFakeMailServer();
  service = await startService(2, { SMTP_URL: post.url });
  platformOwner = await service.insertUser({ platform_role: 'owner', aal: 'aal2', mfa_verified_at: new Date() });
  owner = await service.insertUser();
  as = askAs(service);
});
afterAll(async () => {
  await service.close();
  await post.close();
});

async function tryText({ keep, read }: Place, text: string): Promise<string | undefined> {
  const answer = await keep(text);
  if (answer.status === 400) return undefined;
  if (answer.status >= 300) return `${answer.status} ${answer.text}`;
  const kept = await read(answer);
  // Names are trimmed, and a blank name is stored as no name.
  const isSame = kept === text || (kept ?? '') === text.trim();
  return isSame ? undefined : `came back as ${JSON.stringify(kept)}`;
}

const shown = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

cases(
  'a stored text is returned unchanged by the other server, or was refused',
  async (ledger) => {
    const places = placesOf(as, { owner, platformOwner });
    ledger.note(`texts are drawn by --seed ${SEED}`);
    for (const [offset, place] of places.entries()) {
      for (const text of shareOf(NAMES, offset, places.length))
        await ledger.attempt(`${place.name} ${shown(text)}`, () => tryText(place, text));
      await fc.check(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 20 }), async (text) => {
          await ledger.attempt(`${place.name} ${JSON.stringify(text)}`, () => tryText(place, text));
        }),
        { numRuns: rounds(2, 300), seed: SEED },
      );
    }
    ledger.enter('no server has failed', service.complaint());
  },
  300_000,
);

cases('an email address that looks like another belongs to a different account, or is refused', async (ledger) => {
  const ada = 'ada.king@example.com';
  const register = (email: string) =>
    as(undefined, 'POST', '/v1/auth/register', {
      email,
      password: 'correct horse battery',
      organization_name: 'Ada',
    });
  expect((await register(ada)).status).toBe(201);
  await expect.poll(() => post.mails.length, { interval: 20 }).toBe(1);
  const checkAddress = (typed: string, likeness: Likeness) =>
    ledger.attempt(`${shown(typed)} is ${likeness}`, async () => {
      const answer = await register(typed);
      const seen = { 201: 'another', 400: 'refused', 409: 'the same' }[answer.status] ?? answer.text;
      if (seen !== likeness || likeness !== 'another') return seen === likeness ? undefined : `it is ${seen}`;
      const { email } = jsonOf<{ user: { email: string } }>(answer).user;
      return email === normalizeEmail(typed) ? undefined : `it became ${JSON.stringify(email)}`;
    });
  const others = ADDRESSES.filter(([, likeness]) => likeness === 'another').map(([typed]) => typed);
  const change = await changeDuring(service.database, async () => {
    for (const [typed, likeness] of ADDRESSES) if (likeness !== 'another') await checkAddress(typed, likeness);
  });
  ledger.enter('rejected addresses write nothing', change);
  for (const typed of others) await checkAddress(typed, 'another');
  // Requesting a password reset for a similar email must send no mail to Ada.
  for (const email of others) await as(undefined, 'POST', '/v1/auth/password/forgot', { email });
  const expected = 1 + 2 * others.length;
  await expect.poll(() => post.mails.length, { interval: 20 }).toBe(expected);
  const toAda = post.mails.slice(1).filter(({ to }) => to.includes(ada));
  ledger.enter('no mail to these addresses is delivered to Ada', toAda.length > 0 ? `${toAda.length} did` : undefined);
});

cases('no text starts a new line in a header or a mail', async (ledger) => {
  const places: readonly (readonly [string, string, (text: string) => string])[] = [
    ['GET', 'redirect_to', (text) => `/v1/auth/oauth/oauth_a/start?redirect_to=/${text}`],
    ['GET', 'the provider', (text) => `/v1/auth/oauth/${text}/start`],
    ['GET', 'error', (text) => `/v1/auth/oauth/oauth_a/callback?error=${text}&state=${text}`],
    ['GET', 'an unknown path', (text) => `/${text}`],
    ['GET', 'a picture', (text) => `/v1/avatars/${text}`],
  ];
  for (const [index, text] of BREAKS.entries()) {
    for (const [method, name, path] of isFull ? places : [places[index % places.length]!]) {
      await ledger.attempt(`${name} ${text}`, async () => plantedIn(await as(undefined, method, path(text))));
    }
    await ledger.attempt(`a page ${text}`, async () =>
      plantedIn(await ask(service.url(), { method: 'GET', path: `/sign-in?redirect_to=${text}` })),
    );
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await ledger.attempt(`a posted form ${text}`, async () => {
      const asked = { method: 'POST', path: '/v1/auth/oauth/oauth_a/callback', headers: form };
      const answer = await ask(service.url(), { ...asked, body: `state=${text}&code=${text}&user=${text}` });
      return answer.status === 303 ? plantedIn(answer) : `${answer.status} ${answer.text}`;
    });
  }
  // A test run uses only names with characters that are special in mail headers.
  const names = NAMES.filter((name) => isFull || /[\r\n=<,]/.test(name));
  for (const name of names) await ledger.attempt(`a mail of ${shown(name)}`, () => inviteAs(name));
});

function plantedIn({ status, headers, text }: Answer): string | undefined {
  if ('x-planted' in headers || /^x-planted/im.test(text)) return `it is there: ${JSON.stringify(headers)}`;
  return status >= 500 ? `${status} ${text}` : undefined;
}

let invited = 0;

/** Puts the name into the subject of an invitation. */
async function inviteAs(name: string): Promise<string | undefined> {
  const renamed = await as(platformOwner, 'PATCH', `/v1/admin/orgs/${owner.organization_id}`, { name });
  if (renamed.status === 400) return undefined;
  const email = `invited-${++invited}@example.com`;
  const { status } = await as(owner, 'POST', `/v1/orgs/${owner.organization_id}/invitations`, {
    email,
    role: 'member',
  });
  if (status !== 201) return `the invitation was answered ${status}`;
  const mine = () => post.mails.filter(({ to }) => to.includes(email));
  await expect.poll(() => mine().length, { interval: 5 }).toBe(1);
  const [{ to, raw }] = mine() as [FakeMailServer['mails'][number]];
  if (to.length !== 1) return `it went to ${to}`;
  const [head = ''] = raw.toString('latin1').split('\r\n\r\n');
  const names = [...head.matchAll(/^([^\s:]+):/gm)].map(([, header]) => header!.toLowerCase());
  const odd = names.filter(
    (header) =>
      !/^(from|to|subject|message-id|date|mime-version|content-type|content-transfer-encoding|auto-submitted)$/.test(
        header,
      ),
  );
  return odd.length > 0 ? `it has the header ${odd}` : undefined;
}

const search = async (q: string): Promise<string[]> => {
  const answer = await as(platformOwner, 'GET', `/v1/admin/orgs?page_size=100&q=${encodeURIComponent(q)}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return jsonOf<{ items: { name: string }[] }>(answer).items.map(({ name }) => name);
};

const findMembers = async (q: string): Promise<string[]> => {
  const path = `/v1/orgs/${owner.organization_id}/members?q=${encodeURIComponent(q)}`;
  return jsonOf<{ items: { email: string }[] }>(await as(owner, 'GET', path)).items.map(({ email }) => email);
};

const findUsers = async (q: string): Promise<string[]> => {
  const path = `/v1/admin/users?page_size=100&q=${encodeURIComponent(q)}`;
  return jsonOf<{ items: { display_name: string }[] }>(await as(platformOwner, 'GET', path)).items.map(
    ({ display_name }) => display_name,
  );
};

/** With characters that are special in quotes, globs and regular expressions, but not in LIKE. */
const SPECIAL_ELSEWHERE = ["a'z", 'a"z', 'a*z', 'a?z', 'a.z', 'a|z', 'a$z', 'a^z'];
const LITERAL = ['a%z', 'a_z', 'a\\z', 'a\\%z', 'a\\\\z', 'a%%z', 'aXz', ...(isFull ? SPECIAL_ELSEWHERE : [])];

cases('a search has no wildcards: it finds exactly the given text', async (ledger) => {
  const accounts = [];
  for (const name of LITERAL) {
    const account = await service.insertUser();
    await as(account, 'PATCH', '/v1/users/me', { display_name: `fuzz ${name}` });
    await as(platformOwner, 'PATCH', `/v1/admin/orgs/${account.organization_id}`, { name: `fuzz ${name}` });
    accounts.push(account);
  }
  const needles = [
    ...LITERAL.map((name) => name.slice(1, -1)).filter((needle) => /[^X.]/.test(needle)),
    ...(isFull ? LITERAL : []),
    '%_',
    '_%',
    '\\_',
    'fuzz a',
    '%fuzz%',
  ];
  for (const needle of needles) {
    const expected = LITERAL.map((name) => `fuzz ${name}`).filter((name) =>
      name.toLowerCase().includes(needle.toLowerCase()),
    );
    const isMine = (name: string | null) => name?.startsWith('fuzz ') ?? false;
    for (const [kind, find] of [
      ['organizations', search],
      ['users', findUsers],
    ] as const) {
      await ledger.attempt(`${kind} ${JSON.stringify(needle)}`, async () => {
        const found = (await find(needle)).filter(isMine);
        return String(found.sort()) === String([...expected].sort()) ? undefined : `found ${found.join(' ')}`;
      });
    }
    await ledger.attempt(`members ${JSON.stringify(needle)}`, async () => {
      const found = await findMembers(needle);
      return found.length === 0 ? undefined : `found ${found.join(' ')}`;
    });
  }
});

/** Returns the values to try in this place: all of them, or in the short form an equal share for each place. */
const shareOf = <T>(values: readonly T[], place: number, places: number): readonly T[] =>
  values.filter((_, index) => isFull || (index + place) % places === 0);

const readingOnly = async (ledger: Ledger, work: () => Promise<void>): Promise<void> =>
  ledger.enter('nothing is written', await changeDuring(service.database, work));

cases('page numbers, times and ids are parsed strictly, or refused with the name of the field', (ledger) =>
  readingOnly(ledger, async () => {
    const lists = ['/v1/admin/orgs', '/v1/admin/users', '/v1/audit-logs'];
    for (const [index, path] of lists.entries()) {
      for (const [query, expected] of shareOf(PAGES, index, lists.length)) {
        await ledger.attempt(`${path}?${query}`, async () => {
          const answer = await as(platformOwner, 'GET', `${path}?${query}`);
          if (expected === 400)
            return answer.status === 400 ? undefined : `${answer.status} ${answer.text.slice(0, 99)}`;
          const { page, page_size } = jsonOf<{ page: number; page_size: number }>(answer);
          const isRight = page === expected.page && page_size === expected.page_size;
          return isRight ? undefined : `${answer.status}, page ${page} of ${page_size}`;
        });
      }
    }
    for (const [index, name] of ['from', 'to'].entries()) {
      for (const [moment, isOne] of shareOf(MOMENTS, index, 2)) {
        await ledger.attempt(`${name}=${moment}`, async () => {
          const { status } = await as(platformOwner, 'GET', `/v1/audit-logs?${name}=${moment}`);
          return status === (isOne ? 200 : 400) ? undefined : `answered ${status}`;
        });
      }
    }
    for (const [name, make, statuses] of IDS) {
      await ledger.attempt(`an id ${name}`, async () => {
        const { status } = await as(platformOwner, 'GET', `/v1/users/${make(owner.user_id)}`);
        return statuses.includes(status) ? undefined : `answered ${status}`;
      });
    }
  }),
);

cases('the stored user agent is short and clean', async (ledger) => {
  for (const agent of ['\xff\xfe\x80 odd', '\t', 'x'.repeat(8_000), "';drop table sessions", 'é \u00ad <b>', '{}']) {
    await ledger.attempt(`User-Agent ${shown(agent)}`, async () => {
      const asked = { method: 'POST', path: '/v1/auth/login', headers: { ...JSON_TYPE, 'user-agent': agent } };
      const body = JSON.stringify({ email: owner.email, password: 'correct horse battery staple' });
      const answer = await ask(service.url(), { ...asked, body });
      if (answer.status !== 200) return `${answer.status} ${codeOf(answer)}`;
      const { items } = jsonOf<Items>(await as(owner, 'GET', '/v1/auth/sessions'));
      const odd = items.filter(
        ({ user_agent }) => /[^\x20-\x7e\xa0-\xff]/.test(String(user_agent)) || String(user_agent).length > 512,
      );
      return odd.length > 0 ? `kept as ${JSON.stringify(odd[0])}` : undefined;
    });
  }
});
