import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createBrowser, registerUser, type TestUser } from '../../server/test/browser.ts';
import { enterAs } from './enter-as.ts';
import { describePages, expectFocusMark, expectRaised, look, openPages, type VisitOptions } from './pages.ts';
import { acceptByMail, insertPermission, insertRole, joinTeam } from './team.ts';

describePages('the pages of an organization', () => {
  const site = openPages();
  let ada: TestUser;
  let bea: TestUser;
  let cem: TestUser;
  beforeAll(async () => {
    ada = await registerUser(site.url, { organization_name: 'Analytical Engines', display_name: 'Ada' });
    bea = await joinTeam(site, ada, { role: 'admin', display_name: 'Bea' });
    cem = await joinTeam(site, ada, { role: 'member', display_name: 'Cem' });
  });

  async function open(user: TestUser, path: string, options?: VisitOptions): Promise<Page> {
    const visit = await site.visit(options);
    await enterAs(visit, user.browser, site.url);
    await visit.page.goto(path);
    return visit.page;
  }
  const row = (page: Page, name: string) => page.getByRole('row', { name });
  const dialog = (page: Page) => page.getByRole('dialog');

  it('invites, promotes and removes a member; keeps the last owner; keeps the search in the URL', async () => {
    const page = await open(ada, '/organization/members');
    await page.getByRole('link', { name: 'Invite someone' }).click();
    const form = page.getByRole('region', { name: 'New invitation' });
    await form.getByLabel('Email').fill('Dora@Example.com ');
    await form.getByLabel('Role').selectOption('Admin');
    await form.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('We’ve sent the invitation to dora@example.com.').waitFor();
    await row(page, 'dora@example.com').getByText('Pending').waitFor();
    await look(page, 'invitations');

    await form.getByLabel('Email').fill('dora@example.com');
    await form.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('This person has already been invited.').waitFor();
    await form.getByLabel('Email').fill(cem.email);
    await form.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('This person is already a member.').waitFor();

    const dora = await acceptByMail(site, { email: 'dora@example.com', display_name: 'Dora' });
    await page.goto('/organization/members');
    await row(page, 'Dora').getByRole('cell', { name: 'Admin' }).waitFor();
    await page.getByRole('button', { name: 'Change role: Dora' }).click();
    await dialog(page).getByRole('radio', { name: 'Member' }).check();
    await look(page, 'members-role');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row(page, 'Dora').getByRole('cell', { name: 'Member', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change role: Dora' }).and(page.locator(':focus')).waitFor();
    expect((await dora.browser.get('/auth/session')).json.capabilities.role).toBe('member');
    const toast = page.getByRole('status').filter({ hasText: 'Role of Dora changed' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('status').getByText('Undone').waitFor();
    await row(page, 'Dora').getByRole('cell', { name: 'Admin' }).waitFor();

    await page.getByRole('button', { name: 'Remove: Dora' }).click();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await row(page, 'Dora').waitFor({ state: 'detached' });
    expect((await dora.browser.get('/auth/session')).status).toBe(401);

    // The last owner cannot leave or be demoted.
    await page.getByRole('button', { name: 'Change role: Ada' }).click();
    await dialog(page).getByRole('radio', { name: 'Member' }).check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByRole('alert').getByText('This is the last owner').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await row(page, 'Ada').getByText('You are its last owner. First make someone else an owner').waitFor();
    expect(await row(page, 'Ada').getByRole('button', { name: 'Leave' }).count()).toBe(0);
    await look(page, 'members');

    // The search is kept in the URL, across reload and back.
    const search = page.getByRole('searchbox', { name: 'Search members' });
    await search.fill('ce');
    await page.getByText('1 member').waitFor();
    await search.and(page.locator(':focus')).waitFor();
    expect(new URL(page.url()).search).toBe('?q=ce');
    await page.reload();
    expect(await search.inputValue()).toBe('ce');
    await page.getByRole('link', { name: 'Invitations' }).click();
    await page.getByRole('heading', { level: 1, name: 'Invitations' }).waitFor();
    await page.goBack();
    await page.getByText('1 member').waitFor();
    expect(await search.inputValue()).toBe('ce');
    await search.fill('nobody of that name');
    await page.getByText('No members found').waitFor();
  });

  it('sends an invitation again and revokes it; an admin manages users up to their own rank', async () => {
    await ada.browser.post(`/orgs/${ada.organization_id}/invitations`, { email: 'eva@example.com', role: 'owner' });
    const page = await open(ada, '/organization/invitations?status=pending');
    const first = (await site.mails.find('eva@example.com', /token=([\w-]+)/))[1]!;
    await page.getByRole('button', { name: 'Send again: eva@example.com' }).click();
    await dialog(page).getByRole('button', { name: 'Send again' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await expect.poll(async () => (await site.mails.find('eva@example.com', /token=([\w-]+)/))[1]).not.toBe(first);

    // The invited role is above the rank of an admin, so the admin sees the invitation without a button.
    const beas = await open(bea, '/organization/invitations');
    await row(beas, 'eva@example.com').waitFor();
    expect(await row(beas, 'eva@example.com').getByRole('button').count()).toBe(0);
    expect(await beas.getByLabel('Role').locator('option').allTextContents()).toEqual(['Member', 'Admin']);
    await beas.getByRole('link', { name: 'Members' }).click();
    await row(beas, 'Cem').getByRole('button', { name: 'Remove: Cem' }).waitFor();
    expect(await row(beas, 'Ada').getByRole('button').count()).toBe(0);
    await beas.getByRole('button', { name: 'Change role: Cem' }).click();
    await dialog(beas).getByRole('radio').first().waitFor();
    expect(await dialog(beas).getByRole('radio').count()).toBe(2);

    await page.getByRole('button', { name: 'Revoke: eva@example.com' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('There are none with this status.').waitFor();
    await page.getByLabel('Show').selectOption('Revoked');
    await row(page, 'eva@example.com').getByText('Revoked').waitFor();
    expect(page.url()).toContain('status=revoked');
    await page.reload();
    await row(page, 'eva@example.com').waitFor();
    await page.goBack();
    await page.getByText('There are none with this status.').waitFor();
    expect(await page.getByLabel('Show').inputValue()).toBe('pending');
  });

  it('shows a member the other members, without actions but to leave', async () => {
    const page = await open(cem, '/organization/members');
    await row(page, 'Ada').getByText('Owner').waitFor();
    expect(await row(page, 'Ada').getByRole('button').count()).toBe(0);
    expect(await row(page, 'Cem').getByRole('button').allTextContents()).toEqual(['Leave']);
    expect(await page.getByRole('link', { name: 'Invitations' }).count()).toBe(0);
    await page.goto('/organization/invitations');
    await page.getByText('Only owners and admins can invite people').waitFor();
    await page.getByRole('link', { name: 'View members' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await dialog(page).getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL('**/signed-out');
    expect((await cem.browser.get('/auth/session')).status).toBe(401);
  });

  it('creates an organization, once the email is verified; switches to it and back', async () => {
    const kim = await registerUser(site.url, { organization_name: 'Kim & Co', display_name: 'Kim' });
    const page = await open(kim, '/account');
    const begin = async () => {
      await page.getByRole('button', { name: 'Organization: Kim & Co' }).click();
      await page.getByRole('button', { name: 'New organization' }).click();
    };
    await begin();
    await dialog(page).getByText('Verify your email address first.').waitFor();
    await page.keyboard.press('Escape');
    const [, token] = await site.mails.find(kim.email, /verify-email\?token=([\w-]+)/);
    await createBrowser(site.url).post('/auth/email/verify', { token });
    await page.reload();
    await begin();
    await dialog(page).getByLabel('Organization name').fill('Kestrel Robotics GmbH');
    // Escape asks before the typed name is lost.
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await dialog(page).getByLabel('Slug').fill('Not a slug');
    await dialog(page).getByRole('button', { name: 'Create organization' }).click();
    const fault = dialog(page).getByText('Use lowercase letters and digits');
    await fault.waitFor();
    await dialog(page).getByLabel('Slug').and(page.locator(':focus')).waitFor();
    await look(page, 'organization-new');
    expect(await page.getByRole('banner').count()).toBe(1);
    await dialog(page).getByLabel('Slug').fill('');
    await fault.waitFor({ state: 'detached' });
    await dialog(page).getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('Everyone who can sign in to Kestrel Robotics GmbH.').waitFor();
    await page.getByText('You are its only member.').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    expect(await page.getByLabel('Slug').inputValue()).toBe('kestrel-robotics-gmbh');
    await page.getByRole('link', { name: 'Members' }).click();

    await page.getByRole('button', { name: 'User menu for Kim' }).click();
    for (const name of ['Language', 'Appearance']) await expectFocusMark(dialog(page).getByRole('combobox', { name }));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Organization: Kestrel Robotics GmbH' }).click();
    await look(page, 'organization-menu');
    const header = (await page.getByRole('banner').boundingBox())!;
    expect((await dialog(page).boundingBox())!.y).toBeGreaterThanOrEqual(header.y + header.height);
    await expectRaised(dialog(page));
    await dialog(page)
      .getByRole('button', { name: 'Kestrel Robotics GmbH' })
      .click({ position: { x: 8, y: 8 }, trial: true });
    await dialog(page).getByRole('button', { name: 'Switch to Kim & Co' }).click();
    await page.getByText('Everyone who can sign in to Kim & Co.').waitFor();
    await row(page, 'Kim').waitFor();
  });

  it('renames the organization with undo, guards unsaved changes, and shows the activity', async () => {
    const lea = await registerUser(site.url, { organization_name: 'Lea & Co', display_name: 'Lea' });
    const max = await joinTeam(site, lea, { display_name: 'Max' });
    const page = await open(lea, '/organization/settings');
    // A form whose values are again as before can be left without a question.
    await page.getByLabel('Name').fill('Lea');
    await page.getByLabel('Name').fill('Lea & Co');
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.waitForURL('**/organization/activity');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name').fill('Lea & Sons');
    await page.getByRole('link', { name: 'Activity' }).click();
    await dialog(page).getByRole('button', { name: 'Keep editing' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name').inputValue()).toBe('Lea & Sons');
    await page.getByLabel('Slug').fill('lea-and-sons');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Organization: Lea & Sons' }).waitFor();
    await look(page, 'organization-settings');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Organization: Lea & Co' }).waitFor();
    expect(await page.getByLabel('Slug').inputValue()).toBe('lea-and-co');

    await page.getByRole('link', { name: 'Activity' }).click();
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
    await rows.filter({ hasText: 'org.updated' }).first().getByText(lea.email).waitFor();
    await page.getByRole('combobox', { name: 'Performed by' }).fill('max');
    await page.getByRole('option', { name: 'Max' }).click();
    await expect.poll(() => rows.filter({ hasText: 'org.updated' }).count()).toBe(0);
    await rows.nth(1).getByRole('button').click();
    await dialog(page).getByText('Request ID').waitFor();
    expect(await dialog(page).getByRole('link').count()).toBe(0);
    await page.keyboard.press('Escape');
    await look(page, 'organization-activity');
    await page.goto('/organization/activity?page=7');
    await page.getByText('There is no page 7').waitFor();
    await page.getByRole('button', { name: 'Go to the last page' }).click();
    await rows.filter({ hasText: 'org.updated' }).first().waitFor();

    const maxs = await open(max, '/organization/settings');
    await maxs.getByText('Only owners can change these settings.').waitFor();
    await maxs.getByText('lea-and-co').waitFor();
    expect(await maxs.getByRole('main').getByRole('textbox').count()).toBe(0);
    expect(await maxs.getByRole('link', { name: 'Activity' }).count()).toBe(0);
    await maxs.goto('/organization/activity');
    await maxs.getByText('Only owners and admins can view the activity').waitFor();
  });

  it('creates a role, assigns it, invites with it and deletes it', async () => {
    const ria = await registerUser(site.url, { organization_name: 'Ria & Co', display_name: 'Ria' });
    const sam = await joinTeam(site, ria, { role: 'admin', display_name: 'Sam' });
    await insertPermission(site.database, 'invoices.read');
    const page = await open(ria, '/organization/roles');
    await page.getByText('No roles yet').waitFor();
    await page.getByRole('button', { name: 'New role' }).click();
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Auditor');
    await dialog(page).getByRole('checkbox', { name: 'audit.read' }).check();
    await dialog(page).getByRole('checkbox', { name: 'invoices.read' }).check();
    await sql`delete from permissions where name = 'invoices.read'`.execute(site.database.db);
    await dialog(page).getByRole('button', { name: 'Create role' }).click();
    await dialog(page).getByText('a permission doesn’t exist').waitFor();
    await look(page, 'role-new');
    await dialog(page).getByRole('checkbox', { name: 'invoices.read' }).uncheck();
    await dialog(page).getByRole('button', { name: 'Create role' }).click();
    await row(page, 'Auditor').getByText('audit.read').waitFor();

    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Assign roles: Sam' }).click();
    await dialog(page).getByRole('checkbox', { name: 'Auditor' }).check();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row(page, 'Sam').getByText('Auditor').waitFor();
    expect((await sam.browser.get('/auth/session')).json.capabilities.roles).toEqual(['auditor']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Sam').getByText('Auditor').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Invitations' }).click();
    await page.getByLabel('Email').fill('tom@example.com');
    await page.getByRole('checkbox', { name: 'Auditor' }).check();
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await row(page, 'tom@example.com').getByText('Auditor').waitFor();
    const tom = await acceptByMail(site, { email: 'tom@example.com', display_name: 'Tom' });
    expect((await tom.browser.get('/auth/session')).json.capabilities.permissions).toContain('audit.read');

    // An admin cannot give, change or delete a role with permissions that they do not have.
    await insertRole(site.database, ria.organization_id, 'Treasurer', 'invoices.pay');
    const sams = await open(sam, '/organization/roles');
    await row(sams, 'Treasurer').getByText('It contains permissions that you don’t have.').waitFor();
    expect(await row(sams, 'Treasurer').getByRole('button').count()).toBe(0);
    await sams.getByRole('button', { name: 'New role' }).click();
    const closed = dialog(sams).getByRole('checkbox', { name: 'invoices.pay' });
    expect(await closed.isDisabled()).toBe(true);
    await dialog(sams).getByText('You don’t have this permission, so you can’t give it to others.').waitFor();
    const { items } = (await ria.browser.get(`/orgs/${ria.organization_id}/roles`)).json;
    await ria.browser.send('PUT', `/orgs/${ria.organization_id}/members/${tom.user_id}/roles`, {
      body: { role_ids: items.map(({ id }: { id: string }) => id) },
    });
    await sams.goto('/organization/members');
    await sams.getByRole('button', { name: 'Assign roles: Tom' }).click();
    await dialog(sams).getByText('This member has a role with permissions that you don’t have.').waitFor();
    expect(await dialog(sams).getByRole('checkbox', { name: 'Auditor' }).isDisabled()).toBe(true);

    await page.getByRole('link', { name: 'Roles' }).click();
    await look(page, 'roles');
    await page.getByRole('button', { name: 'Delete: Auditor' }).click();
    await dialog(page).getByText('1 member loses it.').waitFor();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await row(page, 'Auditor').waitFor({ state: 'detached' });
    expect((await tom.browser.get('/auth/session')).json.capabilities.permissions).not.toContain('audit.read');
  });

  it('the pages are usable in German on a phone, and not widened by long names', async () => {
    const name = 'W'.repeat(120);
    const owner = await registerUser(site.url, { organization_name: 'M'.repeat(120), display_name: name });
    await joinTeam(site, owner, { display_name: 'Bea' });
    const page = await open(owner, '/organization/members', { phone: true, locale: 'de-DE' });
    await row(page, 'Bea').getByRole('button', { name: 'Rolle ändern: Bea' }).waitFor();
    await look(page, 'phone-members');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    // On a wide screen, the two buttons of a row are on one line, also beside a long name.
    await page.setViewportSize({ width: 1280, height: 860 });
    const places = ['Rolle ändern: Bea', 'Entfernen: Bea'].map((label) =>
      row(page, 'Bea').getByRole('button', { name: label }).boundingBox(),
    );
    const [change, remove] = await Promise.all(places);
    expect(remove!.y).toBe(change!.y);
    // On a very narrow screen, the name of the organization is cut, and not the menu of the user.
    await page.setViewportSize({ width: 320, height: 640 });
    const menu = page.getByRole('banner').getByRole('button', { name: 'Menü' }).last();
    expect((await menu.boundingBox())!.width).toBeGreaterThan(40);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 390, height: 844 });

    await page.getByRole('button', { name: `Rolle ändern: ${name}` }).click();
    await dialog(page).getByRole('radio').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.keyboard.press('Escape');

    // Neither the closed menu nor the page behind the open menu is reachable by keyboard.
    const invitations = page.getByRole('link', { name: 'Einladungen' });
    expect(await invitations.count()).toBe(0);
    await page.getByRole('button', { name: 'Menü', exact: true }).click();
    await invitations.waitFor();
    expect(await page.getByRole('row').count()).toBe(0);
    await look(page, 'phone-menu');
    await page.keyboard.press('Escape');
    await row(page, 'Bea').waitFor();
    await page.getByRole('button', { name: 'Menü', exact: true }).click();
    await invitations.click();
    await page.getByRole('heading', { level: 1, name: 'Einladungen' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);

    for (const title of ['Rollen', 'Aktivität', 'Einstellungen']) {
      await page.getByRole('button', { name: 'Menü', exact: true }).click();
      await page.getByRole('link', { name: title }).click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    }
    await page.getByRole('button', { name: `Menü von ${name}` }).click();
    await look(page, 'phone-user-menu');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('dialog').getByLabel('Sprache').selectOption('English');
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/signed-out');
  });
});
