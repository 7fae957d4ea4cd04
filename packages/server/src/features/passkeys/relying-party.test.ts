import { describe, expect, it } from 'vitest';
import { addPasskey, createAuthenticator, type Keyholder } from '../../../test/authenticator.ts';
import { createBrowser } from '../../../test/browser.ts';
import { setUser } from '../../../test/records.ts';
import { forSuite } from '../../../test/suite.ts';
import { findSecondFactors } from '../../domain/mfa/queries.ts';
import { DEFAULT_POLICY } from '../../domain/policy/policy.ts';
import { canBreakGlass, countAffected } from '../../domain/policy/queries.ts';
import type { Environment } from '../../platform/config/load.ts';
import { type PasskeyTests, startPasskeys } from './passkey-fixture.ts';

const OLD = 'https://id-old.example.com';
const NEW = 'https://id-new.example.com';
const LIST = '/users/me/passkeys';

const atOld = (environment: Environment = {}) =>
  startPasskeys({ environment: { PUBLIC_BASE_URL: OLD, ...environment } });

/** The same service, on the same database, with other settings. */
const moved = ({ app: { clock, database } }: PasskeyTests, environment: Environment) =>
  startPasskeys({ clock, database, environment });

const suite = (environment: Environment = {}) =>
  forSuite(async () => {
    const tests = await atOld(environment);
    return { tests, close: () => tests.app.close() };
  });

const addedAtOld = (tests: PasskeyTests) => tests.withPasskey(createAuthenticator({ origin: OLD }));

const offeredTo = async (tests: PasskeyTests, { device, email }: Keyholder) => {
  const { allowCredentials } = (await tests.begin(email)) as { allowCredentials: { id: string }[] };
  return allowCredentials.some(({ id }) => id === device.id);
};

async function signedInByPassword({ app }: PasskeyTests, { email, password }: Keyholder) {
  const browser = createBrowser(app);
  expect((await browser.post('/auth/login', { email, password })).status).toBe(200);
  return browser;
}

