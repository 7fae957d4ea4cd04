import type { Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Browser, PASSWORD, registerUser, signInAgain } from '../../server/test/browser.ts';
import { startFakeProvider } from '../../server/test/fake-providers/provider.ts';
import type { FakeProvider } from '../../server/test/fake-providers/types.ts';
import { findUser, liveSessions, setUser } from '../../server/test/records.ts';
import { enrolNew } from '../../server/test/second-factor.ts';
import { TIMEOUT_MS } from '../../server/test/timeouts.ts';
import { ageSession, openAs, widthOf } from './account-fixture.ts';
import { enterAs } from './enter-as.ts';
import { addAuthenticator, describePages, look, openPages, type Visit, type VisitOptions } from './pages.ts';

describePages('passkeys, linked accounts, and the step-up they require', () => {
  const env: Record<string, string> = {};
  let google: FakeProvider;
  beforeAll(async () => {
    google = await startFakeProvider('oauth_a');
    const { public_config, secret } = google.settings;
    Object.assign(env, google.environment, {
      OAUTH_A_CLIENT_ID: public_config.client_id,
      OAUTH_A_CLIENT_SECRET: secret,
    });
  });
  const site = openPages({ env });
  afterAll(() => google.close());

  const open = (user: { browser: Browser }, options: VisitOptions = {}) =>
    openAs(site, user, '/account/security', options);

  async function beginPasskey({ page }: Visit, name?: string): Promise<void> {
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
    if (name !== undefined) await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Continue' }).click();
  }

  /** Responds to a request as the service does when it requires step-up. */
  const requireStepUp = (step_up: string) => (route: Route) =>
    route.fulfill({
      status: 401,
      headers: { 'x-service-step-up': step_up },
      json: { error: { code: 'mfa_required', message: 'no', type: 'mfa_required' } },
    });

  const stepUpOf = ({ page }: Visit) => page.getByRole('dialog', { name: 'Confirm it’s you' });

  it('adds a passkey with the suggested name, but not twice; renames it; removes it unless it is the last credential', async () => {
    const user = await registerUser(site.url);
    const visit = await open(user);
    const { page } = visit;
    const device = await addAuthenticator(visit);
    await beginPasskey(visit);
    await page.getByText('The passkey “Linux computer” has been added.').waitFor();
    expect(await device.credentials()).toHaveLength(1);
    const list = page.getByRole('list', { name: 'Your passkeys' });
    await list.getByText('On one device only').waitFor();
    await list.getByText('last used never').waitFor();
    await look(page, 'account-passkeys');

    await beginPasskey(visit, 'Another');
    await page.getByText('This device already has a passkey for your account.').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Rename the passkey Linux computer' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('The one on the desk');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await list.getByText('The one on the desk').waitFor();
    const { password_hash } = await findUser(site.database, user.user_id);
    await setUser(site.database, user.user_id, { password_hash: null });
    await page.getByRole('button', { name: 'Remove the passkey The one on the desk' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByText('This is your only way to sign in.').waitFor();
    await setUser(site.database, user.user_id, { password_hash });
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No passkey yet').waitFor();

    // The page explains that adding a passkey was cancelled, and that the browser does not support passkeys.
    await visit.page.evaluate(
      `navigator.credentials.create = () => Promise.reject(new DOMException('no', 'NotAllowedError'))`,
    );
    await beginPasskey(visit);
    await visit.page.getByText('This was cancelled or took too long. No passkey was added.').waitFor();
    await visit.context.addInitScript('delete window.PublicKeyCredential');
    await visit.page.reload();
    await visit.page.getByText('This browser doesn’t support passkeys.').waitFor();
    expect(await visit.page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
  });

  it('step-up with MFA on: asks for a code in a dialog, then continues the action; cancelling changes nothing', async () => {
    const user = await enrolNew(site.url);
    await ageSession(site.database, user.session_id);
    const visit = await open(user);
    await addAuthenticator(visit);
    await beginPasskey(visit);
    const stepUp = stepUpOf(visit);
    await stepUp.getByRole('button', { name: 'Close' }).click();
    await stepUp.waitFor({ state: 'detached' });
    const dialog = visit.page.getByRole('dialog', { name: 'Add a passkey' });
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await stepUp.getByLabel('Code from your authenticator app').fill(user.app.wrong());
    await stepUp.getByRole('button', { name: 'Confirm' }).click();
    await stepUp.getByText('This code is incorrect or was already used.').waitFor();
    await look(visit.page, 'step-up-code');
    await stepUp.getByRole('button', { name: 'Use a recovery code' }).click();
    // The focus moves to the new field.
    await stepUp.getByRole('textbox', { name: 'Recovery code' }).and(visit.page.locator(':focus')).waitFor();
    await visit.page.keyboard.type(`${user.recovery_codes[0]!.toUpperCase()} `);
    await visit.page.keyboard.press('Enter');
    await visit.page.getByText('The passkey “Linux computer” has been added.').waitFor();
    await visit.page.getByText('9 recovery codes are left.').waitFor();
    expect(await visit.page.getByRole('dialog').count()).toBe(0);
    expect(await liveSessions(site.database, user.user_id)).toEqual([user.session_id]);
  });

  it('step-up without MFA: signs in again by password; the old session ends', async () => {
    const user = await registerUser(site.url);
    await ageSession(site.database, user.session_id);
    const visit = await open(user);
    const { page } = visit;
    await page.getByRole('button', { name: 'Turn on' }).click();
    const stepUp = stepUpOf(visit);
    await stepUp.getByLabel(/^Password/).fill('not my password');
    await stepUp.getByRole('button', { name: 'Confirm' }).click();
    await stepUp.getByText('The password is incorrect.').waitFor();
    await stepUp.getByLabel(/^Password/).fill(PASSWORD);
    await stepUp.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    const sessions = await liveSessions(site.database, user.user_id);
    expect(sessions).toHaveLength(1);
    expect(sessions).not.toContain(user.session_id);
  });

  it('step-up without a password: signs in again by emailed code or passkey', async () => {
    const user = await registerUser(site.url);
    const { password_hash } = await findUser(site.database, user.user_id);
    await setUser(site.database, user.user_id, { password_hash: null });
    await ageSession(site.database, user.session_id);
    const visit = await open(user);
    const { page } = visit;
    await addAuthenticator(visit);
    await beginPasskey(visit, 'By mail');
    const stepUp = stepUpOf(visit);
    await stepUp.getByRole('button', { name: 'Send a code by email' }).click();
    await stepUp.getByText(`We’ve sent a code to ${user.email}.`).waitFor();
    await stepUp.getByLabel('Code from the email').fill('12');
    await stepUp.getByRole('button', { name: 'Confirm' }).click();
    await stepUp.getByText('Enter the six digits.').waitFor();
    const [code] = await site.mails.find(user.email, /\b\d{6}\b/);
    await stepUp.getByLabel('Code from the email').fill(code);
    await stepUp.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The passkey “By mail” has been added.').waitFor();

    // Repeats the step-up in a later session, for an action that requires the password if the account has one.
    await setUser(site.database, user.user_id, { password_hash });
    const later = await signInAgain(site.url, user);
    await setUser(site.database, user.user_id, { password_hash: null });
    const [, session] = (await liveSessions(site.database, user.user_id)).sort();
    await ageSession(site.database, session!);
    await enterAs(visit, later, site.url);
    await page.goto('/account');
    await page.getByRole('button', { name: 'Change email' }).click();
    await page.getByLabel('New email').fill('next@example.org');
    await page.getByRole('button', { name: 'Send link' }).click();
    await stepUp.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('If next@example.org can be used').waitFor();
    expect(await liveSessions(site.database, user.user_id)).not.toContain(session);
  });

  it('links a third-party account; signs in again with it in another tab, and keeps what was typed; unlinks it unless it is the last credential', async () => {
    const user = await registerUser(site.url);
    const visit = await open(user);
    const { page, context } = visit;
    await page.getByRole('button', { name: 'Link Google' }).click();
    await page.getByRole('list', { name: 'Linked accounts' }).getByText('oauth_a@example.com').waitFor();
    expect(new URL(page.url()).pathname).toBe('/account/security');
    await look(page, 'account-identities');
    const later = await signInAgain(site.url, user);
    await setUser(site.database, user.user_id, { password_hash: null });
    const [, session] = (await liveSessions(site.database, user.user_id)).sort();
    await ageSession(site.database, session!);
    await enterAs(visit, later, site.url);
    await page.goto('/account');
    await page.getByRole('button', { name: 'Change email' }).click();
    await page.getByLabel('New email').fill('next@example.org');
    await page.getByRole('button', { name: 'Send link' }).click();
    const opened = context.waitForEvent('page');
    await stepUpOf(visit).getByRole('link', { name: 'Sign in with Google' }).click();
    const other = await opened;
    await stepUpOf(visit).getByText('then come back here').waitFor();
    await other.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(other.url()).pathname).toBe('/account');
    await other.close();
    // The event that the browser fires when the tab gets visible again.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
    await page.getByText('If next@example.org can be used').waitFor();
    await vi.waitFor(async () => {
      expect(await liveSessions(site.database, user.user_id)).not.toContain(session);
    }, TIMEOUT_MS);

    await page.getByRole('link', { name: 'Sign-in and security' }).click();
    const unlink = async () => {
      await page.getByRole('button', { name: 'Unlink Google' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    };
    await unlink();
    await page.getByRole('dialog').getByText('This is your only way to sign in.').waitFor();
    await page.keyboard.press('Escape');
    await setUser(site.database, user.user_id, { password_hash: 'a hash' });
    await unlink();
    await page.getByText('No linked accounts').waitFor();
  });

  it('step-up offers only the passkey when a password was not enough; in German, on a phone', async () => {
    const user = await registerUser(site.url);
    const visit = await open(user, { phone: true, locale: 'de-DE' });
    const { page } = visit;
    await addAuthenticator(visit);
    await page.getByRole('button', { name: 'Passkey hinzufügen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Weiter' }).click();
    await page.getByText('Der Passkey „Linux-Rechner“ wurde hinzugefügt.').waitFor();
    expect(await widthOf(visit)).toBe(390);
    // This is the response of console endpoints: no account endpoint requires a second factor if the account has none.
    await page.route('**/users/me/passkeys/*', requireStepUp('sign_in'), { times: 2 });
    await page.getByRole('button', { name: 'Passkey Linux-Rechner entfernen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Entfernen' }).click();
    const question = page.getByRole('dialog', { name: 'Bestätigen Sie, dass Sie es sind' });
    await look(page, 'step-up-sign-in-phone');
    await question.getByRole('textbox', { name: 'Passwort' }).fill(PASSWORD);
    await question.getByRole('button', { name: 'Bestätigen' }).click();
    await question.getByText('Dafür ist ein zweiter Faktor nötig.').waitFor();
    expect(await question.getByRole('textbox', { name: 'Passwort' }).count()).toBe(0);
    await question.getByRole('button', { name: 'Passkey verwenden' }).click();
    await page.getByText('Noch kein Passkey').waitFor();
  });

  it('step-up leads to two-step verification when the account has no second factor', async () => {
    const visit = await openAs(site, await registerUser(site.url), '/account');
    const { page } = visit;
    await page.route('**/users/me', async (route) =>
      route.request().method() === 'PATCH' ? requireStepUp('enroll')(route) : route.continue(),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    const question = page.getByRole('dialog', { name: 'This needs two-step verification' });
    await question.waitFor();
    await look(page, 'step-up-enroll');
    await question.getByRole('link', { name: 'Set up two-step verification' }).click();
    await page.getByRole('heading', { name: 'Sign-in and security' }).waitFor();
  });
});
