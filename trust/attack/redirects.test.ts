import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFlow } from '../../packages/server/src/domain/upstream/flow.ts';
import {
  arrive,
  arriveBy,
  begin,
  CONFIG_KEY,
  newUser,
} from '../../packages/server/src/features/social/oauth-fixture.ts';
import { safeRedirect } from '../../packages/server/src/http/redirect.ts';
import { createKeyring } from '../../packages/server/src/platform/crypto/keyring.ts';
import { createBrowser, newEmail, registerUser } from '../../packages/server/test/browser.ts';
import { startFakeProvider } from '../../packages/server/test/fake-providers/provider.ts';
import type { FakeProvider } from '../../packages/server/test/fake-providers/types.ts';
import { type LocalServer, startLocalServer } from '../../packages/server/test/in-process.ts';
import { mailsIn } from '../../packages/server/test/mailed.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { type Replicas, startReplicas } from '../../packages/server/test/replicas.ts';
import { safeRedirect as inThePage } from '../../packages/web/src/ui/redirect.ts';
import { isFull, rounds } from '../effort.ts';
import { cases } from '../ledger.ts';
import { outcome, type Raw, sendRaw } from './raw-request-fixture.ts';
import { LISTED, OWN, QUERIES, REDIRECTS, wentAstray } from './redirects-fixture.ts';
import { HOSTILE_HEADERS } from './redirects-headers-fixture.ts';
import { foreignLinkIn, HOSTILE_NAMES, linksByName, MAILINGS, PASSWORD_NEEDED } from './redirects-letters-fixture.ts';
import { untilMailed } from './unchanged-fixture.ts';

let google: FakeProvider;
let replicas: Replicas;
let behindProxy: LocalServer;
/** A server that trusts no proxy, and one that trusts every client on this machine. */
let urls: readonly string[];
beforeAll(async () => {
  google = await startFakeProvider('oauth_a');
  const env = {
    CONFIG_ENCRYPTION_KEY: CONFIG_KEY,
    REDIRECT_ORIGINS: LISTED,
    LIMIT_MAIL_PER_ACCOUNT: '100000/1m',
    LIMIT_MAIL_PER_ADDRESS: '100000/1m',
    ...google.environment,
    OAUTH_A_CLIENT_ID: google.settings.public_config.client_id!,
    OAUTH_A_CLIENT_SECRET: google.settings.secret,
  };
  replicas = await startReplicas(1, env);
  const shared = { DATABASE_URL: replicas.database.url, PUBLIC_BASE_URL: OWN, DATA_DIR: replicas.folder };
  behindProxy = await startLocalServer({ ...shared, ...env, TRUST_PROXY: '127.0.0.0/8,::1' });
  urls = [replicas.urls[0]!, behindProxy.url];
});
afterAll(async () => {
  await behindProxy.stop();
  await replicas.close();
  await google.close();
});

let next = 0;
const targets = (): readonly string[] => (isFull ? urls : [urls[next++ % 2]!]);
/** Returns every nth value; n depends on the form of the campaign, short or full. */
const some = (short: number, full: number): readonly string[] =>
  REDIRECTS.filter((_, index) => index % rounds(short, full) === 0);
const keyring = createKeyring(SECRET);

function goalOf(authorization_url: string, browser: string): string {
  const state = new URL(authorization_url).searchParams.get('state')!;
  return openFlow(keyring, 'oauth-flow', state, browser, new Date())!.redirect_to;
}

/** Checks the target itself, and how the sign-in page resolves the target, which it gets after a failed flow. */
const findFault = (goal: string): string | undefined =>
  wentAstray(goal) ??
  wentAstray(inThePage(goal, OWN, [LISTED])) ??
  (/[\r\n\\]/.test(goal) ? `holds ${goal}` : undefined);

const shown = (given: string): string => JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given);

