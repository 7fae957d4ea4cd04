import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginAdding, beginSigningIn, createAuthenticator } from '../../../../test/authenticator.ts';
import { type Answer, createBrowser, newEmail, PASSWORD, registerUser } from '../../../../test/browser.ts';
import type { TestApp } from '../../../../test/harness.ts';
import { liveSessions, lockUserRow, setUser, untilBlocked } from '../../../../test/records.ts';
import { markEmailVerified } from '../../../domain/endings/verified-email.ts';
import { SYSTEM } from '../../../domain/kernel/caller.ts';
import {
  beginLink,
  comeBack,
  livingOf,
  newUser,
  startThirdParties,
  type ThirdParties,
  wordOf,
} from '../../social/oauth-fixture.ts';
import { leftIn, NOTHING_LEFT, signInByCode, squat } from './squat-fixture.ts';

let parties: ThirdParties;
let app: TestApp;
beforeAll(async () => {
  parties = await startThirdParties();
  app = parties.app;
});
afterAll(() => parties.close());

const COMPLETE = '/users/me/passkeys/register/complete';

describe('a ceremony that began before the account was reclaimed', () => {
  it('a ceremony from before a reclaim adds no passkey, neither in the session of the attacker nor in that of the owner', async () => {
    const { email, browser: attacker, user_id } = await squat(app);
    const theirs = createAuthenticator().create(await beginAdding(attacker));
    const planted = createAuthenticator().create(await beginAdding(attacker));
    const { browser: victim } = await signInByCode(app, email);
    const own = createAuthenticator().create(await beginAdding(victim));
    await victim.post('/auth/reclaim');
    expect((await attacker.post(COMPLETE, { credential: theirs })).status).toBe(401);
    for (const credential of [planted, own]) {
      expect((await victim.post(COMPLETE, { credential })).status).toBe(400);
    }
    expect(await leftIn(app, user_id)).toEqual({ ...NOTHING_LEFT, sessions: 1 });
    const fresh = createAuthenticator().create(await beginAdding(victim));
    expect((await victim.post(COMPLETE, { credential: fresh })).status).toBe(201);
  });

  it('a linking from before a reclaim links no identity', async () => {
    const { email, browser: attacker, user_id } = await squat(app);
    const fake = parties.fakes.oauth_a;
    const { browser: victim } = await signInByCode(app, email);
    const urls = { theirs: await beginLink(attacker, 'oauth_a'), own: await beginLink(victim, 'oauth_a') };
    await victim.post('/auth/reclaim');
    newUser(fake);
    for (const answer of [await comeBack(attacker, fake, urls.theirs), await comeBack(victim, fake, urls.own)]) {
      expect(wordOf(answer)).toBe('invalid_state');
    }
    expect(await livingOf(app, user_id)).toEqual([]);
    newUser(fake);
    expect((await comeBack(victim, fake, await beginLink(victim, 'oauth_a'))).json.status).toBe('linked');
  });
});

/** Sends a request that passes the guards and waits for the user's row; when it continues, its session has ended. */
async function overtaken(user_id: string, email: string, ask: () => Promise<Answer>, except?: string): Promise<Answer> {
  const letGo = await lockUserRow(app, user_id);
  const asked = ask();
  await untilBlocked(app, 1);
  await letGo((tx) =>
    markEmailVerified(tx, app.deps, SYSTEM, {
      user_id,
      email,
      now: app.clock.now(),
      hasSession: false,
      disown: { resetPolicies: true, except },
    }),
  );
  return asked;
}

