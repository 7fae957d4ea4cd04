import { describe } from 'vitest';
import { addPasskey, createAuthenticator } from '../../packages/server/test/authenticator.ts';
import {
  type Answer,
  type Browser,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  signInAgain,
  type TestUser,
} from '../../packages/server/test/browser.ts';
import { findSession, setAuthTime, setSession, setUser } from '../../packages/server/test/records.ts';
import { useReplicas } from '../../packages/server/test/replicas.ts';
import { enrol, enrolNew } from '../../packages/server/test/second-factor.ts';
import { cases, fullCases } from '../ledger.ts';
import { changedTables, fingerprint } from './unchanged-fixture.ts';

const replicas = useReplicas();

const here = () => replicas.urls[0]!;
const at = (url: string, { jar }: Browser): Browser => createBrowser(url, new Map(jar));

/** Moves the sign-in and the second factor of a session to yesterday, so that neither is recent. */
async function age({ session_id }: Pick<TestUser, 'session_id'>): Promise<void> {
  const yesterday = new Date(Date.now() - 24 * 3600 * 1000);
  const { mfa_verified_at } = await findSession(replicas.database, session_id);
  await setAuthTime(replicas.database, session_id, yesterday);
  await setSession(replicas.database, session_id, { mfa_verified_at: mfa_verified_at && yesterday });
}

async function platformOwner<P extends TestUser>(account: P): Promise<P> {
  await setUser(replicas.database, account.user_id, { platform_role: 'owner' });
  return account;
}

/** Returns a session from before MFA was enabled, which stays `aal1`. */
async function withoutFactor(): Promise<{ account: TestUser; browser: Browser }> {
  const account = await registerUser(here());
  const browser = await signInAgain(here(), account);
  await enrol(here(), account);
  return { account, browser };
}

/** Returns the response if it is not 401 `mfa_required` with this remedy. */
const refusedWith = (stepUp: string, { status, json, headers }: Answer): string | undefined => {
  const seen = [status, json?.error?.code, headers['x-service-step-up']].join(' ');
  return seen === `401 mfa_required ${stepUp}` ? undefined : seen;
};

interface Attempt {
  readonly name: string;
  readonly stepUp: string;
  readonly browser: Browser;
  readonly send: (browser: Browser) => Promise<Answer>;
}

async function attempts(): Promise<Attempt[]> {
  const target = await registerUser(here());
  const owner = await platformOwner(await registerUser(here()));
  const verifiedOwner = await platformOwner(await enrolNew(here()));
  const old = await registerUser(here());
  const aal2 = await enrolNew(here());
  const singleFactor = await withoutFactor();
  const singleFactorOwner = await withoutFactor();
  await platformOwner(singleFactorOwner.account);
  for (const account of [owner, verifiedOwner, old, aal2]) await age(account);
  const put = (body: unknown, path: string) => (browser: Browser) => browser.send('PUT', path, { body });
  const grant = put({ role: 'owner' }, `/admin/users/${target.user_id}/platform-role`);
  const trust = (browser: Browser) => browser.post('/auth/trusted-browsers', {});
  const change = { current_password: PASSWORD, new_password: 'another correct horse' };
  return [
    { name: 'a day-old owner session grants owner', stepUp: 'sign_in', browser: owner.browser, send: grant },
    { name: 'a day-old aal2 owner grants owner', stepUp: 'second_factor', browser: verifiedOwner.browser, send: grant },
    {
      name: 'an aal1 owner with MFA on grants owner',
      stepUp: 'second_factor',
      browser: singleFactorOwner.browser,
      send: grant,
    },
    { name: 'a day-old session trusts its browser', stepUp: 'sign_in', browser: old.browser, send: trust },
    { name: 'a day-old aal2 session trusts its browser', stepUp: 'second_factor', browser: aal2.browser, send: trust },
    { name: 'an aal1 session trusts its browser', stepUp: 'second_factor', browser: singleFactor.browser, send: trust },
    {
      name: 'an aal1 session changes the password',
      stepUp: 'second_factor',
      browser: singleFactor.browser,
      send: (browser) => browser.post('/users/me/password', change),
    },
    {
      name: 'an aal1 session changes the email',
      stepUp: 'second_factor',
      browser: singleFactor.browser,
      send: (browser) => browser.post('/users/me/email', { email: newEmail(), password: PASSWORD }),
    },
    {
      name: 'an owner without any factor changes a provider',
      stepUp: 'enroll',
      browser: owner.browser,
      send: put({ enabled: false }, '/admin/integrations/oauth_a'),
    },
  ];
}

