import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../server/src/features/webhooks/receiver-fixture.ts';
import { registerUser } from '../../server/test/browser.ts';
import { enrol } from '../../server/test/second-factor.ts';
import { verifyWebhook } from '../../verify/src/webhooks.ts';
import { expectNoSideways, OWNED, registerOwner, registerWithRole, visitAs } from './console-fixture.ts';
import { describePages, look, openPages } from './pages.ts';
import { joinTeam } from './team.ts';

describePages('the pages of webhooks', () => {
  const site = openPages({ env: OWNED });
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.close());

  const dialog = (page: Page) => page.getByRole('dialog');
  const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** While a delivery is pending, the page loads the list every three seconds, which pass at once here. */
  const awaitDeliveries = (page: Page, text: string, count: number) =>
    expect
      .poll(async () => {
        await page.clock.fastForward(3_000);
        return deliveries(page).filter({ hasText: text }).count();
      })
      .toBe(count);

  async function keepSecret(page: Page, picture?: string): Promise<string> {
    const secret =
      (await dialog(page)
        .getByText(/^whsec_/)
        .textContent()) ?? '';
    await page.keyboard.press('Escape');
    await dialog(page).getByRole('button', { name: 'Copy secret' }).waitFor();
    if (picture) await look(page, picture);
    await dialog(page).getByRole('button', { name: 'I’ve saved it' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    return secret;
  }

  it('creates a webhook, tests it, sends a delivery again, changes, rotates, disables and deletes it', async () => {
    const ada = await registerUser(site.url, { organization_name: 'Analytical Engines', display_name: 'Ada' });
    const { url } = receiver;
    const page = await visitAs(site, ada);
    await page.clock.install();
    await page.goto('/organization/members');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await button(page, 'New webhook').click();
    await dialog(page).getByRole('textbox', { name: 'Address' }).fill('ftp://example.com');
    await dialog(page).getByRole('radio', { name: 'Selected events' }).check();
    await button(page, 'Create webhook').click();
    await dialog(page).getByText('Enter a URL such as').waitFor();
    await dialog(page).getByText('Select at least one event.').waitFor();
    await dialog(page).getByRole('textbox', { name: 'Address' }).fill(url);
    await dialog(page).getByText('Members: single events').click();
    await dialog(page).getByRole('checkbox', { name: 'Member removed' }).check();
    await dialog(page).getByRole('checkbox', { name: 'Members', exact: true }).check();
    expect(await dialog(page).getByRole('checkbox', { name: 'Member removed' }).isDisabled()).toBe(true);
    await dialog(page).getByRole('checkbox', { name: 'Members', exact: true }).uncheck();
    await dialog(page).getByLabel('Add by name').fill('auth.mfa*');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Use words joined by dots').waitFor();
    await dialog(page).getByLabel('Add by name').fill('auth.mfa.*');
    await page.keyboard.press('Enter');
    await look(page, 'webhook-new');
    await button(page, 'Create webhook').click();
    const secret = await keepSecret(page, 'webhook-secret');

    const row = page.getByRole('row', { name: url });
    for (const pattern of ['member.removed', 'auth.mfa.*']) await row.getByText(pattern).waitFor();
    await row.getByRole('link', { name: url }).click();
    await page.getByText('Send a test event to try the address.').waitFor();
    await button(page, 'Send test event').click();
    await awaitDeliveries(page, 'Delivered', 1);
    await deliveries(page).filter({ hasText: 'Test event' }).getByText('Delivered').waitFor();
    const [test] = receiver.received.splice(0);
    expect(verifyWebhook(test!.headers, test!.body, secret)).toMatchObject({ type: 'webhook.test' });

    receiver.answer = 500;
    await button(page, 'Send test event').click();
    await awaitDeliveries(page, 'HTTP 500, not accepted', 1);
    const failing = deliveries(page).filter({ hasText: 'Pending' });
    await failing.getByText('HTTP 500, not accepted').waitFor();
    await look(page, 'webhook');
    receiver.answer = 204;
    await failing.getByRole('button', { name: 'Send again: webhook.test' }).click();
    await awaitDeliveries(page, 'Delivered', 2);
    await page.getByLabel('Show').selectOption('Failed');
    await page.getByText('There are none with this status.').waitFor();
    expect(page.url()).toContain('status=failed');

    await button(page, 'Edit').click();
    await dialog(page).getByLabel('Description').fill('Removes former members');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await button(page, 'Save').click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText('Removes former members').waitFor();
    await button(page, 'Undo').click();
    await page.getByText('Removes former members').waitFor({ state: 'detached' });

    await button(page, 'Rotate secret').click();
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
    await dialog(page)
      .getByText(/^whsec_/)
      .waitFor();
    const rotated = await keepSecret(page);
    receiver.received.length = 0;
    await button(page, 'Send test event').click();
    await expect.poll(() => receiver.received.length).toBe(1);
    for (const each of [secret, rotated])
      verifyWebhook(receiver.received[0]!.headers, receiver.received[0]!.body, each);

    await button(page, 'Disable').click();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await button(page, 'Send test event').count()).toBe(0);
    await button(page, 'Enable').click();
    await dialog(page).getByRole('button', { name: 'Enable' }).click();
    await button(page, 'Send test event').waitFor();

    const phone = await visitAs(site, ada, { phone: true, locale: 'de-DE' });
    await phone.goto('/organization/webhooks');
    await phone.getByRole('link', { name: url }).waitFor();
    await expectNoSideways(phone);
    await phone.getByRole('link', { name: url }).click();
    await phone.getByRole('row', { name: 'Testereignis' }).first().waitFor();
    await expectNoSideways(phone);
    await look(phone, 'phone-webhook');
    await phone.getByRole('button', { name: 'Bearbeiten' }).click();
    await dialog(phone).getByText('Mitglieder: einzelne Ereignisse').click();
    await expectNoSideways(phone);

    await button(page, 'Delete').click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await phone.reload();
    await phone.getByText('Webhook nicht gefunden').first().waitFor();

    const bea = await visitAs(site, await joinTeam(site, ada, { display_name: 'Bea' }));
    await bea.goto('/organization/webhooks');
    await bea.getByText('Only owners and admins can manage webhooks').waitFor();
    expect(await bea.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  });

  it('lets platform admins manage the webhooks of the platform, which receive all events', async () => {
    const owner = await enrol(site.url, await registerOwner(site.url));
    const viewer = await registerWithRole(site.url, owner, 'viewer');
    const { url } = receiver;
    const page = await visitAs(site, owner);
    await page.goto('/console/webhooks');
    await button(page, 'New webhook').click();
    await dialog(page).getByRole('textbox', { name: 'Address' }).fill(url);
    await button(page, 'Create webhook').click();
    const secret = await keepSecret(page);
    await page.getByRole('row', { name: url }).getByText('Enabled').waitFor();
    await look(page, 'console-webhooks');

    receiver.received.length = 0;
    await registerUser(site.url, { organization_name: 'Another' });
    const types = () => receiver.received.map(({ headers, body }) => verifyWebhook(headers, body, secret).type);
    await expect.poll(types).toContain('org.created');

    const viewers = await visitAs(site, viewer);
    await viewers.goto('/console/webhooks');
    await viewers.getByText('Only platform admins can view webhooks').waitFor();
  });
});
