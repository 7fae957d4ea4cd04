import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { atOnce, createBrowser, type TestUser } from '../../server/test/browser.ts';
import { type FakeMailApi, startFakeMailApi } from '../../server/test/fake-mail-api.ts';
import { type Enrolled, enrol } from '../../server/test/second-factor.ts';
import { TIMEOUT_MS } from '../../server/test/timeouts.ts';
import { expectNoSideways, OWNED, registerOwner, registerWithRole, visitAs } from './console-fixture.ts';
import { describePages, expectAccessible, look, openPages } from './pages.ts';

describePages('the console: providers', () => {
  const env: Record<string, string> = {
    ...OWNED,
    CONFIG_ENCRYPTION_KEY: 'k3yBytesForTestsOnly/0123456789abcdefghijkl=',
  };
  let mail: FakeMailApi;
  beforeAll(async () => {
    mail = await startFakeMailApi();
    env.EMAIL_API_BASE_URL = mail.url;
  });
  const site = openPages({ env });
  afterAll(() => mail?.close());

  let owner: Enrolled;
  let viewer: TestUser;
  beforeAll(async () => {
    owner = await enrol(site.url, await registerOwner(site.url));
    viewer = await registerWithRole(site.url, owner, 'viewer');
  });

  /** Signs in on a trusted browser, which skips the second factor, so that step-up is still required. */
  async function withoutStepUp(): Promise<TestUser> {
    await owner.browser.post('/auth/trusted-browsers', {});
    const browser = createBrowser(site.url, new Map(owner.browser.jar));
    const { json } = await browser.post('/auth/login', { email: owner.email, password: owner.password });
    expect(json.status).toBe('success');
    return { ...owner, browser };
  }
  const save = (provider: string, body: unknown) =>
    owner.browser.send('PUT', `/admin/integrations/${provider}`, { body });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('mail: asks for the second factor, shows invalid fields, saves, tests, and is audited', async () => {
    const page = await visitAs(site, await withoutStepUp());
    await page.goto('/console/providers');
    await page.getByRole('link', { name: 'Resend' }).click();
    await page.getByRole('heading', { level: 1, name: 'Resend' }).waitFor();
    await button(page, 'Save').click();
    await page.getByText('Enter the secret, or leave the provider disabled.').waitFor();
    await page.getByLabel('Sender address').and(page.locator(':focus')).waitFor();

    await page.getByLabel('Sender address').fill('Example <id@example.com>');
    await page.getByLabel('API key').fill('not-one-of-theirs');
    await button(page, 'Save').click();
    await page.getByRole('dialog', { name: 'Confirm it’s you' }).waitFor();
    await page.getByLabel('Code from your authenticator app').fill(owner.app.code());
    await button(page, 'Confirm').click();
    await page.getByText('Enter an address such as id@example.com, without a name.').waitFor();
    await page.getByText('A Resend API key starts with re_ and has no spaces.').waitFor();
    await expectAccessible(page);

    await page.getByLabel('Sender address').fill('id@example.com');
    await page.getByLabel('API key').fill('re_secret_of_ours');
    await button(page, 'Save').click();
    await page.getByText('Saved and active.').waitFor();
    await page.getByText('A secret is saved. It is never shown again.').waitFor();
    expect(await page.content()).not.toContain('re_secret_of_ours');

    await button(page, 'Test').click();
    await page.getByText('No problems found').waitFor();
    await page.getByText('the provider accepts the key').waitFor();
    expect(mail.requests.at(-1)).toMatchObject({ path: '/domains', authorization: 'Bearer re_secret_of_ours' });
    await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
    await look(page, 'console-provider');
    mail.mode = 401;
    await button(page, 'Test').click();
    await page.getByText('The test failed').waitFor();
    await page.getByText('rejected the key (HTTP 401)').waitFor();
    mail.mode = 'ok';

    await page.getByRole('link', { name: 'Audit trail' }).click();
    const trail = page.getByRole('table', { name: 'Events' });
    await trail.getByRole('row').filter({ hasText: 'integration.updated' }).waitFor();
    await trail.getByRole('button', { name: 'Provider tested' }).first().click();
    const detail = page.getByRole('dialog', { name: 'Provider tested' });
    await detail.getByText('"provider": "email_transport"').waitFor();
    await detail.getByText('Failed').waitFor();
  });

  it('shows the saved status after a step-up, also if a response from before arrives later', async () => {
    const page = await visitAs(site, await withoutStepUp());
    await page.goto('/console/providers/oauth_c');
    await page.getByLabel('Client ID').fill('00000000-1111-2222-3333-444444444444');
    await page.getByLabel(/^Client secret/).fill('secret-of-microsoft');
    let isSaved = false;
    await page.route('**/admin/integrations/oauth_c', async (route) => {
      // Delays the save, so that its response arrives after that of a list requested at the same time.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const response = await route.fetch();
      isSaved ||= response.ok();
      await route.fulfill({ response });
    });
    await page.route('**/admin/integrations', async (route) => {
      const response = await route.fetch();
      await vi.waitFor(() => expect(isSaved).toBe(true), TIMEOUT_MS);
      await route.fulfill({ response });
    });
    await button(page, 'Save').click();
    await page.getByLabel('Code from your authenticator app').fill(owner.app.code(1));
    const list = page.waitForResponse(`${site.url}/v1/admin/integrations`);
    await button(page, 'Confirm').click();
    await page.getByText('Saved and active.').waitFor();
    await list;
    await page.getByRole('region', { name: 'Status' }).getByText('On', { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('shows a provider whose secret is cleared as degraded, with reason and remedy, until it is replaced', async () => {
    await save('oauth_a', { enabled: true, public_config: { client_id: 'google-client' }, secret: 'secret-of-google' });
    const page = await visitAs(site, owner);
    await page.goto('/console/providers/oauth_a');
    await page.getByText(`${site.url}/v1/auth/oauth/oauth_a/callback`).waitFor();
    await button(page, 'Replace').click();
    await page.getByLabel(/^Client secret/).waitFor();
    await button(page, 'Keep saved secret').click();
    await button(page, 'Clear').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await page.getByText('The secret is missing. Until this is fixed, the provider is not offered.').waitFor();
    await page.getByText('Enter the secret and save.', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
    await look(page, 'console-provider-degraded');

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Degraded providers').waitFor();
    await page.getByRole('link', { name: 'Google' }).click();
    await page.getByLabel(/^Client secret/).fill('another-secret');
    await button(page, 'Save').click();
    await page.getByText('Saved and active.').waitFor();
    await button(page, 'Test').click();
    await page.getByRole('status').getByText('No problems found').waitFor();
    await page.getByText('the provider itself is contacted at the first sign-in').waitFor();
    await page.getByRole('link', { name: 'All providers' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Google' }).getByText('On', { exact: true }).waitFor();
    await look(page, 'console-providers');
  });

  it('viewers see everything, without buttons', async () => {
    const page = await visitAs(site, viewer);
    await page.goto('/console/providers/oauth_a');
    await page.getByText('google-client').waitFor();
    await page.getByText('To make changes, you need the platform admin role.').waitFor();
    const main = page.getByRole('main');
    expect(await main.getByRole('textbox').count()).toBe(0);
    expect(await main.getByRole('button').allInnerTexts()).toEqual(['Copy callback URL']);
    await page.getByRole('link', { name: 'Feature flags' }).click();
    await page.getByText('No flags yet').waitFor();
    expect(await main.getByRole('button', { name: 'Create flag' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByRole('table', { name: 'Events' }).waitFor();
    expect(await main.getByRole('button', { name: 'Export' }).count()).toBe(0);
  });

  it('the page is usable in German on a phone', async () => {
    await save('oauth_d', { enabled: true, public_config: { client_id: 'com.example.id' } });
    const page = await visitAs(site, owner, { locale: 'de-DE', phone: true });
    await page.goto('/console/providers/oauth_d');
    await page.getByText('Füllen Sie alle Pflichtfelder aus und speichern Sie.').waitFor();
    await expectNoSideways(page);
    await look(page, 'console-provider-phone');
    await page.goto('/console/providers');
    await page.getByRole('listitem').filter({ hasText: 'Apple' }).getByText('Gestört').waitFor();
    await expectNoSideways(page);
  });

  it('explains an unknown provider, an export without the premium tier, and the rate limit of a provider test', async () => {
    const page = await visitAs(site, owner);
    await page.goto('/console/providers/oauth_z');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();

    await page.goto('/console/audit');
    await page.getByRole('button', { name: 'Export …' }).click();
    await page.getByRole('dialog').getByText('Signed exports are part of the premium tier.').waitFor();

    await page.goto('/console/providers/oauth_b');
    await button(page, 'Test').waitFor();
    await atOnce(100, () => owner.browser.get('/admin/integrations'));
    await button(page, 'Test').click();
    await page.getByRole('alert').getByText('Too many requests for provider settings from your IP address.').waitFor();
  });
});
