import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { DEFAULT_POLICY, storedPolicy } from '../../server/src/domain/policy/policy.ts';
import { createBrowser, newEmail, PASSWORD, registerUser, type TestUser } from '../../server/test/browser.ts';
import { createAuthenticatorApp, enrolNew } from '../../server/test/second-factor.ts';
import { enterAs } from './enter-as.ts';
import { arriveAt, heading, leaveWithPasskey, sessionOf, signIn, visitor } from './hosted-fixture.ts';
import { addAuthenticator, describePages, look, openPages, type Visit } from './pages.ts';
import { joinTeam } from './team.ts';

const NEW_PASSWORD = 'a new one that is long enough';

describePages('an account that someone else may have registered', () => {
  const site = openPages();
  const linkTo = async (email: string, page: string) =>
    (await site.mails.find(email, new RegExp(`/${page}\\?token=([\\w-]+)`)))[1]!;

  async function signInByCode(page: Page, email: string, target = '/account/sessions'): Promise<void> {
    await page.goto(`/sign-in?${new URLSearchParams({ redirect_to: target })}`);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Get a code by email' }).click();
    await page.getByRole('button', { name: 'Send code' }).click();
    const [code] = await site.mails.find(email, /\b\d{6}\b/);
    await page.getByLabel('Code from the email').fill(code);
  }

  async function addPasskey({ browser }: TestUser): Promise<void> {
    const visit = await visitor(site);
    await addAuthenticator(visit);
    await enterAs(visit, browser, site.url);
    await leaveWithPasskey(visit);
  }

  const passwordWorks = async (email: string, password = PASSWORD): Promise<boolean> =>
    (await createBrowser(site.url).post('/auth/login', { email, password })).status === 200;

  const focusedRole = ({ page }: Visit) => page.evaluate('document.activeElement.tagName');

  it('asks after a sign-in by code whether the user set up the account; keeping it changes nothing', async () => {
    const { email, browser } = await registerUser(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await signInByCode(page, email);
    await heading(page, 'Did you set up this account?');
    await page.getByText(/This account was created on .* It also has a password, which you did not use/).waitFor();
    // The heading has the focus, so that pressing Enter again triggers neither choice.
    expect(await focusedRole(visit)).toBe('H1');
    // A reload asks again, although the user is signed in.
    await page.reload();
    await heading(page, 'Did you set up this account?');
    expect((await sessionOf(visit))?.user.email).toBe(email);
    await page.getByRole('button', { name: 'Keep and continue' }).click();
    await arriveAt(page, '/account/sessions');
    expect((await browser.get('/auth/session')).status).toBe(200);
    expect(await passwordWorks(email)).toBe(true);
    // Later visits do not ask.
    await page.goto('/sign-in');
    await heading(page, 'You are signed in');
  });

  it('a reclaim removes the credentials of someone else, and shows the other members of the organization', async () => {
    const registered = await registerUser(site.url);
    const { email, browser } = registered;
    await joinTeam(site, registered, { role: 'admin', display_name: 'Mallory' });
    await addPasskey(registered);
    const visit = await visitor(site);
    const { page } = visit;
    await signInByCode(page, email);
    await heading(page, 'Did you set up this account?');
    await page.getByText('It also has a password and a passkey, which you did not use').waitFor();
    const list = page.getByRole('list', { name: 'Not used in this sign-in' });
    expect(await list.getByRole('listitem').count()).toBe(2);
    await look(page, 'hosted-reclaim');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.getByRole('button', { name: 'Remove' }).click();
    await heading(page, 'Everything was removed');
    await page
      .getByRole('list', { name: /also members of/ })
      .getByText('Mallory')
      .waitFor();
    await look(page, 'hosted-reclaimed');
    expect(await page.getByRole('link', { name: 'Set a password' }).getAttribute('href')).toBe('/account/security');
    expect(await page.getByRole('link', { name: 'Manage members' }).getAttribute('href')).toBe('/organization/members');
    expect((await browser.get('/auth/session')).status).toBe(401);
    expect(await passwordWorks(email)).toBe(false);
    await page.getByRole('link', { name: 'Continue' }).click();
    await arriveAt(page, '/account/sessions');
    expect((await sessionOf(visit))?.user).toMatchObject({ email, email_verified: true });
  });

  it('after the required second factor is set up, asks about unproven credentials; removing them resets the policy', async () => {
    const { email, organization_id } = await registerUser(site.url);
    const policy = storedPolicy({ ...DEFAULT_POLICY, require_mfa: true });
    const { db } = site.database;
    await db.updateTable('organizations').set({ policy }).where('id', '=', organization_id).execute();
    const visit = await visitor(site);
    const { page } = visit;
    await signInByCode(page, email);
    await heading(page, 'Set up two-step verification');
    const secret = (await page.locator('code').innerText()).replaceAll(/\s/g, '');
    await page.getByLabel('Code shown in the app').fill(createAuthenticatorApp(site.url, secret).code());
    await heading(page, 'Save your recovery codes');
    await page.getByLabel('I have saved them in a safe place').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'Did you set up this account?');
    await page.reload();
    await heading(page, 'Did you set up this account?');
    await page.getByRole('button', { name: 'Remove' }).click();
    await heading(page, 'Everything was removed');
    await page.getByRole('link', { name: 'Continue' }).click();
    await arriveAt(page, '/account/sessions');
    expect((await sessionOf(visit))?.user).toMatchObject({ email, email_verified: true });
    expect(await passwordWorks(email)).toBe(false);
    const rows = await db.selectFrom('organizations').select('policy').where('id', '=', organization_id).execute();
    expect(rows).toEqual([{ policy: null }]);
  });

  it('a reclaim more than 15 minutes after the sign-in says so and returns to the sign-in page, in German', async () => {
    const email = newEmail();
    await registerOnPage(email);
    const visit = await visitor(site);
    const { page } = visit;
    await signInByCode(page, email);
    await page.getByText(/created on .* from .*Chrom.* on Linux\. It also has a password/).waitFor();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await heading(page, 'Haben Sie dieses Konto eingerichtet?');
    await page.route('**/auth/reclaim', (route) =>
      route.fulfill({ status: 403, json: { error: { code: 'forbidden', message: 'no', type: 'forbidden' } } }),
    );
    await page.getByRole('button', { name: 'Entfernen' }).click();
    await page.getByText('Seit Ihrer Anmeldung sind mehr als 15 Minuten vergangen.').waitFor();
    await heading(page, 'Anmelden');
    expect(await sessionOf(visit)).toBeUndefined();
  });

  async function registerOnPage(email: string): Promise<Visit> {
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto('/register');
    await page.getByLabel('Organization name').fill('Not theirs');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create organization' }).click();
    await heading(page, 'Your organization is ready');
    return visit;
  }

  it('the verification link removes everything when the visitor did not create the account', async () => {
    const email = newEmail('victim');
    const other = await registerOnPage(email);
    const { page } = await visitor(site, { phone: true });
    await page.goto(`/verify-email?token=${await linkTo(email, 'verify-email')}`);
    await heading(page, 'Is this your email address?');
    await page.getByText(/This account was created on .* from .*Chrom.* on Linux\./).waitFor();
    await look(page, 'hosted-verify-disown-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.getByRole('button', { name: 'Not me: confirm and remove everything' }).click();
    await heading(page, 'Everything was removed');
    expect(await sessionOf(other)).toBeUndefined();
    expect(await passwordWorks(email)).toBe(false);
    await page.getByRole('link', { name: 'Choose a password' }).click();
    await arriveAt(page, '/forgot-password');
  });

  it('asks nothing more of a visitor who is signed in to the account of the link', async () => {
    const registered = await registerUser(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await enterAs(visit, registered.browser, site.url);
    await page.goto(`/verify-email?token=${await linkTo(registered.email, 'verify-email')}`);
    await page.getByRole('button', { name: 'Confirm address' }).waitFor();
    expect(await page.getByRole('button', { name: 'Not me' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Confirm address' }).click();
    await heading(page, 'Your address is confirmed');
    expect(await passwordWorks(registered.email)).toBe(true);
  });

  it('cancels a change of email that the owner of the mailbox did not ask for', async () => {
    const registered = await registerUser(site.url);
    const email = newEmail('not-mine');
    await registered.browser.post('/users/me/email', { email, password: PASSWORD });
    const { page } = await visitor(site);
    const token = await linkTo(email, 'verify-email');
    await page.goto(`/verify-email?token=${token}`);
    await heading(page, 'Change your email address?');
    await page.getByRole('button', { name: 'Not me: cancel this change' }).click();
    await heading(page, 'The change is cancelled');
    await page.goto(`/verify-email?token=${token}`);
    await heading(page, 'This link is no longer valid');
    expect((await registered.browser.get('/users/me')).json.email).toBe(registered.email);
  });

  it('the reset link removes a second factor that the owner of the mailbox does not know', async () => {
    const { email } = await enrolNew(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await signInByCode(page, email);
    await heading(page, 'Two-step verification');
    await page.getByText('Didn’t turn on two-step verification yourself?').click();
    await page.getByText('Someone else may have created this account').waitFor();
    await look(page, 'hosted-mfa-not-mine');
    await page.getByRole('link', { name: 'Request the link' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await heading(page, 'Check your email');
    await page.goto(`/reset-password?token=${await linkTo(email, 'reset-password')}`);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByLabel('Also remove two-step verification that I did not set up').check();
    await look(page, 'hosted-reset-disown');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('two-step verification is off now').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, email, NEW_PASSWORD);
    await arriveAt(page, '/account');
  });
});
