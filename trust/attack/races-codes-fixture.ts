import { bearer, createBrowser, newEmail, PASSWORD, registerUser } from '../../packages/server/test/browser.ts';
import { CODE, mailed } from '../../packages/server/test/mailed.ts';
import { findUser, knowInvitation, knowToken, liveSessions } from '../../packages/server/test/records.ts';
import type { Replicas } from '../../packages/server/test/replicas.ts';
import { challenge, enrolNew, halfSignIn, verify } from '../../packages/server/test/second-factor.ts';
import type { Race } from './races-fixture.ts';

async function invite({ database, urls }: Replicas, email: string): Promise<string> {
  const owner = await registerUser(urls[0]!);
  const path = `/orgs/${owner.organization_id}/invitations`;
  const { json } = await owner.browser.post(path, { email, role: 'member' });
  return knowInvitation(database, json.id);
}

async function oneCodeUsed({ database: { db } }: Replicas, user_id: string): Promise<string | undefined> {
  const rows = await db.selectFrom('recovery_codes').select('used_at').where('user_id', '=', user_id).execute();
  const used = rows.filter(({ used_at }) => used_at !== null).length;
  return used === 1 ? undefined : `${used} codes are used`;
}

export function codesAndLinks(replicas: Replicas, concurrency: number): readonly Race[] {
  const here = () => replicas.urls[0]!;
  return [
    {
      name: 'an emailed code',
      async prepare() {
        const { email } = await registerUser(here());
        await createBrowser(here()).post('/auth/email-otp/request', { email });
        const code = await mailed(replicas, email, CODE);
        return {
          request: (url) => createBrowser(url).post('/auth/email-otp/verify', { email, code }),
          won: 200,
          lost: [401],
          rows: { sessions: 1, one_time_tokens: -1 },
          audited: ['auth.email_otp.succeeded'],
        };
      },
    },
    {
      name: 'a code of an authenticator app, at the challenge',
      async prepare() {
        const user = await enrolNew(here());
        const token = await halfSignIn(here(), user);
        const code = user.app.code();
        return {
          request: (url) => challenge(url, token, { code }),
          won: 200,
          lost: [401],
          rows: { sessions: 1 },
          audited: ['auth.mfa.challenge.succeeded'],
        };
      },
    },
    {
      name: 'a code of an authenticator app, at many challenges',
      async prepare() {
        const user = await enrolNew(here());
        const tokens = await replicas.many(concurrency, (url) => halfSignIn(url, user));
        const code = user.app.code();
        return {
          request: (url, index) => challenge(url, tokens[index]!, { code }),
          won: 200,
          lost: [401],
          rows: { sessions: 1 },
          audited: ['auth.mfa.challenge.succeeded'],
        };
      },
    },
    {
      name: 'a recovery code, at the challenge',
      async prepare() {
        const user = await enrolNew(here());
        const token = await halfSignIn(here(), user);
        return {
          request: (url) => challenge(url, token, { recovery_code: user.recovery_codes[0] }),
          won: 200,
          lost: [401],
          rows: { sessions: 1 },
          audited: ['auth.mfa.challenge.succeeded'],
          after: () => oneCodeUsed(replicas, user.user_id),
        };
      },
    },
    {
      name: 'a recovery code, by a signed-in user',
      async prepare() {
        const user = await enrolNew(here());
        const [recovery_code] = user.recovery_codes;
        return {
          request: (url) => verify(url, user.verified_token, { recovery_code }),
          won: 200,
          // After five wrong codes, further codes are not checked (429).
          lost: [401, 429],
          rows: { sessions: 0 },
          audited: ['mfa.verified'],
          after: () => oneCodeUsed(replicas, user.user_id),
        };
      },
    },
    {
      name: 'a link to reset the password',
      async prepare() {
        const { email, user_id } = await registerUser(here());
        await createBrowser(here()).post('/auth/password/forgot', { email });
        const token = await knowToken(replicas.database, user_id, 'password_reset');
        const passwordOf = (index: number) => `a new password, number ${index}`;
        return {
          request: (url, index) =>
            createBrowser(url).post('/auth/password/reset', { token, new_password: passwordOf(index) }),
          won: 204,
          lost: [401],
          rows: { sessions: 0 },
          audited: ['auth.password_reset.consumed'],
          async after(_winner, index) {
            if ((await liveSessions(replicas.database, user_id)).length > 0) return 'a session lives on';
            const { status } = await createBrowser(here()).post('/auth/login', { email, password: passwordOf(index) });
            return status === 200 ? undefined : `its password is answered ${status}`;
          },
        };
      },
    },
    {
      name: 'a link to verify the email',
      async prepare() {
        const { user_id } = await registerUser(here());
        const token = await knowToken(replicas.database, user_id, 'email_verification');
        return {
          request: (url) => createBrowser(url).post('/auth/email/verify', { token }),
          won: 204,
          lost: [401],
          rows: { one_time_tokens: -1 },
          audited: ['auth.email.verified'],
          after: async () =>
            (await findUser(replicas.database, user_id)).email_verified_at ? undefined : 'it is not verified',
        };
      },
    },
    {
      name: 'a link to another email',
      async prepare() {
        const { browser, user_id } = await registerUser(here());
        const email = newEmail('changed');
        await browser.post('/users/me/email', { email, password: PASSWORD });
        const token = await knowToken(replicas.database, user_id, 'email_change');
        return {
          request: (url) => createBrowser(url).post('/auth/email/verify', { token }),
          won: 204,
          lost: [401],
          rows: { users: 0 },
          audited: ['auth.email.changed'],
          after: async () =>
            (await findUser(replicas.database, user_id)).email === email ? undefined : 'it is still the old one',
        };
      },
    },
    {
      name: 'an invitation, by a new user',
      async prepare() {
        const token = await invite(replicas, newEmail('invited'));
        return {
          request: (url) => createBrowser(url).post('/auth/invitations/accept', { token, password: PASSWORD }),
          won: 200,
          lost: [409],
          rows: { users: 1, memberships: 1, sessions: 1 },
          audited: ['invitation.accepted'],
        };
      },
    },
    {
      name: 'an invitation, by a signed-in user',
      async prepare() {
        const user = await registerUser(here());
        const token = await invite(replicas, user.email);
        return {
          request: (url) => createBrowser(url).post('/auth/invitations/accept', { token }, bearer(user.access_token)),
          won: 200,
          lost: [409],
          rows: { users: 0, memberships: 1, sessions: 0 },
          audited: ['auth.email.verified', 'invitation.accepted'],
        };
      },
    },
  ];
}
