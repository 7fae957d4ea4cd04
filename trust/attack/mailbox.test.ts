import { describe } from 'vitest';
import { createBrowser, PASSWORD, registerUser } from '../../packages/server/test/browser.ts';
import { findUser, knowToken, liveSessions } from '../../packages/server/test/records.ts';
import { isRefusedInTime, startReplicas, useReplicas } from '../../packages/server/test/replicas.ts';
import { enrol } from '../../packages/server/test/second-factor.ts';
import { cases } from '../ledger.ts';
import { RETURNS, signInByCode, squat, TRIES } from './mailbox-fixture.ts';

const replicas = useReplicas();

describe('an email that an attacker registered first', () => {
  cases('no credential of the attacker is valid after the mailbox owner has taken over the account', async (ledger) => {
    for (const { name, mfa, take } of RETURNS) {
      const loot = await squat(replicas, { mfa });
      const taken = await take(replicas, loot);
      await ledger.attempt(`${name}: 204, and the email is verified`, async () => {
        const { email_verified_at } = await findUser(replicas.database, loot.user_id);
        return taken.status === 204 && email_verified_at ? undefined : `answered ${taken.status}`;
      });
      await ledger.attempt(`${name}: the session is refused everywhere within five seconds`, async () => {
        const refused = await Promise.all(replicas.urls.map((url) => isRefusedInTime(url, loot.access_token)));
        return refused.every(Boolean) ? undefined : 'it still opens something';
      });
      for (const [index, [what, attempt]] of Object.entries(TRIES).entries()) {
        await ledger.attempt(`${name}: ${what}`, async () => {
          const answer = await attempt(replicas.either(index), loot);
          if (answer === undefined) return undefined;
          return [401, 409].includes(answer.status) ? undefined : `answered ${answer.status}: ${answer.text}`;
        });
      }
    }
  });

  cases('signing in by code shows unproven credentials, which the attacker cannot hide', async (ledger) => {
    const { email, browser: attacker } = await registerUser(replicas.urls[0]!);
    const owner = await signInByCode(replicas, email);
    const shown = async () => String((await owner.get('/auth/session')).json.user.extensions.unproven_credentials);
    await ledger.attempt('the password', async () => {
      const hint = await shown();
      return hint === 'password' ? undefined : hint;
    });
    await ledger.attempt('a second factor that the attacker adds afterwards', async () => {
      await enrol(replicas.urls[0]!, { ...(await registerUser(replicas.urls[0]!)), browser: attacker });
      const hint = await shown();
      return hint === 'password,totp' ? undefined : hint;
    });
  });

  cases('only a recent sign-in by code can reclaim the account; a session by password cannot', async (ledger) => {
    const account = await registerUser(replicas.urls[0]!);
    for (const url of replicas.urls) {
      await ledger.attempt(`the session of the registration at ${url}`, async () => {
        const { status } = await createBrowser(url, new Map(account.browser.jar)).post('/auth/reclaim');
        return status === 403 ? undefined : `answered ${status}`;
      });
    }
  });
});

describe('INITIAL_OWNER_EMAIL in production', () => {
  cases(
    'an attacker who registered INITIAL_OWNER_EMAIL loses access when the mailbox owner verifies the email',
    async (ledger) => {
      for (const [way, path, more] of [
        ['link', '/auth/email/verify', {}],
        ['reset', '/auth/password/reset', { new_password: 'chosen by the owner' }],
      ] as const) {
        const email = `boss-${way}@example.com`;
        const production = await startReplicas(1, {
          NODE_ENV: 'production',
          PUBLIC_BASE_URL: 'https://id.example.com',
          INITIAL_OWNER_EMAIL: email,
          SMTP_URL: 'smtp://127.0.0.1:9',
          EMAIL_FROM: 'id@example.com',
        });
        try {
          const url = production.urls[0]!;
          const attacker = await enrol(url, await registerUser(url, { email }));
          await createBrowser(url).post('/auth/password/forgot', { email });
          const kind = way === 'link' ? 'email_verification' : 'password_reset';
          const token = await knowToken(production.database, attacker.user_id, kind);
          const done = await createBrowser(url).post(path, { token, ...more });
          await ledger.attempt(`by ${way}: the role is granted`, async () => {
            const { platform_role, mfa_enabled_at } = await findUser(production.database, attacker.user_id);
            const granted = done.status === 204 && platform_role === 'owner' && mfa_enabled_at === null;
            return granted ? undefined : `answered ${done.status}, role ${platform_role}`;
          });
          await ledger.attempt(`by ${way}: the attacker's session and password are refused`, async () => {
            const session = await attacker.browser.get('/auth/session');
            const login = await createBrowser(url).post('/auth/login', { email, password: PASSWORD });
            const left = await liveSessions(production.database, attacker.user_id);
            return session.status === 401 && login.status === 401 && left.length === 0
              ? undefined
              : `answered ${session.status} and ${login.status}, ${left.length} sessions left`;
          });
        } finally {
          await production.close();
        }
      }
    },
  );
});