describe('a stolen session', () => {
  cases('a stolen session that is old, or has one of two factors, is refused and changes nothing', async (ledger) => {
    const all = await attempts();
    const before = await fingerprint(replicas.database);
    for (const url of replicas.urls) {
      for (const { name, stepUp, browser, send } of all) {
        await ledger.attempt(name, async () => refusedWith(stepUp, await send(at(url, browser))));
      }
    }
    const changed = changedTables(before, await fingerprint(replicas.database));
    ledger.enter('nothing has changed', changed.length > 0 ? `changed ${changed}` : undefined);
  });

  cases('a stolen session is aal1 on every replica after an administrator has reset MFA', async (ledger) => {
    const owner = await platformOwner(await registerUser(here()));
    const victim = await enrolNew(here());
    for (const url of replicas.urls) await at(url, victim.browser).get('/auth/session');
    await at(here(), owner.browser).post(`/admin/users/${victim.user_id}/mfa/reset`);
    await ledger.attempt('the stored session', async () => {
      const { aal, mfa_verified_at } = await findSession(replicas.database, victim.session_id);
      return aal === 'aal1' && mfa_verified_at === null ? undefined : `${aal} ${mfa_verified_at}`;
    });
    await ledger.attempt('a trusted browser, once MFA is on again', async () => {
      const browser = await signInAgain(here(), victim);
      const { session_family_id: session_id } = (await browser.get('/auth/session')).json.user;
      await enrol(here(), { ...victim, browser, session_id });
      return refusedWith(
        'second_factor',
        await at(replicas.urls[1]!, victim.browser).post('/auth/trusted-browsers', {}),
      );
    });
  });

  cases('a browser trusted with a stolen session is not trusted after all sessions have ended', async (ledger) => {
    const account = await enrolNew(here());
    const thief = createBrowser(here(), new Map(account.browser.jar));
    await thief.post('/auth/trusted-browsers', {});
    await account.browser.send('DELETE', '/auth/sessions?include_current=true');
    for (const url of replicas.urls) {
      await ledger.attempt('password and trust cookie', async () => {
        const browser = createBrowser(url, new Map([['service_trust', thief.jar.get('service_trust')!]]));
        const { json } = await browser.post('/auth/login', { email: account.email, password: account.password });
        return json.status === 'mfa_required' ? undefined : `answered ${json.status}`;
      });
    }
  });

  fullCases(
    'a stolen session cannot remove the last sign-in method with concurrent requests at two servers',
    async (ledger) => {
      for (let round = 0; round < 3; round++) {
        const account = await registerUser(here());
        const made = [
          await addPasskey(account.browser, createAuthenticator()),
          await addPasskey(account.browser, createAuthenticator()),
        ];
        await setUser(replicas.database, account.user_id, { password_hash: null });
        await ledger.attempt('both of two passkeys', async () => {
          const answers = await Promise.all(
            made.map(({ json }, index) =>
              at(replicas.urls[index]!, account.browser).delete(`/users/me/passkeys/${json.id}`),
            ),
          );
          const seen = answers.map(({ status }) => status).sort((left, right) => left - right);
          return seen.join(' ') === '204 409' ? undefined : `answered ${seen}`;
        });
      }
    },
  );
});