describe('a request of the attacker during a reclaim', () => {
  it('a request of the attacker during a reclaim sets no first password', async () => {
    const { user_id, email, browser } = await registerUser(app);
    await setUser(app, user_id, { password_hash: null });
    const answer = await overtaken(user_id, email, () =>
      browser.post('/users/me/password', { new_password: PASSWORD }),
    );
    expect(answer.status).toBe(401);
    expect(await leftIn(app, user_id)).toEqual(NOTHING_LEFT);
  });

  it('requests no change of email, with or without a password', async () => {
    for (const password of [PASSWORD, undefined]) {
      const { user_id, email, browser } = await registerUser(app);
      if (password === undefined) await setUser(app, user_id, { password_hash: null });
      const body = { email: newEmail('attacker'), password };
      const answer = await overtaken(user_id, email, () => browser.post('/users/me/email', body));
      expect(answer.status).toBe(401);
      expect(await leftIn(app, user_id)).toEqual(NOTHING_LEFT);
    }
  });

  it('neither sends nor resends an invitation', async () => {
    const { user_id, email, browser, organization_id } = await registerUser(app);
    const path = `/orgs/${organization_id}/invitations`;
    const answer = await overtaken(user_id, email, () => browser.post(path, { email: newEmail(), role: 'owner' }));
    expect(answer.status).toBe(401);
    const other = await squat(app);
    const again = await overtaken(other.user_id, other.email, () =>
      other.browser.post(`/orgs/${other.organization_id}/invitations/${other.invitation_id}/resend`),
    );
    expect(again.status).toBe(401);
    for (const id of [user_id, other.user_id]) expect(await leftIn(app, id)).toEqual(NOTHING_LEFT);
  });

  it('to leave the organization is 401', async () => {
    const { user_id, email, browser, organization_id } = await registerUser(app);
    const leave = () => browser.delete(`/orgs/${organization_id}/members/${user_id}`);
    expect((await overtaken(user_id, email, leave)).status).toBe(401);
  });

  it('to end other sessions is 401', async () => {
    const { user_id, email, browser } = await registerUser(app);
    const { answer } = await signInByCode(app, email);
    const own = answer.json.user.session_family_id;
    const end = () => browser.delete('/auth/sessions');
    expect((await overtaken(user_id, email, end, own)).status).toBe(401);
    expect(await liveSessions(app, user_id)).toEqual([own]);
  });

  it('opens no session by password, passkey or second factor', async () => {
    const { user_id, email, factor } = await squat(app, { mfa: true });
    const challenge = { mfa_token: factor!.mfa_token, code: factor!.app.code() };
    const answer = await overtaken(user_id, email, () => createBrowser(app).post('/auth/mfa/challenge', challenge));
    expect(answer.status).toBe(401);
    expect(await liveSessions(app, user_id)).toEqual([]);

    const plain = await squat(app);
    const credential = plain.device.get(await beginSigningIn(app, plain.email));
    const byPasskey = await overtaken(plain.user_id, plain.email, () =>
      createBrowser(app).post('/auth/passkey/login/complete', { credential }),
    );
    expect(byPasskey.status).toBe(401);
    const third = await registerUser(app);
    const byPassword = await overtaken(third.user_id, third.email, () =>
      createBrowser(app).post('/auth/login', { email: third.email, password: PASSWORD }),
    );
    expect(byPassword.status).toBe(401);
    for (const id of [user_id, plain.user_id, third.user_id]) expect(await leftIn(app, id)).toEqual(NOTHING_LEFT);
  });

  it('adds no passkey and trusts no browser', async () => {
    const user = await registerUser(app);
    const credential = createAuthenticator().create(await beginAdding(user.browser));
    const added = await overtaken(user.user_id, user.email, () => user.browser.post(COMPLETE, { credential }));
    expect(added.status).toBe(401);
    const other = await registerUser(app);
    const trusted = await overtaken(other.user_id, other.email, () => other.browser.post('/auth/trusted-browsers', {}));
    expect(trusted.status).toBe(401);
    for (const { user_id } of [user, other]) expect(await leftIn(app, user_id)).toEqual(NOTHING_LEFT);
  });
});

it('401 for a reclaim whose session another reclaim has ended', async () => {
  const { user_id, email } = await squat(app);
  const { browser } = await signInByCode(app, email);
  const answer = await overtaken(user_id, email, () => browser.post('/auth/reclaim'));
  expect(answer.status).toBe(401);
  expect(await leftIn(app, user_id)).toEqual(NOTHING_LEFT);
});

it('401 for a new organization whose session has just been revoked', async () => {
  const { user_id, session_id, browser } = await registerUser(app);
  await setUser(app, user_id, { email_verified_at: app.clock.now() });
  const letGo = await lockUserRow(app, user_id);
  const asked = browser.post('/orgs', { name: 'Late' });
  await untilBlocked(app, 1);
  const revoked = { revoked_at: app.clock.now() };
  await letGo((tx) => tx.updateTable('sessions').set(revoked).where('id', '=', session_id).execute());
  expect((await asked).status).toBe(401);
});
