import { LIMITS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, createAuthenticator } from '../../../test/authenticator.ts';
import { atOnce, bearer, createBrowser, signInAgain, tally } from '../../../test/browser.ts';
import { auditOf, findUser, setUser } from '../../../test/records.ts';
import { type PasskeyTests, startPasskeys } from './passkey-fixture.ts';

let tests: PasskeyTests;
beforeAll(async () => {
  tests = await startPasskeys();
});
afterAll(() => tests.app.close());

const LIST = '/users/me/passkeys';
const removalsBy = (user_id: string) => auditOf(tests.app, { actor_id: user_id, action: 'passkey.removed' });

describe('GET /users/me/passkeys', () => {
  it('the list is 200 with the passkeys of the caller, oldest first, without key material', async () => {
    const [user, other] = [await tests.withPasskey(), await tests.withPasskey()];
    tests.app.clock.advance(1);
    const second = await addPasskey(user.browser, createAuthenticator(), { name: 'Second' });
    tests.app.clock.advance(1);
    await tests.signIn(user);
    const answer = await user.browser.get(LIST);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      items: [
        {
          id: user.passkey_id,
          name: expect.any(String),
          created_at: expect.any(String),
          last_used_at: tests.app.clock.now().toISOString(),
          device_type: 'singleDevice',
          backed_up: false,
          transports: ['hybrid', 'internal'],
          aaguid: user.device.aaguid,
          rp_id: 'localhost',
          usable: true,
        },
        second.json,
      ],
    });
    expect((await other.browser.get(LIST)).json.items.map(({ id }: { id: string }) => id)).toEqual([other.passkey_id]);
    expect((await createBrowser(tests.app).get(LIST, bearer(user.access_token))).json).toEqual(answer.json);
  });

  it('401 without a session', async () => {
    expect((await createBrowser(tests.app).get(LIST)).status).toBe(401);
  });
});

describe('PATCH /users/me/passkeys/:id', () => {
  const renamesBy = (user_id: string) => auditOf(tests.app, { actor_id: user_id, action: 'passkey.renamed' });

  it('renaming is 200 with the passkey, and audited without the name; the passkey still signs in', async () => {
    const user = await tests.withPasskey();
    const [before] = (await user.browser.get(LIST)).json.items;
    const answer = await user.browser.patch(`${LIST}/${user.passkey_id.toUpperCase()}`, { name: '  Blue key ' });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ ...before, name: 'Blue key' });
    expect((await user.browser.get(LIST)).json).toEqual({ items: [answer.json] });
    expect(await renamesBy(user.user_id)).toMatchObject([
      {
        outcome: 'success',
        organization_id: user.organization_id,
        resource_type: 'passkey',
        resource_id: user.passkey_id,
        metadata: {},
      },
    ]);
    expect((await tests.signIn(user)).status).toBe(200);
  });

  it('renaming to the current name is 200 and is not audited', async () => {
    const user = await tests.withPasskey();
    const path = `${LIST}/${user.passkey_id}`;
    const answers = await atOnce(10, () => user.browser.patch(path, { name: 'Blue key' }));
    expect(tally(answers)).toEqual({ 200: 10 });
    expect(await renamesBy(user.user_id)).toHaveLength(1);
  });

  it('renaming is 404 for an unknown or malformed id, one of another user, or a removed passkey', async () => {
    const [user, other] = [await tests.withPasskey(), await tests.withPasskey()];
    await user.browser.delete(`${LIST}/${user.passkey_id}`);
    for (const id of [uuid(), 'x', '%00', other.passkey_id, user.passkey_id]) {
      const answer = await user.browser.patch(`${LIST}/${id}`, { name: 'Mine' });
      expect(answer.status, id).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
    expect((await other.browser.get(LIST)).json.items[0].name).not.toBe('Mine');
    expect((await tests.findPasskey(user.passkey_id)).name).not.toBe('Mine');
    expect(await renamesBy(user.user_id)).toEqual([]);
  });

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: '  ' }],
    [{ name: 7 }],
    [{ name: null }],
    [{ name: 'x'.repeat(121) }],
    [{ name: 'a\u0000' }],
  ])('renaming is 400 for the body %j', async (body) => {
    const user = await tests.withPasskey();
    const answer = await user.browser.patch(`${LIST}/${user.passkey_id}`, body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message: expect.stringMatching(/^name: /) });
  });
});

