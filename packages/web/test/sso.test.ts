import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerUser } from '../../server/test/browser.ts';
import { type DnsServer, startDnsServer } from '../../server/test/dns-server.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../server/test/openid-provider.ts';
import { enrol } from '../../server/test/second-factor.ts';
import { CLIENT, CONFIG_KEY, newDomain } from '../../server/test/sso-fixture.ts';
import { expectNoSideways, visitAs } from './console-fixture.ts';
import { arriveAt, heading, sessionOf } from './hosted-fixture.ts';
import { describePages, look, openPages, type Visit } from './pages.ts';
import { joinTeam } from './team.ts';

const NAME = 'Engine login';
const CALLBACK = 'https://notes.example.com/callback';

describePages('the pages of domains and single sign-on', () => {
  const env: Record<string, string> = { CONFIG_ENCRYPTION_KEY: CONFIG_KEY };
  let dns: DnsServer;
  let provider: OpenIdProvider;
  beforeAll(async () => {
    dns = await startDnsServer();
    provider = await startOpenIdProvider();
    env.DNS_SERVERS = dns.address;
  });
  // The service is started after the DNS server, whose address it needs.
  const site = openPages({ env });
  afterAll(async () => {
    await dns?.close();
    await provider?.close();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const region = (page: Page, name: string) => page.getByRole('region', { name });
  const dialog = (page: Page) => page.getByRole('dialog');

  async function verifyDomain(page: Page, domain: string): Promise<void> {
    await page.getByText('No domains yet').waitFor();
    await button(page, 'Add domain').click();
    const field = dialog(page).getByRole('textbox', { name: 'Domain' });
    await field.fill('nothing');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Enter a domain such as example.com.').waitFor();
    await field.fill('gmail.com');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('This domain can’t be added.').waitFor();
    await field.fill(`ada@${domain}`);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    const panel = region(page, domain);
    await panel.getByText('Pending').waitFor();
    const value = await panel.getByText(/^gatehouse-domain=/).innerText();
    const name = `_gatehouse.${domain}`;
    await panel.getByText(name, { exact: true }).waitFor();
    await button(page, `Verify now: ${domain}`).click();
    await panel.getByRole('alert').getByText('The DNS record was not found.').waitFor();
    dns.answers.set(name, 'servfail');
    await button(page, `Verify now: ${domain}`).click();
    await panel.getByRole('alert').getByText('did not answer').waitFor();
    await look(page, 'organization-domains');
    dns.answers.set(name, [value]);
    await button(page, `Verify now: ${domain}`).click();
    await panel.getByText('Keep the DNS record').waitFor();
  }

  async function createConnection(page: Page): Promise<void> {
    await page.getByText('No connections yet').waitFor();
    await button(page, 'New connection').click();
    const fill = (name: string, value: string) => dialog(page).getByLabel(name, { exact: false }).fill(value);
    await fill('Name', NAME);
    await fill('Issuer', 'login.example.com');
    await fill('Client ID', CLIENT.client_id);
    await dialog(page).getByRole('textbox', { name: 'Client secret' }).fill(CLIENT.client_secret);
    await button(page, 'Create connection').click();
    await dialog(page).getByText('Enter an address that begins with https://').waitFor();
    await look(page, 'organization-sso-new');
    await fill('Issuer', `${provider.issuer}/wrong`);
    await button(page, 'Create connection').click();
    await heading(page, NAME);
  }

  /** Sends the browser to the service as an application would that requires the second factor of the user. */
  async function authorizeWithSecondFactor(page: Page, email: string): Promise<void> {
    const { db } = site.database;
    await db.updateTable('users').set({ mfa_enabled_at: new Date() }).where('email', '=', email).execute();
    const application = {
      id: crypto.randomUUID(),
      client_id: 'app_notes',
      name: 'Notes',
      kind: 'web' as const,
      redirect_uris: [CALLBACK],
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
      scopes: ['openid'],
      resources: [],
      trusted: true,
      device_flow: false,
      organization_id: null,
      enabled: true,
      created_at: new Date(),
      deleted_at: null,
    };
    await db.insertInto('applications').values(application).execute();
    await page.route(`${CALLBACK}*`, (route) => route.fulfill({ body: 'returned' }));
    const query = new URLSearchParams({
      client_id: application.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      acr_values: 'aal2',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    await page.goto(`/oauth/authorize?${query}`);
  }

  /** Tests the connection with a wrong issuer, then corrects it, which removes the stored secret. */
  async function testConnection(page: Page, callback: string): Promise<void> {
    const step = region(page, '5. Test');
    const save = region(page, '1. Provider').getByRole('button', { name: 'Save' });
    provider.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: [callback] });
    await button(page, 'Test connection').click();
    await step.getByText("The provider's metadata can't be read.").waitFor();
    await button(page, 'Activate').click();
    await page.getByText('Test the connection first').waitFor();
    await page.getByRole('textbox', { name: 'Issuer' }).fill(provider.issuer);
    await page.getByText('The stored secret belongs to the previous issuer').waitFor();
    await save.click();
    await page.getByText('Leave it empty only if').waitFor();
    await button(page, 'Test connection').click();
    await step.getByText("doesn't accept the client ID or the client secret").waitFor();
    await page.getByLabel('Client secret').fill(CLIENT.client_secret);
    await save.click();
    await page.getByText('A secret is stored.').waitFor();
    await button(page, 'Test connection').click();
    await step.getByText('The test passed').waitFor();
    await page.getByText('Next: activate the connection.').waitFor();
  }

  async function typeAddress({ page }: Visit, email: string): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.keyboard.press('Tab');
  }

  it('an owner verifies a domain, connects a provider and requires it; a member signs in with it', async () => {
    const domain = newDomain();
    const owner = await enrol(site.url, await registerUser(site.url, { organization_name: 'Analytical Engines' }));
    const page = await visitAs(site, owner);
    await page.goto('/organization/members');
    await page.getByRole('link', { name: 'Domains' }).click();
    await verifyDomain(page, domain);
    await page.getByRole('link', { name: 'Next: set up single sign-on' }).click();
    await createConnection(page);

    const callback = await region(page, '2. Callback URL').getByText(/^http/).innerText();
    expect(callback).toMatch(new RegExp(`^${site.url}/v1/auth/sso/[0-9a-f-]{36}/callback$`));
    await page.getByText('Next: select at least one domain.').waitFor();
    await page.getByRole('checkbox', { name: domain }).check();
    await region(page, '3. Domains').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Next: test the connection.').waitFor();
    await page.getByRole('switch', { name: 'Add new members automatically' }).press('Space');
    await region(page, '4. Members and roles').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Members and roles saved').waitFor();
    await testConnection(page, callback);
    await button(page, 'Activate').click();
    await page.getByText(`Users with an address in ${domain} can sign in with it.`).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await look(page, 'organization-sso-phone');
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1280, height: 860 });

    // Single sign-on is not required yet, so it is offered beside the other methods.
    const visit = await site.visit();
    await visit.page.goto('/sign-in');
    await typeAddress(visit, `bea@${domain}`);
    await visit.page.getByRole('link', { name: `Continue with ${NAME}` }).waitFor();
    expect(await visit.page.getByLabel('Password', { exact: true }).isVisible()).toBe(true);

    await page.getByRole('link', { name: 'Go to sign-in rules' }).click();
    await page.getByRole('switch', { name: 'Require single sign-on' }).press('Space');
    await button(page, 'Save').click();
    await page.getByText('Sign-in rules saved').waitFor();

    await visit.page.reload();
    const link = visit.page.getByRole('link', { name: `Continue with ${NAME}` });
    await visit.page.getByText('Your organization requires single sign-on').waitFor();
    expect(await visit.page.getByLabel('Password', { exact: true }).count()).toBe(0);
    await look(visit.page, 'hosted-sso');
    await visit.page.getByRole('button', { name: 'Sign in another way' }).press('Enter');
    await visit.page.locator('input[name="password"]:focus').waitFor();
    await typeAddress(visit, 'bea@elsewhere.example');
    await link.waitFor({ state: 'detached' });

    await visit.page.reload();
    provider.user = { sub: 'bea', email: 'bea@elsewhere.example', email_verified: true, name: 'Bea' };
    await typeAddress(visit, `bea@${domain}`);
    await visit.page.getByText('Your organization requires single sign-on').waitFor();
    await visit.page.getByLabel('Email').press('Enter');
    await visit.page.getByRole('alert').getByText('Your identity provider did not send an email address').waitFor();
    provider.user = { ...provider.user, email: `bea@${domain}` };
    await link.click();
    await arriveAt(visit.page, '/account');
    await heading(visit.page, 'Your account');
    await visit.page.getByText('You’re signed in to Analytical Engines with single sign-on.').waitFor();
    expect((await sessionOf(visit))?.user).toMatchObject({ auth_method: 'sso', email: `bea@${domain}` });
    await visit.page.getByRole('link', { name: 'Open Analytical Engines' }).click();
    await visit.page.getByRole('row', { name: `bea@${domain}` }).waitFor();

    // The session may not read which second factors the user has.
    await authorizeWithSecondFactor(visit.page, `bea@${domain}`);
    await heading(visit.page, 'Two-step verification');
    await visit.page.getByLabel('Code from your authenticator app').waitFor();
    await button(visit.page, 'Cancel').click();
    await visit.page.waitForURL(`${CALLBACK}?error=access_denied*`);

    await page.getByRole('link', { name: 'Members' }).click();
    await page
      .getByRole('row', { name: `bea@${domain}` })
      .getByRole('button', { name: 'Remove single sign-on link' })
      .click();
    await look(page, 'members-unlink');
    await dialog(page).getByRole('button', { name: 'Remove link' }).click();
    await page.getByText(/^Single sign-on link of .* removed$/).waitFor();
    expect(await sessionOf(visit)).toBeUndefined();
  });

  it('a member without the permission sees that only owners can set up domains and single sign-on, in German on a phone', async () => {
    const owner = await registerUser(site.url, { organization_name: 'Difference Engines' });
    const member = await joinTeam(site, owner, { display_name: 'Bea' });
    const page = await visitAs(site, member, { phone: true, locale: 'de-DE' });
    await page.goto('/organization/domains');
    await page.getByText('Nur Inhaber können Domains verwalten').waitFor();
    await page.goto('/organization/sso');
    await page.getByText('Nur Inhaber können Single Sign-on einrichten').waitFor();
    await look(page, 'organization-sso-closed');
  });
});
