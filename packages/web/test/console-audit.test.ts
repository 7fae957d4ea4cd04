import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { AUDIT_ACTIONS } from '../../contract/src/index.ts';
import { registerUser, type TestUser } from '../../server/test/browser.ts';
import { fromField, toField } from '../src/activity/filters.ts';
import { actions } from '../src/activity/text/en-actions.ts';
import { expectNoSideways, OWNED, registerOwner, tryToSignIn, visitAs } from './console-fixture.ts';
import { describePages, expectAccessible, expectRaised, look, openPages, photograph } from './pages.ts';

it('every audit action can be selected', () => {
  expect(Object.keys(actions)).toEqual([...AUDIT_ACTIONS]);
});

it('converts times between URL and field; a minute in a field means its first or its last millisecond', () => {
  const moment = '2026-03-04T05:06:00.000Z';
  expect(fromField(toField(moment), 'first')).toBe(moment);
  expect(fromField(toField(moment), 'last')).toBe('2026-03-04T05:06:59.999Z');
  expect([toField('yesterday'), toField(undefined), fromField('', 'last')]).toEqual(['', '', undefined]);
});

const KEY = 'a key to sign exports with, for tests';

describePages('the console: audit trail', () => {
  const site = openPages({ env: { ...OWNED, TIER: 'premium', AUDIT_EXPORT_KEY: KEY } });
  let owner: TestUser;
  let ada: TestUser;
  beforeAll(async () => {
    owner = await registerOwner(site.url);
    ada = await registerUser(site.url, { organization_name: 'Acme Ltd', display_name: 'Ada' });
    await tryToSignIn(site.url, ada.email, 'a wrong password');
    for (let times = 0; times < 26; times++) await ada.browser.patch('/users/me', { display_name: `Ada ${times}` });
  });
  const rows = (page: Page) => page.getByRole('table', { name: 'Events' }).getByRole('row');

  it('keeps filters and page in the URL, and shows all fields of an event', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/audit');
    await page.getByText('Page 1 of 2').waitFor();
    await look(page, 'console-audit');
    await page.getByRole('combobox', { name: 'Action' }).fill('auth.log');
    await page.getByRole('option', { name: 'Sign-in with a password' }).click();
    await page.waitForURL('**/console/audit?action=auth.login');
    await page.getByText('1 event', { exact: true }).waitFor();
    await rows(page).filter({ hasText: 'not signed in' }).getByText('Failed').waitFor();
    await page.reload();
    await page.getByText('1 event', { exact: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('Sign-in with a password');

    await page.getByRole('button', { name: 'Sign-in with a password' }).click();
    const detail = page.getByRole('dialog', { name: 'Sign-in with a password' });
    await detail.getByText('"reason": "credentials"').waitFor();
    await detail.getByRole('link', { name: 'Acme Ltd' }).waitFor();
    expect(await detail.getByRole('link', { name: ada.user_id }).getAttribute('href')).toBe(
      `/console/users/${ada.user_id}`,
    );
    await look(page, 'console-audit-event');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign-in with a password' }).and(page.locator(':focus')).waitFor();
    await page.goBack();
    await page.getByText('Page 1 of 2').waitFor();

    // A changed filter returns to the first page.
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    expect(new URL(page.url()).search).toBe('?page=2');
    await page.getByRole('combobox', { name: 'Performed by' }).fill(ada.email);
    await page.getByRole('option', { name: ada.email }).click();
    await page.waitForURL(`**/console/audit?user_id=${ada.user_id}`);
    await page.getByLabel('Until').fill('2020-01-01T00:00');
    await page.getByText('No events match these filters').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/:59\.999Z$/);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL('**/console/audit');
    expect(await page.getByLabel('Until').inputValue()).toBe('');

    await page.goto('/console/audit?from=yesterday');
    await page.getByRole('alert').getByText('Check the filters, or clear them.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Page 1 of 2').waitFor();

    // Events without a user are of the service or of an anonymous client, see above.
    await page.goto('/console/audit?action=platform_role.changed');
    await rows(page).getByRole('cell', { name: 'service or command line' }).waitFor();
    await rows(page).getByRole('button').click();
    await page.getByRole('dialog').getByText('service or command line').waitFor();
  });

  it('marks and announces new events in live mode, which paging ends; downloads the export', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/audit');
    await page.getByText('Page 1 of 2').waitFor();
    await page.getByRole('switch', { name: 'Follow live' }).click({ force: true });
    await page.waitForURL('**/console/audit?live=1');
    expect(await page.getByText('New', { exact: true }).count()).toBe(0);
    await registerUser(site.url);
    await rows(page).nth(1).getByText('New', { exact: true }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: '2 new events, the latest: Organization created' })
      .waitFor({ state: 'attached' });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page
      .getByRole('switch', { name: 'Follow live' })
      .and(page.locator(':not(:checked)'))
      .waitFor({ state: 'attached' });

    await page.getByRole('button', { name: 'Export …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export audit trail' });
    await dialog.getByText('npx gatehouse audit verify').waitFor();
    await look(page, 'console-audit-export');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Download' }).click(),
    ]);
    await dialog.getByText('The download has started.').waitFor();
    const file = await download.path();
    expect(download.suggestedFilename()).toMatch(/^audit-.*\.ndjson$/);
    expect(readFileSync(file, 'utf8')).toContain(ada.user_id);
  });

  it('the page is usable in German on a phone', async () => {
    const page = await visitAs(site, owner, { locale: 'de-DE', phone: true });
    await page.goto('/console/audit');
    await page.getByRole('button', { name: 'Profil geändert' }).first().waitFor();
    await expectNoSideways(page);
    await look(page, 'console-audit-phone');
    await page.getByRole('combobox', { name: 'Aktion' }).click();
    await page.getByRole('option').first().waitFor();
    await expectRaised(page.locator('.mantine-Select-dropdown').filter({ visible: true }));
    await expectNoSideways(page);

    // On a low screen, the menu scrolls and keeps its headings.
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 400 });
    await page.getByRole('button', { name: 'Menü', exact: true }).click();
    const menu = page.getByRole('navigation', { name: 'Hauptnavigation' });
    for (const name of ['Konto', 'Organisation', 'Konsole']) {
      await menu.getByRole('link', { name, exact: true }).waitFor();
    }
    await menu.getByText('Konsole', { exact: true }).last().waitFor();
    const hidden = (element: { scrollHeight: number; clientHeight: number }) =>
      element.scrollHeight - element.clientHeight;
    expect(await menu.evaluate(hidden)).toBeGreaterThan(0);
    // Not checked with axe: on a screen this low, it does not recognize that the menu covers the page.
    // `team-members.test.ts` checks the menu on a taller screen (`phone-menu`).
    await photograph(page, 'console-menu-low-phone');
  });
});
