import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { AUDIT_ACTIONS } from '../../contract/src/index.ts';
import { PASSWORD, registerUser, type TestUser } from '../../server/test/browser.ts';
import { runCommand } from '../../server/test/process.ts';
import { fromField, toField } from '../src/console/audit/filters.ts';
import { actions } from '../src/console/audit/text/en-actions.ts';
import { expectNoSideways, OWNED, registerOwner, tryToSignIn, visitAs } from './console-fixture.ts';
import { describePages, expectAccessible, expectRaised, look, openPages } from './pages.ts';

it('every action can be chosen', () => {
  expect(Object.keys(actions)).toEqual([...AUDIT_ACTIONS]);
});

it('moments go from the address to a field and back; a minute has a first and a last moment', () => {
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

  it('filters and pages are in the address, survive a reload, and can be gone back from', async () => {
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
    await page.goBack();
    await page.getByText('Page 1 of 2').waitFor();
  });

  it('a filter begins on the first page; all of them are cleared at once', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/audit?page=2');
    await page.getByText('Page 2 of 2').waitFor();
    await page.getByRole('combobox', { name: 'Performed by' }).fill(ada.email);
    await page.getByRole('option', { name: ada.email }).click();
    await page.waitForURL(`**/console/audit?user_id=${ada.user_id}`);
    await page.getByLabel('Until').fill('2020-01-01T00:00');
    await page.getByText('No events match these filters').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toMatch(/:59\.999Z$/);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL('**/console/audit');
    expect(await page.getByLabel('Until').inputValue()).toBe('');
  });

  it('an event with all it holds, and where it leads', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/audit?action=auth.login');
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
  });

  it('followed live: what is new is marked and said, and paging ends it', async () => {
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
  });

  it('the export is downloaded, and its signature holds', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/audit');
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
    const verified = await runCommand(['audit', 'verify', file], { cwd: tmpdir(), env: { AUDIT_EXPORT_KEY: KEY } });
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('The signature is valid') });
  });

  it('an address that asks for what cannot be is no dead end', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/audit?from=yesterday');
    await page.getByRole('alert').getByText('Check the filters, or clear them.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('Page 1 of 2').waitFor();
  });

  it('in German on a phone', async () => {
    const page = await visitAs(site, owner, { locale: 'de-DE', phone: true });
    await page.goto('/console/audit');
    await page.getByRole('button', { name: 'Profil geändert' }).first().waitFor();
    await expectNoSideways(page);
    await look(page, 'console-audit-phone');
    await page.getByRole('combobox', { name: 'Aktion' }).click();
    await page.getByRole('option').first().waitFor();
    await expectRaised(page.locator('.mantine-Select-dropdown').filter({ visible: true }));
    await expectNoSideways(page);
  });

  it('on a low phone, the menu scrolls and keeps its headings', async () => {
    const page = await visitAs(site, owner, { phone: true });
    await page.setViewportSize({ width: 390, height: 500 });
    await page.goto('/console/audit');
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const menu = page.getByRole('navigation', { name: 'Main' });
    for (const title of ['Account', 'Organization · Platform', 'Console']) {
      await menu.getByText(title, { exact: true }).waitFor();
    }
    const hidden = (element: { scrollHeight: number; clientHeight: number }) =>
      element.scrollHeight - element.clientHeight;
    expect(await menu.evaluate(hidden)).toBeGreaterThan(0);
    await look(page, 'console-menu-low-phone');
  });

  it('nobody who was signed in: the service itself, and somebody it does not know', async () => {
    await tryToSignIn(site.url, 'stranger@example.com', PASSWORD);
    const page = await visitAs(site, owner);
    await page.goto('/console/audit?action=platform_role.changed');
    await rows(page).getByRole('cell', { name: 'service or command line' }).waitFor();
    await rows(page).getByRole('button').click();
    await page.getByRole('dialog').getByText('service or command line').waitFor();
    await page.goto('/console/audit?action=auth.login');
    await rows(page).getByRole('cell', { name: 'not signed in' }).first().waitFor();
  });
});