describe('redirect_to', () => {
  it('no redirect_to of more than 150 leads to another origin', () => {
    expect(REDIRECTS.length).toBeGreaterThan(150);
    const settings = { PUBLIC_BASE_URL: OWN, REDIRECT_ORIGINS: [LISTED] };
    expect(REDIRECTS.flatMap((given) => findFault(safeRedirect(settings, given)) ?? [])).toEqual([]);
  });

  cases('redirect_to at the start of a sign-in leads to no other origin', async (ledger) => {
    const queries = [
      ...some(10, 1).map((given) => `redirect_to=${encodeURIComponent(given.toWellFormed())}`),
      ...QUERIES,
    ];
    for (const query of queries) {
      for (const url of targets()) {
        await ledger.attempt(shown(query), async () => {
          const answer = await sendRaw(url, { path: `/v1/auth/oauth/oauth_a/start?${query}` });
          if (answer.status !== 302) return `answered ${answer.status}`;
          const browser = /^service_oauth=([^;]+)/.exec(answer.set_cookies[0]!)![1]!;
          return findFault(goalOf(answer.headers.location as string, browser));
        });
      }
    }
  });

  cases('redirect_to of a link leads to no other origin', async (ledger) => {
    const user = await arriveBy(urls[0]!, google);
    const jar = [...user.browser.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = [
      ['cookie', jar],
      ['x-service-csrf', user.browser.jar.get('service_csrf')!],
      ['content-type', 'application/json'],
    ] as const;
    for (const redirect_to of some(20, 1)) {
      for (const url of targets()) {
        await ledger.attempt(shown(redirect_to), async () => {
          const asked = {
            method: 'POST',
            path: '/v1/auth/oauth/oauth_a/link',
            headers,
            body: JSON.stringify({ redirect_to }),
          };
          const answer = await sendRaw(url, asked);
          // A value that is not valid text is refused before it is resolved.
          if (outcome(answer) === '400 invalid_input') return undefined;
          if (answer.status !== 200) return outcome(answer);
          const browser =
            user.browser.jar.get('service_oauth') ?? /^service_oauth=([^;]+)/.exec(answer.set_cookies[0]!)![1]!;
          return findFault(goalOf(JSON.parse(answer.text).authorization_url, browser));
        });
      }
    }
  });

  cases('the callback leads to the allowed target or to the sign-in page', async (ledger) => {
    newUser(google);
    for (const given of some(40, 5)) {
      for (const deny of [false, true]) {
        for (const url of targets()) {
          await ledger.attempt(`${shown(given)}${deny ? ', cancelled by the user' : ''}`, async () => {
            const browser = createBrowser(url);
            const path = await arrive(browser, google, await begin(browser, 'oauth_a', given.toWellFormed()), { deny });
            const { status, headers } = await browser.get(path);
            const location = String(headers.location);
            if (status !== 302) return `${status}`;
            const onward = new URL(location, OWN).searchParams.get('redirect_to');
            return findFault(location) ?? (onward === null ? undefined : findFault(onward));
          });
        }
      }
    }
  });

  it('a sign-in leads to an allowed redirect_to', async () => {
    for (const given of ['/account?a=b#c', `${LISTED}/a`]) {
      const browser = createBrowser(urls[0]!);
      newUser(google);
      const path = await arrive(browser, google, await begin(browser, 'oauth_a', given));
      expect((await browser.get(path)).headers.location).toBe(given);
    }
  });
});

describe('a forged host', () => {
  /** Returns everything in a response that depends on the host, without random values. */
  const addressesIn = async (url: string, raw: Raw): Promise<string> => {
    const { status, headers, set_cookies, text } = await sendRaw(url, raw);
    const location = String(headers.location ?? '').replace(/(state|nonce|code_challenge)=[^&]+/g, '$1');
    const cookies = set_cookies.map((line) => line.replace(/=[^;]*/, ''));
    const nonce = /nonce-([\w+/=-]+)/.exec(String(headers['content-security-policy']))?.[1] ?? 'none';
    return JSON.stringify([status, location, cookies, text.replaceAll(nonce, '')]);
  };

  const PATHS = [
    '/v1/auth/oauth/oauth_a/start',
    '/.well-known/openid-configuration',
    '/v1/auth/providers',
    '/v1/auth/oauth/oauth_a/callback?state=x&code=y',
    '/healthz',
    '/sign-in',
  ];

  cases('a forged host changes no URL in responses', async (ledger) => {
    // The short form tries each header on one path, and all headers at once on every path.
    const hostileOn = (place: number) =>
      Object.entries(HOSTILE_HEADERS).filter(
        ([name], index) => isFull || name === 'all at once' || index % PATHS.length === place,
      );
    for (const [place, path] of PATHS.entries()) {
      for (const url of targets()) {
        const usual = await addressesIn(url, { path });
        for (const [name, headers] of hostileOn(place)) {
          await ledger.attempt(`${name}: ${path}`, async () => {
            const seen = await addressesIn(url, { path, headers });
            return seen === usual ? undefined : `${seen} in place of ${usual}`.slice(0, 600);
          });
        }
        await ledger.attempt(`an absolute target: ${path}`, async () => {
          const { status, headers, text } = await sendRaw(url, { path: `http://evil.example${path}` });
          return `${headers.location}${text}`.includes('evil.example') ? `${status} ${headers.location}` : undefined;
        });
      }
    }
  });

  cases('a forged host is in no mail and no cookie', async (ledger) => {
    for (const url of urls) {
      for (const [name, headers] of Object.entries(HOSTILE_HEADERS)) {
        for (const [kind, send] of Object.entries(MAILINGS)) {
          // Single headers are tried only in the full form, without the requests that need a password, which are slow.
          if (name !== 'all at once' && !(isFull && !PASSWORD_NEEDED.has(kind))) continue;
          await ledger.attempt(`${name}: ${kind}`, async () => {
            const answer = await send(url, headers);
            if (answer.status >= 300) return `answered ${outcome(answer)}`;
            return answer.set_cookies.find((line) => /domain=|evil|secure/i.test(line));
          });
        }
      }
    }
    await untilMailed(replicas.database);
    const mails = mailsIn(replicas);
    ledger.note(`${mails.length} mails were checked`);
    for (const page of ['verify-email', 'reset-password', 'accept-invitation']) {
      ledger.enter(
        `mails with ${page}`,
        mails.some(({ text }) => text.includes(`${OWN}/${page}?token=`)) ? undefined : 'none',
      );
    }
    for (const { subject, text, html } of mails) {
      ledger.enter(`the mail "${subject}"`, foreignLinkIn(`${subject} ${text} ${html}`));
    }
  });
});

describe('a name that a tenant has chosen', () => {
  cases('a name that a tenant has chosen makes no link in an invitation or its subject', async (ledger) => {
    const invited = new Map<string, string>();
    for (const organization_name of HOSTILE_NAMES) {
      const url = targets()[0]!;
      const { browser, organization_id } = await registerUser(url, { organization_name });
      const email = newEmail('invited');
      invited.set(email, organization_name);
      await browser.post(`/orgs/${organization_id}/invitations`, { email, role: 'member' });
    }
    await untilMailed(replicas.database);
    for (const [email, name] of invited) {
      const mail = mailsIn(replicas).find(({ to }) => to === email);
      ledger.enter(`an invitation to ${name}`, mail ? linksByName(mail) : 'was not sent');
      const isDistinguishable = mail?.text.includes('not verified') && mail.html.includes('not verified');
      ledger.enter(`the unverified sender of ${name}`, isDistinguishable ? undefined : 'is not called so');
    }
  });
});
