import { v7 as uuid } from 'uuid';
import { describe, expect, it } from 'vitest';
import { atOnce, bearer, createBrowser, PASSWORD, registerUser, signInAgain, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { lockUserRow, trustBrowser, untilBlocked } from '../../../test/records.ts';
import { events, listOf, livingOf, registerWithMfa, rowsOf, touch, trust, trusted } from './trust-fixture.ts';

const app = useTestApp();

const DAY = 86_400;
const path = (id: string) => `/auth/trusted-browsers/${id}`;

describe('GET /auth/trusted-browsers', () => {
  it('lists the caller’s active trusted browsers, newest first, and marks this one', async () => {
    const [user, outsider] = [await registerUser(app), await registerUser(app)];
    await trusted(outsider.browser);
    const other = await signInAgain(app, user);
    const gone = await trusted(await signInAgain(app, user));
    await user.browser.delete(path(gone.id));
    await trustBrowser(app, user.user_id, { expires_at: app.clock.now() });
    const first = await trusted(user.browser, 'first');
    app.clock.advance(5);
    const second = await trusted(other, 'second');
    const items = await listOf(user.browser);
    expect(items).toEqual([
      expect.objectContaining({ id: second.id, name: 'second', current: false }),
      {
        id: first.id,
        name: 'first',
        user_agent: 'lightMyRequest',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        last_used_at: null,
        expires_at: expect.any(String),
        current: true,
      },
    ]);
    const currents = async (browser: typeof other) =>
      (await listOf(browser)).map(({ current }: { current: boolean }) => current);
    expect(await currents(other)).toEqual([true, false]);
    other.jar.delete('service_trust');
    expect(await currents(other)).toEqual([false, false]);
    const { browser } = await registerUser(app);
    expect((await browser.get('/auth/trusted-browsers')).json).toEqual({ items: [] });
  });

  it('401 without a session', async () => {
    expect((await createBrowser(app).get('/auth/trusted-browsers')).status).toBe(401);
  });
});

describe('DELETE /auth/trusted-browsers/:id', () => {
  it('revoking is 204, also when repeated, and audited once; the key material of the entry is deleted', async () => {
    const user = await registerUser(app);
    const other = await signInAgain(app, user);
    const { id } = await trusted(other);
    const kept = await trusted(user.browser);
    const answer = await user.browser.delete(path(id.toUpperCase()));
    expect(answer.status).toBe(204);
    expect(answer.text).toBe('');
    expect(answer.set_cookies).toEqual([]);
    app.clock.advance(5);
    expect((await user.browser.delete(path(id))).status).toBe(204);
    const [gone] = (await rowsOf(app, user)).filter((row) => row.id === id);
    expect(gone!.token_hash).toBeNull();
    expect(gone!.revoked_at!.getTime()).toBe(app.clock.now().getTime() - 5000);
    expect((await livingOf(app, user)).map((row) => row.id)).toEqual([kept.id]);
    expect((await events(app, user)).slice(2)).toEqual([`trusted_browser.revoked ${id}`]);
  });

  it('revoking clears the cookie if it is that of the requesting browser', async () => {
    const user = await registerUser(app);
    const { id } = await trusted(user.browser);
    const answer = await user.browser.delete(path(id));
    expect(answer.set_cookies).toEqual([
      'service_trust=; Path=/v1; Max-Age=0; SameSite=Lax; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly',
    ]);
    expect(user.browser.jar.has('service_trust')).toBe(false);
    expect((await user.browser.get('/auth/session')).status).toBe(200);
  });

  it('revoking is 204 for an expired entry, without audit', async () => {
    const user = await registerUser(app);
    const { id } = await trusted(user.browser);
    app.clock.advance(30 * DAY);
    const later = await signInAgain(app, user);
    expect(await listOf(later)).toEqual([]);
    expect((await later.delete(path(id))).status).toBe(204);
    expect(await events(app, user)).toEqual([`trusted_browser.added ${id}`]);
  });

  it('404 for an entry of another user, an unknown and a malformed id', async () => {
    const [user, outsider] = [await registerUser(app), await registerUser(app)];
    const theirs = await trusted(outsider.browser);
    for (const id of [theirs.id, uuid(), 'nothing', '%00', `${theirs.id}x`]) {
      const answer = await user.browser.delete(path(id));
      expect(answer.status, id).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
    expect(await livingOf(app, outsider)).toHaveLength(1);
  });

  it('401 without a session, 403 without CSRF, and the entry stays', async () => {
    const user = await registerUser(app);
    const { id } = await trusted(user.browser);
    expect((await createBrowser(app).delete(path(id))).status).toBe(401);
    const refused = await user.browser.delete(path(id), { csrf: false });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('csrf_failed');
    expect(await livingOf(app, user)).toHaveLength(1);
    expect((await createBrowser(app).delete(path(id), bearer(user.access_token))).status).toBe(204);
  });

  it('ten concurrent revocations are audited once', async () => {
    const user = await registerUser(app);
    const { id } = await trusted(user.browser);
    const answers = await atOnce(10, () => createBrowser(app).delete(path(id), bearer(user.access_token)));
    expect(tally(answers)).toEqual({ 204: 10 });
    expect(await events(app, user)).toHaveLength(2);
  });

  it('revoking needs no second factor', async () => {
    const user = await registerWithMfa(app);
    const { id, token } = await trusted(user.browser);
    const half = createBrowser(app, new Map([['service_trust', token]]));
    await half.post('/auth/login', { email: user.email, password: PASSWORD });
    expect((await half.delete(path(id))).status).toBe(204);
    expect((await trust(half)).json.error.code).toBe('mfa_required');
  });

  it('revoking locks the row of the user before that of the browser, as a sign-in does', async () => {
    const user = await registerUser(app);
    const { id } = await trusted(user.browser);
    const release = await lockUserRow(app, user.user_id);
    const deleting = user.browser.delete(path(id));
    await untilBlocked(app, 1);
    await touch(app, id);
    await release();
    expect((await deleting).status).toBe(204);
  });
});

describe('the sweep of trusted browsers', () => {
  it('the sweep deletes entries that were revoked or expired more than 90 days ago', async () => {
    const user = await registerUser(app);
    const revoked = await trusted(await signInAgain(app, user), 'revoked');
    const expires = await trusted(user.browser, 'expires');
    await user.browser.delete(path(revoked.id));
    const left = async () => {
      await app.sweeper.pass();
      return (await rowsOf(app, user)).map(({ id }) => id).sort();
    };
    app.clock.advance(90 * DAY);
    expect(await left()).toEqual([revoked.id, expires.id].sort());
    app.clock.advance(1);
    expect(await left()).toEqual([expires.id]);
    // An entry is valid for 30 days and kept for 90 more.
    app.clock.advance(30 * DAY - 1);
    expect(await left()).toEqual([expires.id]);
    const browser = await signInAgain(app, user);
    expect((await browser.delete(path(expires.id))).status).toBe(204);
    app.clock.advance(1);
    expect(await left()).toEqual([]);
  });
});
