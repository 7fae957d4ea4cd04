import pg from 'pg';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createBrowser, PASSWORD, registerUser, signInAgain, type TestUser } from '../../server/test/browser.ts';
import { liveSessions } from '../../server/test/records.ts';
import { enrol } from '../../server/test/second-factor.ts';
import { ageSession } from './account-fixture.ts';
import { OWNED, registerOwner, registerWithRole } from './console-fixture.ts';
import { enterAs } from './enter-as.ts';
import { describePages, look, openPages, type VisitOptions } from './pages.ts';
import { joinTeam } from './team.ts';

describePages('organizations and users in the console', () => {
  const site = openPages({ env: OWNED });
  let owner: TestUser;
  let admin: TestUser;
  let viewer: TestUser;

  async function open(user: TestUser, path: string, options?: VisitOptions): Promise<Page> {
    const visit = await site.visit(options);
    await enterAs(visit, user.browser, site.url);
    await visit.page.goto(path);
    return visit.page;
  }
  const row = (page: Page, name: string) => page.getByRole('row', { name });
  const dialog = (page: Page) => page.getByRole('dialog');
  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const statusOf = async ({ browser }: TestUser) => (await browser.get('/auth/session')).status;

  beforeAll(async () => {
    owner = await registerOwner(site.url, { organization_name: 'Gatekeepers', display_name: 'Olga' });
    admin = await registerWithRole(site.url, owner, 'admin', {
      organization_name: 'Admins & Co',
      display_name: 'Axel',
    });
    viewer = await registerWithRole(site.url, owner, 'viewer', { organization_name: 'Viewers', display_name: 'Vera' });
  });

  it('tells a user without a platform role to ask a platform owner', async () => {
    const other = await open(await registerUser(site.url), '/console/users');
    await other.getByText('ask a platform owner').waitFor();
    await look(other, 'console-closed');
    await other.getByRole('link', { name: 'Back to your account' }).click();
    await other.waitForURL('**/account');
  });

  it('creates, renames, suspends and restores an organization, but not the last one with a platform owner', async () => {
    const page = await open(admin, '/console/organizations');
    await page.getByRole('button', { name: 'Create organization' }).click();
    const form = dialog(page);
    await form.getByLabel('Organization name').fill('Difference Engines');
    await form.getByLabel('Slug').fill('Not a slug');
    await form.getByLabel('Owner’s email').fill(owner.email);
    await form.getByLabel('Owner’s name').fill('Charles');
    await form.getByLabel('Owner’s initial password').fill('short');
    const create = form.getByRole('button', { name: 'Create organization' });
    await create.click();
    await form.getByText('Use lowercase letters and digits').waitFor();
    await form.getByText('Use at least 12 characters').waitFor();
    await look(page, 'console-organization-new');
    await form.getByLabel('Owner’s initial password').fill('correct horse battery staple');
    await form.getByLabel('Slug').fill('viewers');
    await create.click();
    await form.getByText('An account with this email already exists.').waitFor();
    await form.getByLabel('Owner’s email').fill('charles@example.com');
    await create.click();
    await form.getByText('This slug is taken').waitFor();
    await form.getByLabel('Slug').fill('difference');
    await create.click();

    await title(page, 'Difference Engines');
    await page.getByLabel('Organization name').fill('Difference & Sons');
    await page.getByRole('button', { name: 'Rename' }).click();
    await title(page, 'Difference & Sons');
    await look(page, 'console-organization');

    const charles = await signIn('charles@example.com');
    await page.getByRole('button', { name: 'Suspend organization' }).click();
    await dialog(page).getByRole('button', { name: 'Suspend organization' }).click();
    await page.getByRole('heading', { name: 'Suspended' }).waitFor();
    expect(await statusOf(charles)).toBe(401);
    await page.getByRole('link', { name: 'Organizations' }).last().click();
    await row(page, 'Difference & Sons').getByText('Suspended').waitFor();
    await page.getByRole('link', { name: 'Difference & Sons' }).click();
    await page.getByRole('button', { name: 'Restore organization' }).click();
    await dialog(page).getByRole('button', { name: 'Restore organization' }).click();
    await page.getByRole('button', { name: 'Suspend organization' }).waitFor();
    expect(await statusOf(await signIn('charles@example.com'))).toBe(200);

    await page.getByRole('link', { name: 'Charles' }).click();
    await title(page, 'Charles');
    await page.getByRole('link', { name: 'Difference & Sons' }).click();
    await title(page, 'Difference & Sons');
    expect(await page.getByRole('main').getByRole('link', { name: 'Feature flags' }).getAttribute('href')).toMatch(
      /^\/console\/flags\?organization_id=/,
    );

    await page.getByRole('link', { name: 'Organizations' }).last().click();
    await page.getByRole('link', { name: 'Admins & Co' }).click();
    await page.getByText('You are signed in to this organization.').waitFor();
    expect(await page.getByRole('button', { name: 'Suspend organization' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Organizations' }).last().click();
    await page.getByRole('link', { name: 'Gatekeepers' }).click();
    await page.getByRole('button', { name: 'Suspend organization' }).click();
    await dialog(page).getByRole('button', { name: 'Suspend organization' }).click();
    await dialog(page).getByText('This would leave no platform owner who can sign in.').waitFor();
    await page.goto('/console/organizations/nonsense');
    await page.getByRole('link', { name: 'View all organizations' }).click();
    await title(page, 'Organizations');
  });

  async function signIn(email: string): Promise<TestUser> {
    const browser = createBrowser(site.url);
    await browser.post('/auth/login', { email, password: PASSWORD });
    return { ...owner, browser, email };
  }

  it('disables, enables, signs out and deletes an account, and resets its MFA', async () => {
    const bob = await enrol(site.url, await registerUser(site.url, { display_name: 'Bob' }));
    const page = await open(admin, '/console/users');
    await page.getByRole('searchbox').fill('bob');
    await page.getByRole('link', { name: 'Bob' }).click();
    await title(page, 'Bob');
    const press = async (name: string, ...typed: string[]) => {
      await page.getByRole('main').getByRole('button', { name, exact: true }).click();
      for (const text of typed) await dialog(page).getByRole('textbox').fill(text);
      await dialog(page).getByRole('button', { name, exact: true }).click();
      await dialog(page).waitFor({ state: 'detached' });
    };
    await press('End sessions');
    await page.getByText('All sessions have ended.').waitFor();
    expect(await statusOf(bob)).toBe(401);
    await press('Reset');
    await page.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
    await press('Disable');
    await page.getByRole('main').getByText('Disabled').first().waitFor();
    await press('Enable');
    await page.getByRole('button', { name: 'Disable' }).waitFor();

    await page.getByRole('button', { name: 'Delete account' }).click();
    const confirm = dialog(page).getByRole('button', { name: 'Delete account' });
    await dialog(page).getByRole('textbox').fill('somebody else');
    expect(await confirm.isDisabled()).toBe(true);
    await look(page, 'console-user-delete');
    await dialog(page).getByRole('textbox').fill(bob.email);
    await page.keyboard.press('Enter');
    await page.getByText('This account was deleted.').waitFor();
    expect(await page.getByRole('main').getByRole('button', { name: 'Disable' }).count()).toBe(0);
    expect(await page.getByRole('main').getByRole('link', { name: 'Audit trail' }).getAttribute('href')).toBe(
      `/console/audit?user_id=${bob.user_id}`,
    );
  });

  it('viewers only read, admins cannot change owners, owners grant roles', async () => {
    const viewers = await open(viewer, `/console/users/${admin.user_id}`);
    await title(viewers, 'Axel');
    const buttons = (page: Page) => page.getByRole('main').getByRole('button').allTextContents();
    expect(await buttons(viewers)).toEqual(['Copy']);
    await viewers.getByRole('link', { name: 'Admins & Co' }).click();
    await title(viewers, 'Admins & Co');
    await row(viewers, 'Axel').waitFor();
    expect(await buttons(viewers)).toEqual(['Copy']);
    await viewers.getByRole('link', { name: 'Organizations' }).last().click();
    await row(viewers, 'Gatekeepers').waitFor();
    expect(await buttons(viewers)).toEqual([]);

    const admins = await open(admin, `/console/users/${owner.user_id}`);
    await admins.getByText('only a platform owner can change it').waitFor();
    expect(await buttons(admins)).toEqual(['Copy']);

    // An hour after the sign-in, the owner has to sign in again; the selected role is kept.
    const browser = await signInAgain(site.url, owner);
    await ageSession(site.database, (await liveSessions(site.database, owner.user_id)).sort().at(-1)!);
    const page = await open({ ...owner, browser }, `/console/users/${viewer.user_id}`);
    await page.getByRole('radio', { name: 'Platform admin' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog(page).getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('definition').getByText('Platform admin').waitFor();
    expect((await viewer.browser.get('/auth/session')).json.capabilities.platform_role).toBe('admin');
    await page.goto(`/console/users/${owner.user_id}`);
    await page.getByRole('radio', { name: 'None' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('The last platform owner').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await dialog(page).getByText('This is the last platform owner').waitFor();
    await page.keyboard.press('Escape');
    await look(page, 'console-user-owner');
  });

  it('requires the second factor before a user resets their own MFA', async () => {
    const eve = await registerUser(site.url, { display_name: 'Eve' });
    await owner.browser.send('PUT', `/admin/users/${eve.user_id}/platform-role`, { body: { role: 'admin' } });
    // A session from before MFA was turned on has only one factor.
    const before = await signInAgain(site.url, eve);
    const { app } = await enrol(site.url, eve);
    const page = await open({ ...eve, browser: before }, `/console/users/${eve.user_id}`);
    await page.getByRole('button', { name: 'Reset' }).click();
    await dialog(page).getByRole('button', { name: 'Reset' }).click();
    await page.getByLabel('Code from your authenticator app').fill(app.code());
    await page.getByRole('button', { name: 'Confirm' }).click();

    await dialog(page).first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
  });

  it('keeps search, filters and page in the URL', async () => {
    const team = await registerUser(site.url, { organization_name: 'Filtered', display_name: 'Finn' });
    await joinTeam(site, team, { display_name: 'Fiona' });
    const page = await open(viewer, '/console/users');
    await page.getByRole('combobox', { name: 'Organization' }).fill('filt');
    await page.getByRole('option', { name: 'Filtered' }).click();
    await page.getByText('2 users').waitFor();
    await page.getByRole('searchbox').fill('fio');
    await page.getByText('1 user', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Disabled');
    await page.getByText('No users found').waitFor();
    await page.reload();
    await page.getByText('No users found').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('fio');
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('disabled');
    const organization = page.getByRole('combobox', { name: 'Organization' });
    await expect.poll(() => organization.inputValue()).toContain('Filtered');
    await page.goBack();
    await row(page, 'Fiona').waitFor();
    await page.goBack();
    await title(page, 'Users');
    await row(page, 'Olga').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    await expect.poll(() => organization.inputValue()).toBe('');
    await look(page, 'console-users');
    await page.goto('/console/users?status=nonsense&page=x&organization_id=y');
    await row(page, 'Olga').waitFor();
    await page.goto(`/console/users/${crypto.randomUUID()}`);
    await page.getByRole('link', { name: 'View all users' }).click();
    await title(page, 'Users');

    const database = new pg.Client(site.environment.DATABASE_URL);
    await database.connect();
    await database.query(`insert into organizations (id, name, slug, created_at)
      select gen_random_uuid(), 'Tenant ' || n, 'tenant-' || n, now() from generate_series(1, 30) n`);
    await database.end();
    await page.getByRole('link', { name: 'Organizations' }).click();
    await title(page, 'Organizations');
    await page.getByRole('searchbox').fill('tenant');
    await page.getByText('30 organizations').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(6);
    expect(new URL(page.url()).search).toBe('?q=tenant&page=2');
    await page.reload();
    await page.getByText('Page 2 of 2').waitFor();
    await page.goBack();
    await page.getByText('Page 1 of 2').waitFor();
    await look(page, 'console-organizations');
    await page.goto('/console/organizations?page=9');
    await page.getByText('There is no page 9').waitFor();
    await page.getByRole('button', { name: 'Go to the last page' }).click();
    await row(page, 'Gatekeepers').waitFor();
  });

  it('declares permissions and global roles', async () => {
    const page = await open(admin, '/console/permissions');
    await page.getByText('No permissions yet').waitFor();
    const create = async (name: string, description = '') => {
      await dialog(page).getByLabel('Name').fill(name);
      await dialog(page).getByLabel('Description').fill(description);
      await dialog(page).getByRole('button', { name: 'Create permission' }).click();
    };
    await page.getByRole('button', { name: 'New permission' }).click();
    await create('members.pay');
    await dialog(page).getByText('The first word is reserved').waitFor();
    await create('invoices.read', 'See all invoices');
    await row(page, 'invoices.read').getByText('See all invoices').waitFor();
    await page.getByRole('button', { name: 'Edit: invoices.read' }).click();
    await dialog(page).getByLabel('Description').fill('See invoices');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row(page, 'invoices.read').getByText('See invoices', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'invoices.read').getByText('See all invoices').waitFor();
    await look(page, 'console-permissions');

    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByText('No global roles yet').waitFor();
    await page.getByRole('button', { name: 'New role' }).click();
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Accountant');
    await dialog(page).getByRole('checkbox', { name: 'invoices.read' }).check();
    await dialog(page).getByRole('button', { name: 'Create role' }).click();
    await row(page, 'Accountant').getByText('invoices.read').waitFor();
    await look(page, 'console-roles');

    // Organizations see global roles, and cannot change them.
    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Organization' }).click();
    await page.getByRole('link', { name: 'Roles' }).click();
    await row(page, 'Accountant').getByText('Global').waitFor();
    expect(await row(page, 'Accountant').getByRole('button').count()).toBe(0);
    const viewers = await open(await platformViewer(), '/console/roles');
    await row(viewers, 'Accountant').waitFor();
    expect(await viewers.getByRole('main').getByRole('button').count()).toBe(0);

    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Console' }).click();
    await page.getByRole('link', { name: 'Permissions' }).click();
    await page.getByRole('button', { name: 'Delete: invoices.read' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No permissions yet').waitFor();
    await page.getByRole('link', { name: 'Roles' }).click();
    await row(page, 'Accountant').getByText('none').waitFor();
  });

  async function platformViewer(): Promise<TestUser> {
    const user = await registerUser(site.url, { display_name: 'Vito' });
    await owner.browser.send('PUT', `/admin/users/${user.user_id}/platform-role`, { body: { role: 'viewer' } });
    return user;
  }

  it('the pages are usable in German on a phone', async () => {
    const page = await open(owner, '/console/users', { phone: true, locale: 'de-DE' });
    await row(page, 'Olga').waitFor();
    const fits = async () =>
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await fits();
    await page.getByRole('link', { name: 'Axel' }).click();
    await title(page, 'Axel');
    await look(page, 'phone-console-user');
    await fits();
    await page.getByRole('link', { name: 'Admins & Co' }).click();
    await page.getByRole('button', { name: 'Organisation sperren' }).waitFor();
    await fits();
  });
});
