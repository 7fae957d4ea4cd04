import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { registerUser, type TestUser } from '../../server/test/browser.ts';
import { enterAs } from './enter-as.ts';
import { describePages, look, openPages, type VisitOptions } from './pages.ts';
import { joinTeam } from './team.ts';

describePages('the page of machines', () => {
  const site = openPages();
  let ada: TestUser;
  beforeAll(async () => {
    ada = await registerUser(site.url, { organization_name: 'Analytical Engines', display_name: 'Ada' });
  });

  async function open(user: TestUser, path: string, options?: VisitOptions): Promise<Page> {
    const visit = await site.visit(options);
    await enterAs(visit, user.browser, site.url);
    await visit.page.goto(path);
    return visit.page;
  }
  const dialog = (page: Page) => page.getByRole('dialog');
  const row = (page: Page, name: string) => page.getByRole('row', { name });
  const shownKey = async (page: Page): Promise<string> => {
    await dialog(page).getByText('Copy the key now').waitFor();
    return (await dialog(page).locator('code').first().textContent())!;
  };
  const statusOf = async (key: string): Promise<number> =>
    (await fetch(`${site.url}/v1/auth/session`, { headers: { authorization: `Bearer ${key}` } })).status;

  it('creates a service account and a key, rotates and ends keys, disables and deletes the account', async () => {
    await ada.browser.post(`/orgs/${ada.organization_id}/roles`, { name: 'Auditor', permissions: ['audit.read'] });
    const page = await open(ada, '/organization/members');
    await page.getByRole('link', { name: 'Machines' }).click();
    await page.getByText('No service accounts yet').waitFor();
    await page.getByRole('button', { name: 'New service account' }).click();
    await dialog(page).getByLabel('Name').fill('Nightly import');
    await dialog(page).getByLabel('Description (optional)').fill('Reads the members every night');
    await dialog(page).getByRole('checkbox', { name: 'Auditor' }).check();
    await dialog(page).getByRole('button', { name: 'Create service account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Nightly import' }).waitFor();

    await page.getByRole('button', { name: 'New key' }).click();
    await dialog(page).getByLabel('Name').fill('Production');
    await dialog(page).getByRole('radio', { name: 'Only these permissions' }).check();
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByText('Choose at least one permission.').waitFor();
    await dialog(page).getByRole('checkbox', { name: 'audit.read' }).check();
    await dialog(page).getByLabel('Allowed addresses (optional)').fill('not an address');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByRole('alert').getByText('An address, network or origin is not valid').waitFor();
    await dialog(page).getByLabel('Allowed addresses (optional)').fill('127.0.0.0/8\n::1');
    await look(page, 'machines-key-form');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const key = await shownKey(page);
    expect(await statusOf(key)).toBe(200);
    // The key is not lost by Escape.
    await page.keyboard.press('Escape');
    await dialog(page).getByText(`curl -H 'Authorization: Bearer ${key}'`).waitFor();
    await look(page, 'machines-key');
    await dialog(page).getByRole('button', { name: 'I’ve saved the key' }).click();
    await page.getByRole('button', { name: 'New key' }).and(page.locator(':focus')).waitFor();
    await row(page, 'Production').getByText('audit.read').waitFor();
    await row(page, 'Production').locator('time').waitFor();
    expect(await page.content()).not.toContain(key);
    await look(page, 'machine');

    await page.getByRole('button', { name: 'Rotate: Production' }).click();
    await dialog(page).getByLabel('The old key stops working').selectOption('after 1 hour');
    await dialog(page).getByRole('button', { name: 'Create new key' }).click();
    const newKey = await shownKey(page);
    await dialog(page).getByRole('button', { name: 'I’ve saved the key' }).click();
    expect([await statusOf(key), await statusOf(newKey)]).toEqual([200, 200]);
    // The newest key is the first.
    await page.getByRole('button', { name: 'Revoke: Production' }).nth(1).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('status').getByText('Production revoked').waitFor();
    expect([await statusOf(key), await statusOf(newKey)]).toEqual([401, 200]);

    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await statusOf(newKey)).toBe(401);
    await page.getByRole('button', { name: 'Enable' }).click();
    await dialog(page).getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    expect(await statusOf(newKey)).toBe(200);

    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Name').fill('Hourly import');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Hourly import' }).waitFor();
    await page.getByRole('link', { name: 'Machines' }).first().click();
    await row(page, 'Hourly import').getByText('Auditor').waitFor();
    await look(page, 'machines');
    await page.getByRole('link', { name: 'Manage: Hourly import' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const confirm = dialog(page).getByRole('button', { name: 'Delete' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Type Hourly import to confirm').fill('Hourly import');
    await confirm.click();
    await page.getByText('No service accounts yet').waitFor();
    expect(await statusOf(newKey)).toBe(401);
  });

  it('the page is usable in German on a phone, and a member without the permission sees who may use it', async () => {
    await ada.browser.post(`/orgs/${ada.organization_id}/service-accounts`, { name: 'W'.repeat(120) });
    const page = await open(ada, '/organization/machines', { phone: true, locale: 'de-DE' });
    await page.getByRole('link', { name: `Verwalten: ${'W'.repeat(120)}` }).click();
    await page.getByRole('button', { name: 'Neuer Schlüssel' }).click();
    await dialog(page).getByLabel('Name').fill('Produktion');
    await dialog(page).getByRole('button', { name: 'Schlüssel erstellen' }).click();
    await dialog(page).getByText('Kopieren Sie den Schlüssel jetzt').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);

    const bea = await joinTeam(site, ada, { role: 'member', display_name: 'Bea' });
    const beas = await open(bea, '/organization/machines');
    await beas.getByText('Only owners and admins can manage machines').waitFor();
    expect(await beas.getByRole('link', { name: 'Machines' }).count()).toBe(0);
  });
});
