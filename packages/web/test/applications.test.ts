import { createHash } from 'node:crypto';
import type { Application } from '@gatehouse/contract';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { registerUser } from '../../server/test/browser.ts';
import { type Enrolled, enrol, enrolNew } from '../../server/test/second-factor.ts';
import { insertMembership } from '../../server/test/team.ts';
import { expectNoSideways, OWNED, registerOwner, visitAs } from './console-fixture.ts';
import { heading, signIn } from './hosted-fixture.ts';
import { describePages, expectAccessible, look, openPages } from './pages.ts';

const CALLBACK = 'https://wiki.example.com/callback';
const CHALLENGE = createHash('sha256').update('verifier').digest('base64url');

describePages('applications: console, consent, account', () => {
  const site = openPages({ env: OWNED });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  let owner: Enrolled;
  let wiki: Application;
  beforeAll(async () => {
    owner = await enrol(site.url, await registerOwner(site.url));
    const { json } = await owner.browser.post('/admin/applications', {
      name: 'Notes',
      kind: 'spa',
      redirect_uris: [CALLBACK],
    });
    wiki = json;
  });

  /** Sends the browser to the service as the application would, and answers at the redirect address. */
  async function authorize(page: Page, parameters: Record<string, string> = {}): Promise<void> {
    await page.route(`${CALLBACK}*`, (route) => route.fulfill({ body: 'returned' }));
    const query = new URLSearchParams({
      client_id: wiki.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid email organization offline_access',
      state: 'here',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...parameters,
    });
    await page.goto(`/oauth/authorize?${query}`);
  }
  const returned = async (page: Page): Promise<URLSearchParams> => {
    await page.waitForURL(`${CALLBACK}?*`);
    return new URL(page.url()).searchParams;
  };

  it('an administrator creates an application, its secret, changes it, disables and deletes it', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/applications');
    await button(page, 'New application').click();
    await page.getByLabel('Name').fill('Team wiki');
    await page.getByLabel('Redirect URIs').fill('http://wiki.example.com/callback');
    await button(page, 'Create application').click();
    await page.getByText('Use https, or http only for localhost').waitFor();
    await look(page, 'console-application-new');
    await page.getByLabel('Redirect URIs').fill(CALLBACK);
    await button(page, 'Create application').click();
    await heading(page, 'Team wiki');
    await page.getByText(`${site.url}/oauth/.well-known/openid-configuration`).waitFor();

    await button(page, 'New secret').click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog', { name: 'Copy the secret now' }).waitFor();
    const secret = await page.getByLabel('Secret', { exact: true }).textContent();
    expect(secret?.length).toBeGreaterThanOrEqual(32);
    await button(page, 'I have saved it').click();
    await page.getByRole('table', { name: 'Secrets of the application' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await look(page, 'console-application');

    await page.getByLabel('offline_access').check();
    await page.getByLabel('Trusted').check();
    await button(page, 'Save').click();
    await page.getByText('Team wiki saved').waitFor();
    await button(page, 'Disable').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await button(page, 'Enable').waitFor();
    const { json } = await owner.browser.get('/admin/applications');
    expect(json.items.find(({ name }: Application) => name === 'Team wiki')).toMatchObject({
      enabled: false,
      trusted: true,
      scopes: ['email', 'offline_access', 'openid', 'profile'],
    });
    await button(page, 'Delete').last().click();
    await page.getByLabel('Type “Team wiki” to confirm').fill('Team wiki');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading(page, 'Applications');
    await page.getByText('Team wiki deleted').waitFor();
    await look(page, 'console-applications');
  });

  it('a user signs in for an application, allows it, finds it in the account, and removes its access', async () => {
    const user = await registerUser(site.url, { organization_name: 'Analytical Engines' });
    const { page } = await site.visit();
    await authorize(page, { login_hint: user.email });
    await page.getByText('to continue to Notes').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(user.email);
    await signIn(page, user.email);
    await heading(page, 'Allow Notes to use your account?');
    await page.getByText('See your email address').waitFor();
    await page.getByText('Organization: Analytical Engines').waitFor();
    const shapeOf = async (name: string) => {
      const found = button(page, name);
      const box = await found.boundingBox();
      return [box?.width, box?.height, await found.getAttribute('class'), await found.getAttribute('data-variant')];
    };
    expect(await shapeOf('Don’t allow')).toEqual(await shapeOf('Allow'));
    await look(page, 'consent');
    await button(page, 'Allow').click();
    const response = await returned(page);
    expect([response.get('state'), response.get('iss')]).toEqual(['here', `${site.url}/oauth`]);
    expect(response.get('code')).toBeTruthy();

    await page.goto('/account/applications');
    await page.getByRole('list', { name: 'Applications with access' }).getByText('Notes').waitFor();
    await look(page, 'account-applications');
    await button(page, 'Remove access: Notes').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove access' }).click();
    await page.getByText('Notes no longer has access.').waitFor();
    expect((await user.browser.get('/users/me/applications')).json).toEqual({ items: [] });
  });

  it('on a phone and in German, a member of two organizations chooses one, and declines', async () => {
    const user = await registerUser(site.url, { organization_name: 'Difference Engines' });
    await insertMembership(site.database, { user_id: user.user_id, organization_id: owner.organization_id });
    const page = await visitAs(site, user, { phone: true, locale: 'de-DE', scheme: 'dark' });
    await authorize(page);
    await heading(page, 'Darf Notes Ihr Konto nutzen?');
    await page.getByRole('radio', { name: 'Platform' }).check();
    await expectNoSideways(page);
    await look(page, 'consent-phone-dark');
    const asked = page.url();
    await button(page, 'Nicht erlauben').click();
    expect((await returned(page)).get('error')).toBe('access_denied');
    await page.goto(asked);
    await page.getByText('Diese Anfrage gilt nicht mehr').waitFor();
  });

  it('an application that requires a second factor leads to the challenge; an unknown redirect address shows a page of the service', async () => {
    const user = await enrolNew(site.url);
    const { page } = await site.visit();
    await page.goto('/sign-in');
    await signIn(page, user.email);
    await page.getByLabel('Trust this browser for 30 days').check();
    await page.getByLabel('Code from your authenticator app').fill(user.app.code());
    await page.waitForURL('**/account');
    await page.context().clearCookies({ name: /^service_(at|rt|csrf)$/ });
    await authorize(page, { acr_values: 'aal2' });
    await signIn(page, user.email);
    await heading(page, 'Two-step verification');
    await page.getByText('Notes requires a second step.').waitFor();
    await page.getByLabel('Code from your authenticator app').fill(user.app.code(1));
    await heading(page, 'Allow Notes to use your account?');
    await button(page, 'Allow').click();
    expect((await returned(page)).get('code')).toBeTruthy();

    await authorize(page, { redirect_uri: 'https://evil.example/' });
    await expectAccessible(page);
    expect(new URL(page.url()).origin).toBe(site.url);
  });
});