describe('a passkey after a move of the service', () => {
  const parent = suite({ PASSKEY_RP_ID: 'example.com' });
  const host = suite();

  it('works at the new host if PASSKEY_RP_ID is a parent of both', async () => {
    const user = await addedAtOld(parent.tests);
    const after = await moved(parent.tests, { PUBLIC_BASE_URL: NEW, PASSKEY_RP_ID: 'example.com' });
    expect(await offeredTo(after, user)).toBe(true);
    expect((await after.signIn(user, { origin: NEW })).status).toBe(200);
    expect((await after.signIn(user, { origin: OLD })).status).toBe(401);
    const browser = await signedInByPassword(after, user);
    expect((await browser.get(LIST)).json.items).toMatchObject([{ rp_id: 'example.com', usable: true }]);
    await after.app.close();
  });

  it('without PASSKEY_RP_ID is listed as not usable and not offered', async () => {
    const user = await addedAtOld(host.tests);
    expect((await user.browser.get(LIST)).json.items).toMatchObject([{ rp_id: 'id-old.example.com', usable: true }]);
    const after = await moved(host.tests, { PUBLIC_BASE_URL: NEW });
    expect(await offeredTo(after, user)).toBe(false);
    const answer = await after.signIn(user, { origin: NEW, rpId: 'id-old.example.com' });
    expect(answer.status).toBe(401);
    const browser = await signedInByPassword(after, user);
    expect((await browser.get(LIST)).json.items).toMatchObject([{ rp_id: 'id-old.example.com', usable: false }]);
    const renamed = await browser.patch(`${LIST}/${user.passkey_id}`, { name: 'Old' });
    expect(renamed.json).toMatchObject({ name: 'Old', usable: false });
    const { json } = await browser.post(`${LIST}/register/begin`);
    expect(json.publicKey).toMatchObject({ rp: { id: 'id-new.example.com' }, excludeCredentials: [] });
    await after.app.close();
  });

  it('of another id is not the last credential, and can always be removed', async () => {
    const user = await addedAtOld(host.tests);
    const after = await moved(host.tests, { PUBLIC_BASE_URL: NEW });
    const browser = await signedInByPassword(after, user);
    const added = await addPasskey(browser, createAuthenticator({ origin: NEW }));
    expect(added.json).toMatchObject({ rp_id: 'id-new.example.com', usable: true });
    await setUser(after.app, user.user_id, { password_hash: null });
    expect((await browser.delete(`${LIST}/${added.json.id}`)).status).toBe(409);
    expect((await browser.delete(`${LIST}/${user.passkey_id}`)).status).toBe(204);
    expect((await browser.delete(`${LIST}/${added.json.id}`)).status).toBe(409);
    await after.app.close();
  });

  it('of another id can be removed by a user without any other credential', async () => {
    const user = await addedAtOld(host.tests);
    const after = await moved(host.tests, { PUBLIC_BASE_URL: NEW });
    const browser = await signedInByPassword(after, user);
    await setUser(after.app, user.user_id, { password_hash: null });
    expect((await browser.delete(`${LIST}/${user.passkey_id}`)).status).toBe(204);
    await after.app.close();
  });

  it('of another id counts neither as a second factor nor in policies', async () => {
    const { user_id, organization_id } = await addedAtOld(host.tests);
    const { db, clock } = host.tests.app.deps;
    const countedFor = async (id: string) => {
      const relyingParty = { id, host: id };
      const policy = { ...DEFAULT_POLICY, require_mfa: true };
      const rules = { relyingParty, organization_id, policy, first_factors: null, domains: [], now: clock.now() };
      const allowed = { password: false, passkey: true };
      return {
        factor: (await findSecondFactors(db, user_id, relyingParty))?.has_passkey,
        breaksGlass: await db
          .transaction()
          .execute((tx) => canBreakGlass(tx, { organization_id, relyingParty }, allowed)),
        without: (await countAffected(db, rules)).require_mfa,
      };
    };
    expect(await countedFor('id-old.example.com')).toEqual({ factor: true, breaksGlass: true, without: 0 });
    expect(await countedFor('id-new.example.com')).toEqual({ factor: false, breaksGlass: false, without: 1 });
  });

  it('added by the previous version, without an id, belongs to the host of PUBLIC_BASE_URL', async () => {
    const user = await addedAtOld(host.tests);
    await host.tests.app.deps.db
      .updateTable('passkeys')
      .set({ rp_id: null })
      .where('id', '=', user.passkey_id)
      .execute();
    expect((await user.browser.get(LIST)).json.items).toMatchObject([{ rp_id: 'id-old.example.com', usable: true }]);
    expect(await offeredTo(host.tests, user)).toBe(true);
    const under = await moved(host.tests, { PUBLIC_BASE_URL: OLD, PASSKEY_RP_ID: 'example.com' });
    expect(await offeredTo(under, user)).toBe(false);
    await under.app.close();
  });
});

describe('related origins', () => {
  const RELATED = 'https://login.example.org';
  const PATH = '/.well-known/webauthn';
  const with_ = suite({ PASSKEY_ORIGINS: `${RELATED},https://login.example.net:8443` });
  const without = suite();

  it('are listed for browsers; 404 without any', async () => {
    const answer = await createBrowser(with_.tests.app).get(PATH);
    expect(answer).toMatchObject({ status: 200, json: { origins: [RELATED, 'https://login.example.net:8443'] } });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect((await createBrowser(without.tests.app).get(PATH)).status).toBe(404);
  });

  it('are accepted in registration and sign-in if PASSKEY_ORIGINS lists them', async () => {
    const user = await with_.tests.withPasskey(createAuthenticator({ origin: RELATED }));
    expect((await with_.tests.signIn(user)).status).toBe(200);
    expect((await with_.tests.signIn(user, { origin: OLD })).status).toBe(200);
    expect((await with_.tests.signIn(user, { origin: 'https://evil.example.org' })).status).toBe(401);
    const other = await addedAtOld(without.tests);
    expect((await without.tests.signIn(other, { origin: RELATED })).status).toBe(401);
  });
});
