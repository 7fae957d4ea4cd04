import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type Browser, createBrowser, PASSWORD, registerUser, signInAgain } from '../../server/test/browser.ts';
import { setSession, setUser } from '../../server/test/records.ts';
import { createAuthenticatorApp, enrolNew } from '../../server/test/second-factor.ts';
import { openAs, widthOf } from './account-fixture.ts';
import { describePages, look, openPages, type VisitOptions } from './pages.ts';

const NEW = 'wrong mule charger paperclip';

describePages('/account/security', () => {
  const site = openPages();

  const open = (user: { browser: Browser }, options: VisitOptions = {}) =>
    openAs(site, user, '/account/security', options);

  it('password: sets the first one, shows errors, locks after five wrong ones; a change ends other sessions', async () => {
    const user = await registerUser(site.url);
    await setUser(site.database, user.user_id, { password_hash: null });
    const { page } = await open(user);
    await page.getByText('Your account has no password.').waitFor();
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Set a password' }).click();
    await page.getByText('Your password has been changed.').waitFor();
    const other = await signInAgain(site.url, user);
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change your password' });
    const change = async (current: string, next: string) => {
      await dialog.getByLabel('Current password').fill(current);
      await dialog.getByLabel('New password').fill(next);
      await dialog.getByRole('button', { name: 'Change password' }).click();
    };
    await change(PASSWORD, 'too short');
    await dialog.getByText('Use at least 12 characters.').waitFor();
    await change(PASSWORD, PASSWORD);
    await dialog.getByText('Choose a password that differs from the current one.').waitFor();
    await look(page, 'account-change-password');
    await change('not my password', NEW);
    await dialog.getByText('The password is incorrect.').waitFor();
    await change(PASSWORD, NEW);
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Your password has been changed.').waitFor();
    expect((await other.get('/auth/session')).status).toBe(401);
    expect((await user.browser.get('/auth/session')).status).toBe(200);
    const signedIn = await createBrowser(site.url).post('/auth/login', { email: user.email, password: NEW });
    expect(signedIn.status).toBe(200);

    await page.getByRole('button', { name: 'Change password' }).click();
    for (let wrong = 0; wrong < 5; wrong++) {
      const answer = page.waitForResponse('**/users/me/password');
      await change(`guess number ${wrong}`, 'another one altogether');
      expect((await answer).status()).toBe(401);
    }
    await change(NEW, 'another one altogether');
    await dialog.getByText('Too many incorrect passwords in a row. You can try again in 15 minutes.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The focus returns to the button that opened the dialog.
    await page.getByRole('button', { name: 'Change password' }).and(page.locator(':focus')).waitFor();
  });

  it('password with MFA on: asks an aal1 session for the second factor and keeps what was typed', async () => {
    const user = await enrolNew(site.url);
    await setSession(site.database, user.session_id, { aal: 'aal1', mfa_verified_at: null });
    const { page } = await open(user);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill(NEW);
    await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
    const stepUp = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await stepUp.getByLabel('Code from your authenticator app').fill(user.app.code());
    await stepUp.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Your password has been changed.').waitFor();
  });

  it('two-step verification: turns on with a QR code, shows and renews recovery codes, turns off', async () => {
    const user = await registerUser(site.url);
    const { page } = await open(user);
    await page.evaluate(`window.print = () => document.body.setAttribute('data-printed', 'yes')`);
    await page.getByRole('button', { name: 'Turn on' }).click();
    const enrol = page.getByRole('dialog', { name: 'Turn on two-step verification' });
    const picture = enrol.getByRole('img', { name: 'QR code for your authenticator app' });
    expect(await picture.getAttribute('src')).toMatch(/^data:image\/svg/);
    await look(page, 'account-enrol');
    const secret = (await enrol.locator('code').innerText()).replaceAll(' ', '');
    const app = createAuthenticatorApp(site.url, secret);
    const confirm = async (code: string) => {
      await enrol.getByLabel('Code shown in the app').fill(code);
      await enrol.getByRole('button', { name: 'Turn on' }).click();
    };
    await confirm('12345');
    await enrol.getByText('Enter the six digits.').waitFor();
    await confirm(app.wrong());
    await enrol.getByText('This code is incorrect.').waitFor();
    await confirm(app.code());

    const kept = page.getByRole('dialog', { name: 'Save your recovery codes' });
    const list = kept.getByRole('list', { name: 'Recovery codes' });
    const readCodes = () => list.innerText().then((text) => text.trim().split(/\s*\n\s*/));
    const codes = await readCodes();
    expect(codes).toHaveLength(10);
    await look(page, 'account-recovery-codes');
    const download = page.waitForEvent('download');
    await kept.getByRole('button', { name: 'Download' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('recovery-codes.txt');
    const content = await readFile(await file.path(), 'utf8');
    expect(content).toContain(`Recovery codes for ${user.email} at ${new URL(site.url).host}`);
    expect(content.trim().split('\n').slice(-10)).toEqual(codes);
    await kept.getByRole('button', { name: 'Print' }).click();
    expect(await page.locator('body').getAttribute('data-printed')).toBe('yes');
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await page.getByText('Sign-in and security').first().isVisible()).toBe(false);
    expect(await page.getByText(codes[9]!).last().isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    // The codes cannot be dismissed by accident.
    await page.keyboard.press('Escape');
    expect(await kept.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await kept.getByLabel('I have saved them in a safe place').check();
    await kept.getByRole('button', { name: 'Done' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
    expect((await page.content()).includes(codes[0]!)).toBe(false);

    await page.getByRole('button', { name: 'Generate recovery codes' }).click();
    const renew = page.getByRole('dialog', { name: 'Generate new recovery codes?' });
    await renew.getByLabel('Your password').fill('not my password');
    await renew.getByRole('button', { name: 'Generate new codes' }).click();
    await renew.getByText('The password is incorrect.').waitFor();
    await renew.getByLabel('Your password').fill(PASSWORD);
    await renew.getByRole('button', { name: 'Generate new codes' }).click();
    const others = await readCodes();
    expect(others.filter((code) => codes.includes(code))).toEqual([]);
    await kept.getByLabel('I have saved them in a safe place').check();
    await kept.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Turn off' }).click();
    const off = page.getByRole('dialog', { name: 'Turn off two-step verification?' });
    await off.getByLabel('Your password').fill(PASSWORD);
    await off.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('Two-step verification is off.').waitFor();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();
  });

  it('warns when few recovery codes are left, on a phone in German', async () => {
    const user = await enrolNew(site.url);
    const codes = site.database.db.selectFrom('recovery_codes').where('user_id', '=', user.user_id);
    await site.database.db
      .updateTable('recovery_codes')
      .set({ used_at: new Date() })
      .where('code_hash', 'in', codes.select('code_hash').limit(8))
      .execute();
    const visit = await open(user, { phone: true, locale: 'de-DE' });
    const { page } = visit;
    await page.getByText('2 Wiederherstellungscodes sind übrig. Erstellen Sie rechtzeitig neue').waitFor();
    expect(await widthOf(visit)).toBe(390);
    await look(page, 'account-security-phone');
    await page.getByRole('button', { name: 'Neue Wiederherstellungscodes' }).click();
    await page.getByLabel('Ihr Passwort').fill(PASSWORD);
    await page.getByRole('button', { name: 'Neue Codes erstellen' }).click();
    await page.getByRole('dialog', { name: 'Bewahren Sie Ihre Wiederherstellungscodes auf' }).waitFor();
  });
});
