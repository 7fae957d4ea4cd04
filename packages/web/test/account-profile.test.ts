import { expect, it, vi } from 'vitest';
import { createBrowser, newEmail, PASSWORD, registerUser } from '../../server/test/browser.ts';
import { TIMEOUT_MS } from '../../server/test/timeouts.ts';
import { ageSession, openAs, widthOf } from './account-fixture.ts';
import { describePages, look, openPages, type VisitOptions } from './pages.ts';
import { joinTeam } from './team.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const decode = (image: { decode(): Promise<void>; naturalWidth: number }) =>
  image.decode().then(() => image.naturalWidth);

describePages('/account', () => {
  const site = openPages();

  async function arrive(given: Record<string, unknown> = {}, options: VisitOptions = {}) {
    const user = await registerUser(site.url, given);
    return { ...(await openAs(site, user, '/account', options)), user };
  }

  it('changes name and language by keyboard; the pages switch to the new language', async () => {
    const { page, user } = await arrive({ display_name: 'Ada' });
    await look(page, 'account-profile');
    const isThere = () => page.evaluate(`document.activeElement.autocomplete === 'name'`);
    for (let stops = 0; stops < 30 && !(await isThere()); stops++) await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Ada Lovelace');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Deu');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Gespeichert').waitFor();
    await page.getByRole('heading', { name: 'Profil' }).waitFor();
    await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    expect((await user.browser.get('/users/me')).json).toMatchObject({ display_name: 'Ada Lovelace', locale: 'de' });
  });

  it('rejects a file that is not a picture; previews, uploads and removes a picture', async () => {
    const { page } = await arrive();
    const choose = async (button: string, file: { name: string; mimeType: string; buffer: Buffer }) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: button }).click();
      await (await chooser).setFiles(file);
    };
    await choose('Choose a picture', { name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await page.getByText('We can’t read this file as a picture.').waitFor();
    const large = Buffer.alloc(5 * 1024 * 1024 + 1);
    await choose('Choose a picture', { name: 'a.png', mimeType: 'image/png', buffer: large });
    await page.getByText('This file is too large').waitFor();
    await choose('Choose a picture', { name: 'b.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await page.getByRole('button', { name: 'Use this picture' }).click();
    await page.getByText('This picture cannot be used').waitFor();
    await choose('Choose another picture', { name: 'c.png', mimeType: 'image/png', buffer: PNG });
    await page.getByText('This is how it will look.').waitFor();
    await page.getByRole('button', { name: 'Use this picture' }).click();
    await page.getByText('Your picture has been changed.').waitFor();
    const picture = page.locator('header img');
    expect(await picture.evaluate(decode)).toBe(256);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Your picture has been removed.').waitFor();
    expect(await picture.count()).toBe(0);
  });

  it('sends the verification mail again, and changes the email by the link in the mail', async () => {
    const { page, user } = await arrive();
    const LINK = /verify-email\?token=([\w-]+)/;
    const [, old] = await site.mails.find(user.email, LINK);
    await page.getByRole('button', { name: 'Resend email' }).click();
    await page.getByText(`We’ve sent an email to ${user.email}`).waitFor();
    expect(await page.getByRole('link', { name: 'Sent emails' }).last().getAttribute('href')).toBe('/dev/mail');
    const token = await vi.waitFor(async () => {
      const [, newest] = await site.mails.find(user.email, LINK);
      expect(newest).not.toBe(old);
      return newest;
    }, TIMEOUT_MS);
    await createBrowser(site.url).post('/auth/email/verify', { token });
    await page.reload();
    await page.getByText('Verified', { exact: true }).waitFor();
    expect(await page.getByText('not verified yet').count()).toBe(0);

    await page.getByRole('button', { name: 'Change email' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change your email' });
    const ask = async (email: string) => {
      await dialog.getByLabel('New email').fill(email);
      await dialog.getByLabel('Your password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Send link' }).click();
      await page.getByText(`If ${email} can be used, we’ve sent a link to it.`).waitFor();
    };
    await look(page, 'account-change-email');
    await dialog.getByLabel('New email').fill(user.email.toUpperCase());
    await dialog.getByLabel('Your password').fill('not my password');
    await dialog.getByRole('button', { name: 'Send link' }).click();
    await dialog.getByText('This is already your address.').waitFor();
    const next = newEmail('next');
    await dialog.getByLabel('New email').fill(next);
    await dialog.getByRole('button', { name: 'Send link' }).click();
    await dialog.getByText('The password is incorrect.').waitFor();
    await ask(next);
    const [, link] = await site.mails.find(next, LINK);
    await site.mails.find(user.email, new RegExp(next.replaceAll('.', '\\.')));
    await createBrowser(site.url).post('/auth/email/verify', { token: link });
    await page.reload();
    await page.getByText(next, { exact: true }).first().waitFor();
    // The page does not reveal that an email is in use.
    const other = await registerUser(site.url);
    await page.getByRole('button', { name: 'Change email' }).click();
    await ask(other.email);
  });

  it('downloads the data and deletes the account, after a repeated sign-in', async () => {
    const user = await registerUser(site.url, { organization_name: 'Solo', display_name: 'Sol' });
    await ageSession(site.database, user.session_id);
    const { page } = await openAs(site, user, '/account/data');
    await page.getByText('You’re the only member of Solo: it will be suspended.').waitFor();
    await look(page, 'account-data');
    await page.getByRole('button', { name: 'Download your data' }).click();
    const question = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await question.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const download = page.waitForEvent('download');
    await question.getByRole('button', { name: 'Confirm' }).click();
    const stream = await (await download).createReadStream();
    const file = JSON.parse(Buffer.concat(await stream.toArray()).toString());
    expect(file).toMatchObject({ user: { email: user.email }, memberships: [{ organization_name: 'Solo' }] });

    await page.getByRole('button', { name: 'Delete account …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    const confirm = dialog.getByRole('button', { name: 'Delete account' });
    await dialog.getByLabel('Your password').fill('not my password');
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${user.email} to confirm`).fill(user.email);
    await confirm.click();
    await dialog.getByText('The password is incorrect.').waitFor();
    await look(page, 'account-delete');
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await confirm.click();
    await page.waitForURL('**/signed-out');
    const answer = await createBrowser(site.url).post('/auth/login', { email: user.email, password: PASSWORD });
    expect(answer.status).toBe(401);
  });

  it('explains to the last owner of an organization what to do before the account can be deleted', async () => {
    const owner = await registerUser(site.url, { organization_name: 'Team' });
    await joinTeam(site, owner, { display_name: 'Cem' });
    const { page } = await openAs(site, owner, '/account/data', { phone: true });
    await page.getByText('You’re the last owner of Team').waitFor();
    expect(await page.getByRole('button', { name: 'Delete account' }).count()).toBe(0);
    await page.getByRole('link', { name: 'View members' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  });

  it('the page is not wider than the screen on a phone in German', async () => {
    const visit = await arrive({ display_name: 'Ada' }, { phone: true, locale: 'de-DE' });
    const { page } = visit;
    await page.getByRole('heading', { name: 'Name und Sprache' }).waitFor();
    expect(await widthOf(visit)).toBe(390);
    await look(page, 'account-profile-phone');
  });
});
