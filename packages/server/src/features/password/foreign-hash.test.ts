import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import {
  atOnce,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { countingRows, findUser, setUser } from '../../../test/records.ts';
import { enrolNew } from '../../../test/second-factor.ts';
import { firebaseString } from '../../domain/passwords/hashes/firebase-scrypt.ts';
import { bcryptHash, FIREBASE } from '../../domain/passwords/hashes/hashes-fixture.ts';
import { createHashKeys, storeHashKey } from '../../domain/passwords/hashes/keys.ts';
import { createKeyring, type Keyring } from '../../platform/crypto/keyring.ts';
import { sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import { resealColumn } from '../../platform/db/reseal.ts';
import { transact } from '../../platform/db/transact.ts';

const app = useTestApp({ realHashes: true });

const ARGON2ID_HASH = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const login = (email: string, password = PASSWORD) => createBrowser(app).post('/auth/login', { email, password });
const hashOf = async ({ user_id }: Pick<TestUser, 'user_id'>) => (await findUser(app, user_id)).password_hash!;

async function importUser(): Promise<TestUser> {
  const user = await registerUser(app);
  await setUser(app, user.user_id, { password_hash: await bcryptHash(PASSWORD) });
  return user;
}

describe('an imported hash', () => {
  it('several concurrent sign-ins with an imported hash all succeed, and the hash is replaced by argon2id', async () => {
    const user = await importUser();
    expect(tally(await atOnce(4, () => login(user.email)))).toEqual({ 200: 4 });
    expect(await hashOf(user)).toMatch(ARGON2ID_HASH);
  });

  it('is replaced after the right password, even before the second factor, and never after a wrong one', async () => {
    const user = await enrolNew(app);
    const before = await bcryptHash(PASSWORD);
    await setUser(app, user.user_id, { password_hash: before });
    expect((await login(user.email, 'wrong')).status).toBe(401);
    expect(await hashOf(user)).toBe(before);
    const half = await login(user.email);
    expect(half.json.status).toBe('mfa_required');
    expect(await hashOf(user)).toMatch(ARGON2ID_HASH);
    const whole = await createBrowser(app).post('/auth/mfa/challenge', {
      mfa_token: half.json.mfa_token,
      code: user.app.code(),
    });
    expect(whole.json.status).toBe('success');
    expect((await login(user.email)).json.status).toBe('mfa_required');
  });

  it('bcrypt: characters after byte 72 do not become part of the password', async () => {
    const user = await registerUser(app);
    const password = `${'long '.repeat(15)}ending`;
    await setUser(app, user.user_id, { password_hash: await bcryptHash(password) });
    expect((await login(user.email, `${password}, mistyped`)).status).toBe(200);
    expect((await login(user.email, password)).status).toBe(200);
    expect(await hashOf(user)).toMatch(/^\$2b\$/);
  });

  it('is replaced after the right password, even if the sign-in is 403 because of the organization', async () => {
    const user = await importUser();
    const refused = await createBrowser(app).post('/auth/login', {
      email: user.email,
      password: PASSWORD,
      organization_id: uuid(),
    });
    expect(refused.status).toBe(403);
    expect(await hashOf(user)).toMatch(ARGON2ID_HASH);
  });

  it('the password of an imported hash can be confirmed and changed', async () => {
    const user = await importUser();
    expect((await user.browser.post('/auth/mfa/disable', { password: 'wrong' })).status).toBe(401);
    expect((await user.browser.post('/auth/mfa/disable', { password: PASSWORD })).status).toBe(204);
    expect((await user.browser.post('/users/me/email', { email: newEmail(), password: PASSWORD })).status).toBe(204);
    const change = { current_password: PASSWORD, new_password: 'another password of mine' };
    expect((await user.browser.post('/users/me/password', { ...change, current_password: 'wrong' })).status).toBe(401);
    expect((await user.browser.post('/users/me/password', change)).status).toBe(204);
    expect(await hashOf(user)).toMatch(ARGON2ID_HASH);
    expect((await login(user.email, 'another password of mine')).status).toBe(200);
  });

  it('§5.10: a wrong password and unknown, disabled and password-less accounts get the same response for mixed kinds of hashes', async () => {
    const [wrong, disabled, without] = [await importUser(), await importUser(), await importUser()];
    await setUser(app, disabled.user_id, { status: 'disabled' });
    await setUser(app, without.user_id, { password_hash: null });
    await app.deps.passwords.reload();
    const seen = [];
    for (const [email, password] of [
      [wrong.email, 'wrong'],
      [newEmail(), PASSWORD],
      [disabled.email, PASSWORD],
      [without.email, PASSWORD],
    ] as const) {
      const { result, rows } = await countingRows(app, ['audit_events', 'rate_counters'], () => login(email, password));
      seen.push({ status: result.status, text: result.text, rows });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ status: 401, rows: { audit_events: 1, rate_counters: 2 } });
  });
});

describe('the key of a Firebase project', () => {
  const KEY = Buffer.from(FIREBASE.hash_config.base64_signer_key, 'base64');
  const base64 = (text: string) => Buffer.from(text, 'base64');

  it('is sealed with the service secret: with another secret nothing matches, and rewrap re-seals it', async () => {
    const { db, keyring, clock } = app.deps;
    const key_id = await transact(db, (tx) => storeHashKey(tx, { keyring }, KEY, clock.now()));
    expect(await transact(db, (tx) => storeHashKey(tx, { keyring }, KEY, clock.now()))).toBe(key_id);
    const stored = firebaseString({
      mem_cost: 14,
      rounds: 8,
      key_id,
      salt: base64(FIREBASE.salt),
      separator: base64('Bw=='),
      hash: base64(FIREBASE.passwordHash),
    });
    const user = await registerUser(app);
    await setUser(app, user.user_id, { password_hash: stored });

    const [next, lost] = ['a secret that comes next, long enough', 'a secret that nobody had, long enough'];
    const other = createKeyring(next);
    const rewrap = (under: Keyring) => resealColumn(db, under, sealedColumnsOf('foreign_hash_keys')[0]!);
    expect(await createHashKeys({ db, keyring: other }).find(key_id)).toBeUndefined();
    expect(await rewrap(createKeyring(next, lost))).toEqual({ done: 0, lost: 1 });
    const moving = createKeyring(next, app.deps.config.JWT_SECRET);
    expect(await createHashKeys({ db, keyring: moving }).find(key_id)).toEqual(KEY);
    expect(await rewrap(moving)).toEqual({ done: 1, lost: 0 });
    expect(await rewrap(moving)).toEqual({ done: 0, lost: 0 });
    expect(await createHashKeys({ db, keyring: other }).find(key_id)).toEqual(KEY);

    // This replica only has the old secret, so nothing matches; it reports no error.
    await app.deps.passwords.reload();
    expect((await login(user.email, FIREBASE.password)).status).toBe(401);
    await rewrap(createKeyring(app.deps.config.JWT_SECRET, next));
    await app.deps.passwords.reload();
    expect((await login(user.email, FIREBASE.password)).status).toBe(200);
    expect(await hashOf(user)).toMatch(ARGON2ID_HASH);
  });
});
