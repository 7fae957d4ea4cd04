import { describe, expect, it } from 'vitest';
import { bearer, createBrowser, registerUser, tally } from '../browser.ts';
import { auditOf, countSessions, liveSessions, setUser } from '../records.ts';
import { isRefusedInTime } from '../replicas.ts';
import { challenge, createAuthenticatorApp, enrolNew, halfSignIn, verify } from '../second-factor.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';
import { ROUNDS, useProcesses } from './processes-fixture.ts';

const replicas = useProcesses();

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

async function countChallenges(user_id: string): Promise<Record<string, number>> {
  const rows = await auditOf(replicas.database, {
    actor_id: user_id,
    action: ['auth.mfa.challenge.failed', 'auth.mfa.challenge.locked', 'auth.mfa.challenge.succeeded'],
  });
  const counts: Record<string, number> = {};
  for (const { action, metadata } of rows) {
    const word = `${action.split('.').at(-1)}${metadata.reason ? ` ${metadata.reason}` : ''}`;
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

describe('second factors on two servers', () => {
  it('20 concurrent wrong codes: five are checked, each is audited and the lock is audited once; then the right code is refused', async () => {
    const account = await enrolNew(here());
    const token = await halfSignIn(there(), account);
    const code = account.app.wrong();
    const answers = await replicas.many(20, (url) => challenge(url, token, { code }));
    expect(tally(answers)).toEqual({ 401: 5, 429: 15 });
    expect((await challenge(there(), token, { code: account.app.code() })).status).toBe(429);
    expect(await countChallenges(account.user_id)).toEqual({ 'failed mismatch': 5, locked: 1, 'failed locked': 16 });
    expect(await countSessions(replicas.database, account.user_id)).toBe(1);
  });

  it('20 concurrent requests with the right code open one session', async () => {
    const account = await enrolNew(here());
    const token = await halfSignIn(here(), account);
    const code = account.app.code();
    expect(tally(await replicas.many(20, (url) => challenge(url, token, { code })))).toEqual({ 200: 1, 401: 19 });
    expect(await liveSessions(replicas.database, account.user_id)).toHaveLength(2);
    expect((await countChallenges(account.user_id)).succeeded).toBe(1);
  });

  it('20 concurrent requests with one recovery code open one session, and so do nine with different codes and one token', async () => {
    const account = await enrolNew(here());
    const [recovery_code] = account.recovery_codes;
    const token = await halfSignIn(here(), account);
    const same = await replicas.many(20, (url) => challenge(url, token, { recovery_code }));
    expect(tally(same)).toEqual({ 200: 1, 401: 19 });
    const next = await halfSignIn(here(), account);
    const others = await replicas.many(9, (url, index) =>
      challenge(url, next, { recovery_code: account.recovery_codes[index + 1] }),
    );
    expect(tally(others)).toEqual({ 200: 1, 401: 8 });
    // A recovery code that was refused is not consumed.
    const { json } = await account.browser.get('/auth/mfa/status');
    expect(json.recovery_codes_remaining).toBe(8);
  });

  it('one TOTP code in concurrent challenges and a step-up is accepted once', async () => {
    const account = await enrolNew(here());
    const tokens = await replicas.many(5, (url) => halfSignIn(url, account));
    const code = account.app.code();
    const answers = await replicas.many(10, (url, index) =>
      index < 5 ? challenge(url, tokens[index]!, { code }) : verify(url, account.access_token, { code }),
    );
    expect(tally(answers)[200]).toBe(1);
  });

  it('20 concurrent requests enable MFA once', async () => {
    const account = await registerUser(here());
    const { json } = await account.browser.post('/auth/mfa/setup');
    const app = createAuthenticatorApp(here(), json.secret);
    const code = app.code();
    const answers = await replicas.many(20, (url) =>
      createBrowser(url).post('/auth/mfa/enable', { code }, bearer(account.access_token)),
    );
    expect(tally(answers)).toEqual({ 200: 1, 409: 19 });
  });

  it('a challenge that races a password change leaves no session of the old password', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await enrolNew(here());
      const tokens = await replicas.many(5, (url) => halfSignIn(url, account));
      const [changed, answers] = await Promise.all([
        account.browser.post('/users/me/password', {
          current_password: account.password,
          new_password: `a new password, round ${round}`,
        }),
        replicas.many(5, (url, index) =>
          challenge(url, tokens[index]!, { recovery_code: account.recovery_codes[index] }),
        ),
      ]);
      expect(changed.status).toBe(204);
      expect(await liveSessions(replicas.database, account.user_id)).toEqual([account.session_id]);
      for (const { json } of answers) {
        if (json.access_token) expect(await isRefusedInTime(there(), json.access_token)).toBe(true);
      }
    }
  });

  it('an MFA reset on one server ends the step-up of sessions on the other', async () => {
    const boss = await registerUser(here());
    await setUser(replicas.database, boss.user_id, { platform_role: 'admin' });
    const admin = createBrowser(here());
    await admin.post('/auth/login', boss);
    const account = await enrolNew(there());
    const verifiedAt = async () =>
      (await createBrowser(there()).get('/auth/session', bearer(account.access_token))).json.user.mfa_verified_at;
    expect(await verifiedAt()).not.toBeNull();
    expect((await admin.post(`/admin/users/${account.user_id}/mfa/reset`)).status).toBe(204);
    await expect.poll(verifiedAt, { timeout: INVALIDATED_WITHIN_MS }).toBeNull();
  });
});
