import { LIMITS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, createAuthenticator } from '../../../test/authenticator.ts';
import { createBrowser, type TestUser } from '../../../test/browser.ts';
import { auditOf, setUser } from '../../../test/records.ts';
import {
  arriveBy,
  identitiesOf,
  linkWith,
  livingOf,
  newUser,
  signInWith,
  startThirdParties,
  type ThirdParties,
  wordOf,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const LIST = '/users/me/identities';
const google = () => third.fakes.oauth_a;
const github = () => third.fakes.oauth_b;
const listOf = async ({ browser }: TestUser) => (await browser.get(LIST)).json.items;
const unlink = ({ browser }: TestUser, id: string) => browser.delete(`${LIST}/${id}`);
/** A user whose only credentials are two identities: GitHub, then Google. */
const withTwo = async () => {
  const account = await arriveBy(third.app, github());
  const external = newUser(google());
  third.app.clock.advance(5);
  const { json } = await linkWith(account.browser, google());
  const [first] = await livingOf(third.app, account.user_id);
  return { ...account, google: external, github_id: first!.id, google_id: json.identity.id as string };
};

describe('GET /users/me/identities', () => {
  it('the list is 200: active identities, oldest first, with the public fields only', async () => {
    const { clock } = third.app;
    const began = clock.now().toISOString();
    const account = await withTwo();
    const linked = clock.now().toISOString();
    clock.advance(60);
    google().person = account.google;
    await signInWith(third.app, google());
    expect((await account.browser.get(LIST)).json).toEqual({
      items: [
        { id: account.github_id, provider: 'oauth_b', email: account.email, linked_at: began, last_used_at: began },
        {
          id: account.google_id,
          provider: 'oauth_a',
          email: account.google.email,
          linked_at: linked,
          last_used_at: clock.now().toISOString(),
        },
      ],
    });
  });

  it('the list: 401 without a session; it has only identities of the caller, and is empty if there are none', async () => {
    expect((await createBrowser(third.app).get(LIST)).status).toBe(401);
    await withTwo();
    const account = await arriveBy(third.app, google());
    expect(await listOf(account)).toHaveLength(1);
    await setUser(third.app, account.user_id, { password_hash: 'a hash' });
    await unlink(account, (await listOf(account))[0].id);
    expect(await listOf(account)).toEqual([]);
  });
});

describe('DELETE /users/me/identities/:id', () => {
  it('unlinking is 204, also when repeated, and audited once; the row keeps nothing that could be used to sign in', async () => {
    const { app } = third;
    const account = await withTwo();
    app.clock.advance(60);
    const answer = await unlink(account, account.google_id.toUpperCase());
    expect([answer.status, answer.text, answer.set_cookies]).toEqual([204, '', []]);
    app.clock.advance(60);
    expect((await unlink(account, account.google_id)).status).toBe(204);
    expect((await listOf(account)).map(({ id }: { id: string }) => id)).toEqual([account.github_id]);
    const [, gone] = await identitiesOf(app, account.user_id);
    const revoked_at = new Date(app.clock.now().getTime() - 60_000);
    expect(gone).toMatchObject({ id: account.google_id, subject: null, email: null, revoked_at });
    expect(await auditOf(app, { actor_id: account.user_id, action: 'auth.oauth.unlinked' })).toMatchObject([
      {
        organization_id: account.organization_id,
        resource_type: 'identity',
        resource_id: account.google_id,
        outcome: 'success',
        metadata: { provider: 'oauth_a' },
      },
    ]);
  });

  it('unlinking is 404 for an unknown id, one of another user and a malformed one; nothing is removed', async () => {
    const [account, other] = [await withTwo(), await withTwo()];
    for (const id of [uuid(), other.google_id, 'nonsense', `${other.google_id}0`]) {
      const { status, json } = await unlink(account, id);
      expect([status, json.error.code]).toEqual([404, 'not_found']);
    }
    expect(await livingOf(third.app, other.user_id)).toHaveLength(2);
    await unlink(other, other.google_id);
    expect((await unlink(account, other.google_id)).status).toBe(404);
  });

  it('unlinking: 401 without a session, 403 by cookie without CSRF', async () => {
    const account = await withTwo();
    expect((await createBrowser(third.app).delete(`${LIST}/${account.google_id}`)).status).toBe(401);
    const forged = await account.browser.delete(`${LIST}/${account.google_id}`, { csrf: false });
    expect([forged.status, forged.json.error.code]).toEqual([403, 'csrf_failed']);
    expect(await livingOf(third.app, account.user_id)).toHaveLength(2);
  });

  it('unlinking is 409 for the last credential; it is allowed while there is another identity, a password or a passkey', async () => {
    const { app } = third;
    const account = await withTwo();
    expect((await unlink(account, account.google_id)).status).toBe(204);
    const expectRejected = async () => {
      const { status, json } = await unlink(account, account.github_id);
      expect([status, json.error.code]).toEqual([409, 'conflict']);
      expect(await livingOf(app, account.user_id)).toMatchObject([{ id: account.github_id, email: account.email }]);
    };
    await expectRejected();
    github().person = account.external;
    expect((await signInWith(app, github())).status).toBe(200);

    // A revoked passkey, whose row still exists, does not count as a credential.
    const { json } = await addPasskey(account.browser, createAuthenticator());
    await account.browser.delete(`/users/me/passkeys/${json.id}`);
    await expectRejected();
    expect(await auditOf(app, { resource_id: account.github_id, action: 'auth.oauth.unlinked' })).toEqual([]);
    await addPasskey(account.browser, createAuthenticator());
    expect((await unlink(account, account.github_id)).status).toBe(204);

    const other = await arriveBy(app, github());
    const [identity] = await livingOf(app, other.user_id);
    expect((await unlink(other, identity!.id)).status).toBe(409);
    await setUser(app, other.user_id, { password_hash: 'a hash' });
    expect((await unlink(other, identity!.id)).status).toBe(204);
  });

  it('unlinking the last credential of a user is 409, whatever credentials other users have', async () => {
    const { app } = third;
    const rich = await withTwo();
    await addPasskey(rich.browser, createAuthenticator());
    await setUser(app, rich.user_id, { password_hash: 'a hash' });
    const account = await arriveBy(app, google());
    const [identity] = await livingOf(app, account.user_id);
    expect((await unlink(account, identity!.id)).status).toBe(409);
  });
});

describe('an unlinked identity', () => {
  it('is handled like a new one: account_exists, or linked again if both sides have verified the email', async () => {
    const { app } = third;
    const account = await withTwo();
    await unlink(account, account.github_id);
    github().person = account.external;
    expect(wordOf(await signInWith(app, github()))).toBe('account_exists');
    await setUser(app, account.user_id, { email_verified_at: app.clock.now() });
    const { json } = await signInWith(app, github());
    expect(json.user.user_id).toBe(account.user_id);
    expect(await livingOf(app, account.user_id)).toHaveLength(2);
    expect(await identitiesOf(app, account.user_id)).toHaveLength(3);
  });

  it('with an unused email creates a new account, separate from the old one', async () => {
    const { app } = third;
    const account = await withTwo();
    await unlink(account, account.google_id);
    google().person = account.google;
    const { json } = await signInWith(app, google());
    expect(json.user).toMatchObject({ email: account.google.email });
    expect(json.user.user_id).not.toBe(account.user_id);
    expect(wordOf(await linkWith(account.browser, google()))).toBe('identity_in_use');
  });

  it('can be linked by another account, or by the same one again', async () => {
    const { app } = third;
    const [account, other] = [await withTwo(), await arriveBy(third.app, github())];
    google().person = account.google;
    expect(wordOf(await linkWith(other.browser, google()))).toBe('identity_in_use');
    await unlink(account, account.google_id);
    const linked = await linkWith(other.browser, google());
    expect(linked.json.status).toBe('linked');
    expect((await signInWith(app, google())).json.user.user_id).toBe(other.user_id);
    await unlink(other, linked.json.identity.id);
    const again = await linkWith(account.browser, google());
    expect(again.json.identity.id).not.toBe(account.google_id);
    expect((await signInWith(app, google())).json.user.user_id).toBe(account.user_id);
  });

  it('is swept after 90 days, and its id is 404 from then on; active identities stay', async () => {
    const { app } = third;
    const account = await withTwo();
    await unlink(account, account.google_id);
    const ids = async () => (await identitiesOf(app, account.user_id)).map(({ id }) => id);
    app.clock.advance(LIMITS.revokedKept);
    await app.sweeper.pass();
    expect(await ids()).toEqual([account.github_id, account.google_id]);
    app.clock.advance(1);
    await app.sweeper.pass();
    expect(await ids()).toEqual([account.github_id]);
    github().person = account.external;
    const { browser } = await signInWith(app, github());
    expect((await unlink({ ...account, browser }, account.google_id)).status).toBe(404);
  });
});
