import type { Page } from 'playwright-core';
import { v7 as uuid } from 'uuid';
import { expect, it } from 'vitest';
import { type Browser, registerUser, signInAgain, type TestUser } from '../../server/test/browser.ts';
import { auditOf, liveSessions, setSession } from '../../server/test/records.ts';
import { enrolNew } from '../../server/test/second-factor.ts';
import { insertMembership } from '../../server/test/team.ts';
import { openAs, widthOf } from './account-fixture.ts';
import { enterAs } from './enter-as.ts';
import { signIn as signInAt } from './hosted-fixture.ts';
import { describePages, look, openPages, type Visit, type VisitOptions } from './pages.ts';

describePages('sessions, browsers and organizations', () => {
  const site = openPages();

  const open = (user: { browser: Browser }, path: string, options: VisitOptions = {}) =>
    openAs(site, user, path, options);

  async function join(user_id: string, name: string, role: 'member' | 'owner' = 'member'): Promise<string> {
    const id = uuid();
    const { db } = site.database;
    const created_at = new Date();
    await db
      .insertInto('organizations')
      .values({ id, name, slug: `o-${id}`, created_at, suspended_at: null })
      .execute();
    await insertMembership(site.database, { organization_id: id, user_id }, { role, joined_at: created_at });
    return id;
  }

  it('lists sessions; ends one, then all others, then all', async () => {
    const user = await registerUser(site.url, { organization_name: 'Analytical Engines' });
    const others = [];
    for (let index = 0; index < 3; index++) others.push(await signInAgain(site.url, user));
    const { page } = await open(user, '/account/sessions');
    const list = page.getByRole('list', { name: 'Your sessions' });
    expect(await list.getByRole('listitem').count()).toBe(4);
    const here = list.getByRole('listitem').filter({ hasText: 'Current session' });
    await here.getByText('by password in Analytical Engines').waitFor();
    await here.getByText('127.0.0.1').waitFor();
    await list
      .getByRole('button', { name: /^End session/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('The session has been ended.').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByText('All other sessions have been ended.').waitFor();
    expect(await liveSessions(site.database, user.user_id)).toEqual([user.session_id]);
    for (const other of others) expect((await other.get('/auth/session')).status).toBe(401);
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.waitForURL('**/signed-out');
    expect(await liveSessions(site.database, user.user_id)).toEqual([]);
  });

  it('does not run an action as another user who signed in in another window', async () => {
    const [ada, bob] = [
      await registerUser(site.url, { display_name: 'Ada' }),
      await registerUser(site.url, { display_name: 'Bob' }),
    ];
    const visit = await open(ada, '/account');
    const name = visit.page.getByLabel('Name', { exact: true });
    await name.fill('Countess');
    await enterAs(visit, bob.browser, site.url);
    await visit.page.getByRole('button', { name: 'Save' }).first().click();
    // The page is loaded again and shows Bob's account.
    await visit.page.getByRole('button', { name: /Bob/ }).waitFor();
    for (const [{ browser }, expected] of [
      [ada, 'Ada'],
      [bob, 'Bob'],
    ] as const) {
      expect((await browser.get('/users/me')).json.display_name).toBe(expected);
    }
    // When the window gets the focus again, the page shows the new user and discards typed values.
    await name.fill('Baron');
    await enterAs(visit, ada.browser, site.url);
    await visit.page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await visit.page.getByRole('button', { name: /Ada/ }).waitFor();
    expect(await name.inputValue()).toBe('Ada');
  });

  it('after an action, on focus and on load, leads to the sign-in page if the session was ended elsewhere', async () => {
    const endAll = ({ browser }: TestUser) => browser.delete('/auth/sessions?include_current=true');
    const ada = await registerUser(site.url);
    const { page } = await open(ada, '/account/sessions?from=there');
    await endAll(ada);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/signed-out');
    await page.goto('/account/organizations');
    await page.waitForURL('**/sign-in?redirect_to=%2Faccount%2Forganizations');

    const eve = await registerUser(site.url);
    const { page: action } = await open(eve, '/account/sessions?from=there');
    const { page: refocused } = await open(eve, '/account/security');
    await endAll(eve);
    await action.getByRole('button', { name: 'Sign out everywhere' }).click();
    await action.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await action.waitForURL('**/sign-in?*');
    expect(new URL(action.url()).searchParams.get('redirect_to')).toBe('/account/sessions?from=there');
    await refocused.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    await refocused.waitForURL('**/sign-in?redirect_to=%2Faccount%2Fsecurity');
  });

  /** Signs in in the tab that the dialog opens, then returns to the page. */
  async function signInFrom({ page, context }: Visit, { email }: TestUser): Promise<void> {
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    const tab = context.waitForEvent('page');
    await ended.getByRole('link', { name: 'Sign in' }).click();
    await signInAt(await tab, email);
    await (await tab).waitForURL('**/account');
    await comeBack(page);
    await ended.waitFor({ state: 'detached' });
  }
  const comeBack = (page: Page) => page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);

  it('keeps what was typed when the page detects on focus that the session ended, until the user discards it', async () => {
    const user = await registerUser(site.url);
    const visit = await open(user, '/account');
    const { page, context } = visit;
    const field = page.getByRole('textbox', { name: 'Name' });
    await field.fill('Countess');
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await user.browser.post('/auth/logout');
    await comeBack(page);
    await ended.getByText('Your session expired or was ended').waitFor();
    await look(page, 'account-session-ended');
    // The page behind the dialog stays hidden until the user signs in again or discards the values.
    await page.keyboard.press('Escape');
    expect(await ended.isVisible()).toBe(true);
    await signInFrom(visit, user);
    expect(await field.inputValue()).toBe('Countess');
    // Typed values are not written to browser storage.
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain('Countess');
    await context.clearCookies();
    await comeBack(page);
    await ended.getByRole('button', { name: 'Discard what I’ve entered' }).click();
    await page.waitForURL('**/sign-in?redirect_to=%2Faccount');
  });

  it('saves what was typed after a new sign-in when the action finds that the session ended', async () => {
    const user = await registerUser(site.url);
    const visit = await open(user, '/organization/webhooks');
    const { page, context } = visit;
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('https://example.com/hook');
    // The next sign-in is to another organization, the one last used. The page switches back to its own.
    const organization_id = await join(user.user_id, 'Elsewhere');
    await (await signInAgain(site.url, user)).post('/auth/organization', { organization_id });
    await context.clearCookies();
    await page.getByRole('button', { name: 'Create webhook', exact: true }).click();
    await signInFrom(visit, user);
    await page.getByText('Signing secret').first().waitFor();
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain('example.com');
  });

  it('trusted browsers: trusting is not offered without a second factor; a browser is trusted with a code, and removed', async () => {
    const plain = await registerUser(site.url);
    const visit = await open(plain, '/account/sessions', { phone: true, locale: 'de-DE' });
    await visit.page.getByText('Ihr Konto verlangt zurzeit keinen zweiten Schritt.').waitFor();
    expect(await widthOf(visit)).toBe(390);

    const user = await enrolNew(site.url);
    await setSession(site.database, user.session_id, { aal: 'aal1', mfa_verified_at: null });
    const { page } = await open(user, '/account/sessions');
    await page.getByRole('button', { name: 'Trust this browser' }).click();
    const stepUp = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await stepUp.getByLabel('Code from your authenticator app').fill(user.app.code());
    await stepUp.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('This browser is trusted for 30 days.').waitFor();
    const list = page.getByRole('list', { name: 'Your trusted browsers' });
    await list.getByText('This browser').waitFor();
    await page.getByText('In a trusted browser, your password or an emailed code is enough').waitFor();
    expect(await page.getByRole('button', { name: 'Trust this browser' }).count()).toBe(0);
    await look(page, 'account-browsers');
    await list.getByRole('button', { name: /^Stop trusting/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop trusting' }).click();
    await page.getByText('No trusted browsers').waitFor();
  });

  it('organizations: searches, switches and leaves; the last owner cannot leave', async () => {
    const user = await registerUser(site.url, { organization_name: 'Home' });
    for (const name of ['Aldgate', 'Bow', 'Chelsea', 'Deptford', 'Ealing', 'Fulham', 'Greenwich', 'Übersee']) {
      await join(user.user_id, name);
    }
    const { page } = await open(user, '/account/organizations');
    const list = page.getByRole('list', { name: 'Your organizations' });
    expect(await list.getByRole('listitem').count()).toBe(9);
    await look(page, 'account-organizations');
    await page.getByLabel('Filter by name').fill('über');
    await page.getByText('1 of 9').waitFor();
    await page.getByLabel('Filter by name').fill('nowhere');
    await page.getByText('No matching organizations').waitFor();
    await page.getByLabel('Filter by name').fill('');

    await list.getByText('You are its only member. To give it up, make someone else an owner').waitFor();
    expect(await page.getByRole('button', { name: 'Leave Home' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Switch to Übersee' }).click();
    await list.getByRole('listitem').filter({ hasText: 'Current' }).getByText('Übersee').waitFor();
    await page.getByRole('button', { name: 'Leave Übersee' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL('**/sign-in?redirect_to=%2Faccount%2Forganizations');
    const again = await signInAgain(site.url, user);
    expect((await again.get('/users/me')).json.memberships).toHaveLength(8);
  });

  it('shows the signed-out page after leaving the only organization; on a phone', async () => {
    const user = await registerUser(site.url, { organization_name: 'Home' });
    const other = await registerUser(site.url);
    await insertMembership(
      site.database,
      { organization_id: user.organization_id, user_id: other.user_id },
      { role: 'owner' },
    );
    const visit = await open(user, '/account/organizations', { phone: true });
    const { page } = visit;
    expect(await widthOf(visit)).toBe(390);
    await page.getByRole('button', { name: 'Leave Home' }).click();
    await page.getByRole('dialog').getByText('This is your only organization').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL('**/signed-out');
    expect(await liveSessions(site.database, user.user_id)).toEqual([]);
  });

  it.each([true, false])(
    'two tabs whose access tokens expire at the same time both stay signed in; Web Locks: %s',
    async (locks) => {
      const user = await registerUser(site.url);
      const { context, page } = await open(user, '/account');
      if (!locks) await context.addInitScript(`Object.defineProperty(navigator, 'locks', { value: undefined })`);
      // Without Web Locks, both tabs send their refresh before either gets a response.
      const waiting: (() => void)[] = [];
      const meet = (go: () => void) => {
        waiting.push(go);
        if (waiting.length === 2) for (const next of waiting.splice(0)) next();
      };
      if (!locks) await context.route('**/auth/refresh', (route) => meet(() => void route.continue()));
      const answers: number[] = [];
      context.on(
        'response',
        (answer) => void (answer.url().endsWith('/auth/refresh') && answers.push(answer.status())),
      );
      const tabs = [page, await context.newPage()];
      await context.clearCookies({ name: 'service_at' });
      await context.clearCookies({ name: 'service_csrf' });
      await Promise.all(tabs.map((tab) => tab.goto('/account')));
      await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name: 'Profile' }).waitFor()));
      // Both tabs save at the same time.
      await context.clearCookies({ name: 'service_at' });
      await context.clearCookies({ name: 'service_csrf' });
      await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Save' }).click()));
      await Promise.all(tabs.map((tab) => tab.getByText('Saved').waitFor()));
      // With Web Locks, the second tab needs no refresh. Without them, its refresh fails and it uses the new cookies.
      expect([...new Set(answers)].sort()).toEqual(locks ? [200] : [200, 401]);
      expect(await liveSessions(site.database, user.user_id)).toEqual([user.session_id]);
      expect(await auditOf(site.database, { actor_id: user.user_id, action: 'auth.refresh.reuse_detected' })).toEqual(
        [],
      );
    },
  );
});
