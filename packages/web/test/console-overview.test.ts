import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { PASSWORD, registerUser, type TestUser } from '../../server/test/browser.ts';
import { expectNoSideways, OWNED, registerOwner, tryToSignIn, visitAs } from './console-fixture.ts';
import { describePages, look, openPages } from './pages.ts';

const env = { ...OWNED, OAUTH_B_CLIENT_ID: 'of-the-environment', OAUTH_B_CLIENT_SECRET: 'secret-of-github' };

describePages('the console: overview and flags', () => {
  const site = openPages({ env });
  let owner: TestUser;
  let acme: TestUser;
  beforeAll(async () => {
    owner = await registerOwner(site.url);
    acme = await registerUser(site.url, { organization_name: 'Acme Ltd' });
  });
  const flagOf = (page: Page) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'new-dashboard' }) });
  const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true });

  it('shows sign-ins as labelled bars and as a table, with the range in the URL; before the first, empty charts', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console');
    await page.getByText('No sign-ins in this period.').waitFor();
    await page.getByText('No failed attempts in this period.').waitFor();
    await page.getByText('Ready', { exact: true }).waitFor();

    for (let times = 0; times < 3; times++) await tryToSignIn(site.url, acme.email, PASSWORD);
    await tryToSignIn(site.url, acme.email, 'a wrong password');
    await page.reload();
    const metrics = page.getByRole('region', { name: 'Metrics' });
    await metrics.getByText('Users').waitFor();
    // Two users have registered, and one of them has signed in three more times.
    expect((await metrics.getByRole('definition').allInnerTexts()).slice(0, 3)).toEqual(['2', '2', '5']);
    const chart = page.getByRole('group', { name: '3 sign-ins' });
    await chart.getByRole('img', { name: /: 3 sign-ins$/ }).focus();
    await page.keyboard.press('ArrowLeft');
    await chart
      .getByRole('img', { name: /: 0 sign-ins$/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('End');
    await look(page, 'console-overview');

    await page.getByText('7 days').click();
    await page.waitForURL('**/console?range=7d');
    await page.getByText('Show as table').click();
    const table = page.getByRole('table');
    await table.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor();
    expect(await table.getByRole('row').count()).toBe(8);
    expect(await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual(['3', '1']);
    await page.reload();
    await page.getByRole('radio', { name: '7 days' }).and(page.locator(':checked')).waitFor({ state: 'attached' });

    // Without CONFIG_ENCRYPTION_KEY no provider secret can be saved. The environment configures one provider.
    await page.getByRole('link', { name: 'Providers' }).click();
    await page.getByText('Secrets cannot be saved yet').waitFor();
    await page.getByText('openssl rand -base64 32').waitFor();
    await page.getByRole('link', { name: 'GitHub' }).click();
    await page.getByText('Uses the settings from the environment.').waitFor();
    await page.getByText('A secret cannot be saved: CONFIG_ENCRYPTION_KEY is not set.').waitFor();
  });

  it('flag: shows errors, is created, overridden for one organization, switched and removed', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/flags');
    await page.getByText('No flags yet').waitFor();
    await button(page, 'Create flag').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key').fill('new dashboard');
    await dialog.getByLabel('Value').fill('{\n  "percent": 25,\n}');
    await button(dialog, 'Save').click();
    await dialog.getByText('Use 1 to 120 letters, digits and symbols, without spaces.').waitFor();
    await dialog.getByText('Line 3, column 1: this is not valid JSON.').waitFor();
    await look(page, 'console-flag-editor');
    await dialog.getByLabel('Value').fill('[25]');
    await dialog.getByText('The value must be an object: { … }.').waitFor();
    await dialog.getByLabel('Value').fill('{"percent":25}');
    await button(dialog, 'Format').click();
    expect(await dialog.getByLabel('Value').inputValue()).toBe('{\n  "percent": 25\n}');
    await dialog.getByLabel('Key').fill('new-dashboard');
    await button(dialog, 'Save').click();
    await dialog.waitFor({ state: 'detached' });
    const flag = flagOf(page);
    await flag.getByText('{"percent":25}').waitFor();
    await page.getByRole('combobox', { name: 'Organization' }).fill('acm');
    await page.getByRole('option', { name: 'Acme Ltd' }).click();
    await page.waitForURL(`**/console/flags?organization_id=${acme.organization_id}`);
    await button(flag, 'Override').click();
    await dialog.getByRole('switch').and(page.locator(':focus')).waitFor({ state: 'attached' });
    await dialog.getByLabel('Value').fill('{"percent":100}');
    await button(dialog, 'Save').click();
    await flag.getByText('{"percent":100}').waitFor();
    await flag.getByRole('switch', { name: 'new-dashboard, Default: enabled' }).click({ force: true });
    await flag.getByText('Off', { exact: true }).waitFor();
    const mine = async () => (await acme.browser.get('/feature-flags')).json;
    expect(await mine()).toEqual({ 'new-dashboard': { enabled: true, value: { percent: 100 } } });
    await page.reload();
    await flag.getByText('For Acme Ltd').waitFor();
    await look(page, 'console-flags');

    await button(flag, 'Remove new-dashboard, For Acme Ltd').click();
    await dialog.getByText('For Acme Ltd, the default of new-dashboard applies again.').waitFor();
    await button(dialog, 'Remove').click();
    await flag.getByText('Same as default').waitFor();
    expect(await mine()).toEqual({ 'new-dashboard': { enabled: false, value: { percent: 25 } } });
    await button(flag, 'Remove new-dashboard, Default').click();
    await button(dialog, 'Remove').click();
    await page.getByText('No flags yet').waitFor();
    await page.goto('/console/flags?organization_id=01900000-0000-7000-8000-000000000000');
    await page.getByText('This organization does not exist. The defaults are shown.').waitFor();
  });

  it('the overview is usable in German on a phone', async () => {
    const page = await visitAs(site, owner, { locale: 'de-DE', phone: true });
    await page.goto('/console');
    await page.getByText('3 Anmeldungen').first().waitFor();
    await expectNoSideways(page);
    await look(page, 'console-overview-phone');
    await page.getByRole('button', { name: 'Menü', exact: true }).click();
    await page.getByRole('link', { name: 'Feature-Flags' }).click();
    await page.getByText('Noch keine Flags').waitFor();
    await expectNoSideways(page);
  });
});