describe('DELETE /users/me/passkeys/:id', () => {
  it('a removal sends the owner one mail, with the name defanged', async () => {
    const user = await tests.withPasskey();
    const path = `${LIST}/${user.passkey_id}`;
    await user.browser.patch(path, { name: 'Key of evil.com' });
    await tests.app.mailbox.take(user.email);
    for (let round = 0; round < 2; round++) expect((await user.browser.delete(path)).status).toBe(204);
    expect(await tests.app.mailbox.take(user.email)).toMatchObject([
      {
        subject: 'A passkey was removed from your account',
        text: expect.stringContaining('The passkey “Key of evil.\u200bcom” was removed from your account.'),
      },
    ]);
  });

  it('a removal sends no mail for a passkey of another user', async () => {
    const [user, other] = [await tests.withPasskey(), await tests.withPasskey()];
    for (const { email } of [user, other]) await tests.app.mailbox.take(email);
    expect((await user.browser.delete(`${LIST}/${other.passkey_id}`)).status).toBe(404);
    for (const { email } of [user, other]) expect(await tests.app.mailbox.take(email)).toEqual([]);
  });

  it('a removal is 204, also when repeated: not in the list, key deleted, audited once', async () => {
    const user = await tests.withPasskey();
    const path = `${LIST}/${user.passkey_id}`;
    const answer = await user.browser.delete(path);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await user.browser.get(LIST)).json).toEqual({ items: [] });
    expect(await tests.findPasskey(user.passkey_id)).toMatchObject({
      credential_id: null,
      public_key: null,
      revoked_at: tests.app.clock.now(),
    });
    expect((await user.browser.delete(path)).status).toBe(204);
    expect((await user.browser.delete(path.toUpperCase().replace('/USERS/ME/PASSKEYS', LIST))).status).toBe(204);
    expect(await removalsBy(user.user_id)).toMatchObject([
      {
        outcome: 'success',
        organization_id: user.organization_id,
        resource_type: 'passkey',
        resource_id: user.passkey_id,
        metadata: {},
      },
    ]);
  });

  it('ten concurrent removals: all 204, audited once', async () => {
    const user = await tests.withPasskey();
    const answers = await atOnce(10, () => user.browser.delete(`${LIST}/${user.passkey_id}`));
    expect(tally(answers)).toEqual({ 204: 10 });
    expect(await removalsBy(user.user_id)).toHaveLength(1);
  });

  it('a removal is 404 for an unknown or malformed id, or one of another user, active or removed', async () => {
    const [user, other] = [await tests.withPasskey(), await tests.withPasskey()];
    const ids = [uuid(), 'x', '%00', user.device.id, other.passkey_id];
    for (const id of ids) {
      const answer = await user.browser.delete(`${LIST}/${id}`);
      expect(answer.status, id).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
    expect((await tests.signIn(other)).status).toBe(200);
    await other.browser.delete(`${LIST}/${other.passkey_id}`);
    expect((await user.browser.delete(`${LIST}/${other.passkey_id}`)).status).toBe(404);
    expect(await removalsBy(user.user_id)).toEqual([]);
  });

  it('a removal is 409 for the last credential; it is allowed while there is a password, another passkey or an identity', async () => {
    const { app } = tests;
    const user = await tests.withPasskey();
    const path = `${LIST}/${user.passkey_id}`;
    const { password_hash } = await findUser(app, user.user_id);
    await setUser(app, user.user_id, { password_hash: null });
    const expectRejected = async () => {
      const { status, json } = await user.browser.delete(path);
      expect([status, json.error.code]).toEqual([409, 'conflict']);
      expect((await tests.signIn(user)).status).toBe(200);
      expect(await tests.findPasskey(user.passkey_id)).toMatchObject({ revoked_at: null });
    };
    await expectRejected();
    // Neither a second factor nor a removed passkey counts as a credential.
    await setUser(app, user.user_id, { mfa_enabled_at: app.clock.now() });
    await app.deps.db.updateTable('sessions').set({ aal: 'aal2', mfa_verified_at: app.clock.now() }).execute();
    await app.deps.bus.deliver([{ topic: 'user', key: user.user_id }]);
    const second = await addPasskey(user.browser, createAuthenticator());
    expect((await user.browser.delete(`${LIST}/${second.json.id}`)).status).toBe(204);
    expect((await user.browser.delete(`${LIST}/${second.json.id}`)).status).toBe(204);
    await expectRejected();
    expect(await removalsBy(user.user_id)).toHaveLength(1);
    await setUser(app, user.user_id, { password_hash });
    expect((await user.browser.delete(path)).status).toBe(204);
  });

  it('of the last two passkeys, removed concurrently, one stays', async () => {
    const user = await tests.withPasskey();
    const second = await addPasskey(user.browser, createAuthenticator());
    await setUser(tests.app, user.user_id, { password_hash: null });
    const answers = await Promise.all(
      [user.passkey_id, second.json.id].map((id) => user.browser.delete(`${LIST}/${id}`)),
    );
    expect(tally(answers)).toEqual({ 204: 1, 409: 1 });
  });

  it('a passkey can be removed in an old session: removing a credential needs no fresh authentication', async () => {
    const user = await tests.withPasskey();
    tests.app.clock.advance(16 * 60);
    await user.browser.post('/auth/refresh');
    expect((await user.browser.delete(`${LIST}/${user.passkey_id}`)).status).toBe(204);
  });

  it('401 without a session, 403 by cookie without CSRF', async () => {
    const user = await tests.withPasskey();
    const path = `${LIST}/${user.passkey_id}`;
    expect((await createBrowser(tests.app).delete(path)).status).toBe(401);
    const forged = await user.browser.delete(path, { csrf: false });
    expect(forged.status).toBe(403);
    expect(forged.json.error.code).toBe('csrf_failed');
    expect((await tests.signIn(user)).status).toBe(200);
    const elsewhere = await signInAgain(tests.app, user);
    expect((await elsewhere.delete(path)).status).toBe(204);
  });
});

describe('the sweep of passkeys', () => {
  it('the sweep deletes used challenges five minutes after their expiry, and removed passkeys after 90 days', async () => {
    const user = await tests.withPasskey();
    const kept = await addPasskey(user.browser, createAuthenticator());
    await tests.signIn(user);
    await user.browser.delete(`${LIST}/${user.passkey_id}`);
    const { db } = tests.app.deps;
    const challenges = async () => (await db.selectFrom('passkey_challenges').select('id').execute()).length;
    const ids = async () => (await tests.passkeysOf(user.user_id)).map(({ id }) => id);
    tests.app.clock.advance(LIMITS.passkey.challenge + 200);
    await tests.app.sweeper.pass();
    expect(await challenges()).toBeGreaterThanOrEqual(3);
    expect(await ids()).toHaveLength(2);
    tests.app.clock.advance(200);
    await tests.app.sweeper.pass();
    expect(await challenges()).toBe(0);
    tests.app.clock.advance(LIMITS.revokedKept - 900);
    await tests.app.sweeper.pass();
    expect(await ids()).toHaveLength(2);
    tests.app.clock.advance(500);
    await tests.app.sweeper.pass();
    expect(await ids()).toEqual([kept.json.id]);
  });
});
