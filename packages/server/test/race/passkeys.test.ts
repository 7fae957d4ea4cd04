import { describe, expect, it } from 'vitest';
import { addPasskey, beginAdding, beginSigningIn, createAuthenticator, withPasskey } from '../authenticator.ts';
import { type Browser, createBrowser, registerUser, signInAgain, tally } from '../browser.ts';
import { auditOf, countSessions, knowToken } from '../records.ts';
import { ROUNDS, useProcesses } from './processes-fixture.ts';

const replicas = useProcesses();

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;
const COMPLETE = '/users/me/passkeys/register/complete';

const at = (url: string, { jar }: Browser): Browser => createBrowser(url, new Map(jar));
const signIn = (url: string, credential: unknown) =>
  createBrowser(url).post('/auth/passkey/login/complete', { credential });
const livingOf = (user_id: string) =>
  replicas.database.db
    .selectFrom('passkeys')
    .select('id')
    .where('user_id', '=', user_id)
    .where('revoked_at', 'is', null)
    .execute();

describe('passkeys on two servers', () => {
  it('a registration and a sign-in begun on one server complete on the other', async () => {
    const user = await registerUser(here());
    const device = createAuthenticator();
    const credential = device.create(await beginAdding(user.browser));
    expect((await at(there(), user.browser).post(COMPLETE, { credential })).status).toBe(201);
    const options = await beginSigningIn(here(), user.email);
    expect((await signIn(there(), device.get(options))).status).toBe(200);
  });

  it('decoy passkeys of an unknown email are the same on both servers', async () => {
    const options = await Promise.all(replicas.urls.map((url) => beginSigningIn(url, 'nobody@example.com')));
    const [first, second] = options as { allowCredentials: unknown }[];
    expect(first!.allowCredentials).toEqual(second!.allowCredentials);
  });

  it('20 requests with the same signature, of a passkey without a counter, open one session', async () => {
    const user = await withPasskey(here(), createAuthenticator({ counts: false }));
    const credential = user.device.get(await beginSigningIn(here(), user.email));
    const answers = await replicas.many(20, (url) => signIn(url, credential));
    expect(tally(answers)).toEqual({ 200: 1, 401: 19 });
    expect(await countSessions(replicas.database, user.user_id)).toBe(2);
    const events = await auditOf(replicas.database, { resource_id: user.user_id, action: 'auth.passkey.login' });
    expect(events.filter(({ outcome }) => outcome === 'success')).toHaveLength(1);
    expect(events).toHaveLength(20);
  });

  it('copies of a passkey with equal counters: one signs in', async () => {
    const user = await withPasskey(here());
    const credentials = await replicas.many(20, async (url) =>
      user.device.get(await beginSigningIn(url, user.email), { counter: 1 }),
    );
    const answers = await replicas.many(20, (url, index) => signIn(url, credentials[index]));
    expect(tally(answers)).toEqual({ 200: 1, 401: 19 });
  });

  it('20 registrations of the same credential: one succeeds', async () => {
    const user = await registerUser(here());
    const device = createAuthenticator();
    const answers = await replicas.many(20, (url) => addPasskey(at(url, user.browser), device));
    expect(tally(answers)).toEqual({ 201: 1, 409: 19 });
    expect(await livingOf(user.user_id)).toHaveLength(1);
  });

  it('six users with the same credential: one registers it', async () => {
    const accounts = await replicas.many(6, (url) => registerUser(url));
    const device = createAuthenticator();
    const answers = await Promise.all(accounts.map(({ browser }) => addPasskey(browser, device)));
    expect(tally(answers)).toEqual({ 201: 1, 409: 5 });
  });

  it('20 credentials for one challenge: one is added', async () => {
    const user = await registerUser(here());
    const options = await beginAdding(user.browser);
    const answers = await replicas.many(20, (url) =>
      at(url, user.browser).post(COMPLETE, { credential: createAuthenticator().create(options) }),
    );
    expect(tally(answers)).toEqual({ 201: 1, 400: 19 });
  });
});

describe('a session that ends on one server', () => {
  it('adds no passkey on the other server, which does not know yet that it has ended', async () => {
    const user = await registerUser(here());
    const thief = await signInAgain(there(), user);
    const credential = createAuthenticator().create(await beginAdding(thief));
    expect((await user.browser.delete('/auth/sessions')).status).toBe(204);
    expect((await thief.post(COMPLETE, { credential })).status).toBe(401);
    expect(await livingOf(user.user_id)).toEqual([]);
  });

  it('adds no passkey after its end, also by concurrent requests', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const thief = await signInAgain(there(), user);
      const credentials = await replicas.many(8, async (url) =>
        createAuthenticator().create(await beginAdding(at(url, thief))),
      );
      const adding = replicas.many(8, (url, index) =>
        at(url, thief).post(COMPLETE, { credential: credentials[index] }),
      );
      expect((await user.browser.delete('/auth/sessions')).status).toBe(204);
      const before = await livingOf(user.user_id);
      const answers = await adding;
      for (const { status } of answers) expect([201, 401]).toContain(status);
      expect(await livingOf(user.user_id)).toEqual(before);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(before.length);
    }
  });
});

describe('the last credential of an account', () => {
  it('one passkey stays if the last two credentials of an account are removed concurrently', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await withPasskey(here());
      const second = await addPasskey(user.browser, createAuthenticator());
      await replicas.database.db
        .updateTable('users')
        .set({ password_hash: null })
        .where('id', '=', user.user_id)
        .execute();
      const ids = [user.passkey_id, second.json.id];
      const answers = await Promise.all(
        ids.map((id, index) => at(replicas.urls[index]!, user.browser).delete(`/users/me/passkeys/${id}`)),
      );
      expect(tally(answers)).toEqual({ 204: 1, 409: 1 });
      expect(await livingOf(user.user_id)).toHaveLength(1);
    }
  });
});

describe('a password reset of an account that someone else registered', () => {
  it('leaves no passkey of concurrent registrations', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const thief = await registerUser(there());
      await createBrowser(here()).post('/auth/password/forgot', { email: thief.email });
      const token = await knowToken(replicas.database, thief.user_id, 'password_reset');
      const [reset] = await Promise.all([
        createBrowser(here()).post('/auth/password/reset', { token, new_password: 'another correct horse' }),
        replicas.many(6, (url) => addPasskey(at(url, thief.browser), createAuthenticator()).catch(() => undefined)),
      ]);
      expect(reset.status).toBe(204);
      expect(await livingOf(thief.user_id)).toEqual([]);
    }
  });
});
