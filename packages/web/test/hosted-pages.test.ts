import { expect, it } from 'vitest';
import { PAGES } from '../src/pages.ts';
import { heading } from './hosted-fixture.ts';
import { describePages, expectFocusMark, look, openPages } from './pages.ts';

/** The headings without a session, token or search parameters. */
const HEADINGS: Readonly<Record<string, string>> = {
  '/': 'Welcome',
  '/sign-in': 'Sign in',
  '/sign-in/mfa': 'Please sign in again',
  '/second-factor': 'Sign in',
  '/register': 'Registration is closed',
  '/forgot-password': 'Choose a new password',
  '/reset-password': 'This link is no longer valid',
  '/verify-email': 'This link is no longer valid',
  '/accept-invitation': 'Incomplete invitation link',
  '/consent': 'This request is no longer valid',
  '/signed-out': 'You are signed out',
};

/** Pages that no other test checks with axe in this state. */
const PICTURES: Readonly<Record<string, string>> = {
  '/sign-in/mfa': 'hosted-mfa-nothing',
  '/register': 'hosted-registration-closed',
  '/verify-email': 'hosted-verify-dead',
  '/accept-invitation': 'hosted-invitation-incomplete',
  '/consent': 'hosted-consent-dead',
  '/signed-out': 'hosted-signed-out',
};

/** The maximum size of the gzipped scripts of the sign-in page, including its language. */
const MAX_SCRIPT_BYTES = 90_000;
const MAX_REQUESTS = 12;

describePages('the hosted pages of a service with closed registration', () => {
  const site = openPages({ built: true, env: { REGISTRATION: 'closed' } });

  it('the hosted pages each have a heading and a link or button, and do not offer registration', async () => {
    const { page } = await site.visit();
    const hosted = Object.keys(PAGES).filter((path) => PAGES[path] === 'hosted');
    expect(hosted).toEqual(Object.keys(HEADINGS));
    for (const path of hosted) {
      await page.goto(path);
      await heading(page, HEADINGS[path]!);
      expect(await page.getByRole('main').locator('a, button').count(), path).toBeGreaterThan(0);
      expect(await page.getByRole('link', { name: 'Create an organization' }).count(), path).toBe(0);
      const picture = PICTURES[path];
      if (picture) await look(page, picture);
      if (path !== '/sign-in') continue;
      for (const name of ['Language', 'Appearance']) await expectFocusMark(page.getByRole('combobox', { name }));
    }
  });

  it('the scripts and requests of the sign-in page are within the budget, and no request fails', async () => {
    const { page } = await site.visit({ locale: 'de-DE' });
    const scripts = new Set<string>();
    const statuses: number[] = [];
    page.on('request', (request) => request.url().endsWith('.js') && scripts.add(request.url()));
    page.on('response', (response) => statuses.push(response.status()));
    await page.goto('/sign-in');
    await heading(page, 'Anmelden');
    await page.waitForLoadState('networkidle');
    expect(statuses.length).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    // The document names all scripts, so that the browser loads them before the first module runs.
    expect(await page.evaluate('document.querySelectorAll("link[rel=modulepreload], script[src]").length')).toBe(
      scripts.size,
    );
    const sizes = await Promise.all(
      [...scripts].map(async (url) => {
        const answer = await page.request.head(url, { headers: { 'accept-encoding': 'gzip' } });
        expect(answer.headers()['content-encoding'], url).toBe('gzip');
        return Number(answer.headers()['content-length']);
      }),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(MAX_SCRIPT_BYTES / 2);
    expect(total).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('the hosted pages say that the service does not respond, with a button to try again, or that the browser is offline', async () => {
    const { page, context } = await site.visit();
    await page.route('**/v1/auth/providers', (route) => route.abort(), { times: 1 });
    await page.goto('/sign-in');
    await heading(page, 'This page cannot be shown right now');
    await page.getByText('The service cannot be reached.').waitFor();
    await look(page, 'hosted-unreachable');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill('ada@example.com');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('alert').getByText('You’re offline.').waitFor();
  });
});
