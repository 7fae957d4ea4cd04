import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { registerUser } from '../../server/test/browser.ts';
import { OWNED, registerOwner, visitAs } from './console-fixture.ts';
import { enterAs } from './enter-as.ts';
import { heading } from './hosted-fixture.ts';
import { describePages, expectAccessible, look, openPages, photograph, styleOf } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'gh-brand-'));
const logo = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 24"><rect width="90" height="24" rx="4" fill="${color}"/></svg>`;
writeFileSync(join(folder, 'logo.svg'), logo('#8a1c4a'));
writeFileSync(join(folder, 'dark.svg'), logo('#f6a8c8'));
afterAll(() => rmSync(folder, { recursive: true }));

const env = {
  ...OWNED,
  BRAND_NAME: 'Example & Co',
  BRAND_LOGO: join(folder, 'logo.svg'),
  BRAND_LOGO_DARK: join(folder, 'dark.svg'),
  BRAND_COLOR: '#8a1c4a',
  SUPPORT_URL: 'https://example.com/help',
  PRIVACY_URL: 'https://example.com/privacy',
  TERMS_URL: 'https://example.com/terms',
  PASSWORD_MIN_STRENGTH: '4',
};

describePages('pages with branding', () => {
  const site = openPages({ env });

  it('show logo, colour and links on the sign-in page, in both colour schemes', async () => {
    const { page } = await site.visit();
    await page.goto('/sign-in');
    await heading(page, 'Sign in');
    expect(await page.title()).toBe('Sign in · Example & Co');
    const light = page.locator('header img[src="/brand/logo"]');
    const dark = page.locator('header img[src="/brand/logo-dark"]');
    expect([await light.isVisible(), await dark.isVisible()]).toEqual([true, false]);
    expect(
      await light.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(0);
    const button = page.getByRole('button', { name: 'Sign in', exact: true });
    await expect.poll(() => styleOf(button, 'backgroundColor')).toBe('rgb(138, 28, 74)');
    for (const [name, url] of [
      ['Help', env.SUPPORT_URL],
      ['Privacy policy', env.PRIVACY_URL],
      ['Terms of service', env.TERMS_URL],
    ]) {
      expect(await page.getByRole('link', { name: name! }).getAttribute('href')).toBe(url);
    }
    await look(page, 'brand-sign-in');
    expect([await light.isVisible(), await dark.isVisible()]).toEqual([false, true]);
  });

  it('show that a new password is weaker than the service requires', async () => {
    const { page } = await site.visit();
    await page.goto('/register');
    await page.getByLabel('Password', { exact: true }).fill('password1234');
    await page.getByText('Strength: weak. The password must be at least “strong”. This is similar to').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
    await page.getByText('Strength: strong.', { exact: true }).waitFor();
  });

  it('show a page for an unknown address, in the language of the browser', async () => {
    for (const [locale, title, action] of [
      ['en-GB', 'Page not found', 'Sign in'],
      ['de-DE', 'Seite nicht gefunden', 'Anmelden'],
    ] as const) {
      const { page } = await site.visit({ locale, phone: locale === 'de-DE' });
      const answer = await page.goto('/no/such/page');
      expect(answer!.status()).toBe(404);
      await heading(page, title);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page, colorScheme === 'dark' ? ['color-contrast'] : undefined);
        await photograph(page, `not-found-${locale}-${colorScheme}`);
      }
      await page.getByRole('link', { name: action }).click();
      await page.waitForURL('**/sign-in');
    }
  });

  it('show the account in its language, whatever the browser prefers; a choice is stored in the account', async () => {
    const user = await registerUser(site.url, { locale: 'de' });
    const visit = await site.visit({ locale: 'en-GB' });
    await enterAs(visit, user.browser, site.url);
    const { page } = visit;
    await page.goto('/account');
    await heading(page, 'Profil');
    await look(page, 'brand-account');
    await page.getByRole('button', { name: /^Menü/ }).click();
    await page.getByRole('banner').getByLabel('Sprache').selectOption('en');
    await heading(page, 'Profile');
    await expect.poll(async () => (await user.browser.get('/users/me')).json.locale).toBe('en');
    await page.reload();
    await heading(page, 'Profile');
  });

  it('show the charts of the console in the brand colour, in both colour schemes', async () => {
    const owner = await registerOwner(site.url);
    const page = await visitAs(site, owner, { scheme: 'dark' });
    await page.goto('/console');
    await page.locator('div[data-tone="good"]').waitFor();
    const colors = `['--bar', '--accent'].map((name) =>
      getComputedStyle(document.querySelector('div[data-tone="good"]')).getPropertyValue(name))`;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
      const [bar, accent] = await page.evaluate<string[]>(colors);
      expect(bar).toBe(accent);
    }
  });

  it('search the reference, and copy an example', async () => {
    const { page, context } = await site.visit();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/docs');
    await heading(page, 'Example & Co API');
    const all = await page.locator('.operation:visible').count();
    await page.keyboard.press('/');
    await page.keyboard.type('send-reset');
    await page.getByText('1 endpoint found').waitFor();
    expect([all > 50, await page.locator('.operation:visible').count()]).toEqual([true, 1]);
    await photograph(page, 'docs-search');
    await page.locator('.operation:visible').getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('/send-reset');
    await page.keyboard.press('Escape');
    await page.getByLabel('Search endpoints').press('Escape');
    await expect.poll(() => page.locator('.operation:visible').count()).toBe(all);
    // Checks every tenth endpoint with axe: they have the same structure, and all of them would take twenty seconds.
    await page.evaluate(`document.querySelectorAll('.operation').forEach((each, n) => n % 10 > 0 && each.remove())`);
    await expectAccessible(page);
  });
});
