import { expect, it } from 'vitest';
import { newEmail, PASSWORD, registerUser } from '../../server/test/browser.ts';
import { enterAs } from './enter-as.ts';
import { arriveAt, heading, sessionOf, signIn, visitor } from './hosted-fixture.ts';
import { describePages, look, openPages, styleOf } from './pages.ts';

const NEW_PASSWORD = 'a new one that is long enough';

describePages('registration and mailed links', () => {
  const site = openPages();
  const linkTo = async (email: string, page: string) =>
    (await site.mails.find(email, new RegExp(`/${page}\\?token=([\\w-]+)`)))[1]!;

  it('registration: shows errors at the fields, then sends a mail', async () => {
    const email = newEmail('ada');
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto('/register?redirect_to=%2Faccount%2Fsessions');
    await heading(page, 'Create an organization');
    await look(page, 'hosted-register');
    await page.getByLabel('Organization name').fill('Analytical Engines');
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('too short');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('Use at least 12 characters.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('Analytical Engines');
    await page.getByText('Strength: very weak. Don’t use your name, address or organization.').waitFor();
    // A reload keeps what was typed, except the password.
    await page.reload();
    expect(await page.getByLabel('Organization name').inputValue()).toBe('Analytical Engines');
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByText('Strength: strong.').waitFor();
    await page.getByRole('button', { name: 'Show password' }).click();
    await page.getByRole('button', { name: 'Create organization' }).click();
    await heading(page, 'Your organization is ready');
    await page.getByText(`We’ve sent an email to ${email}.`).waitFor();
    await look(page, 'hosted-registered');
    await page.getByRole('link', { name: 'Continue' }).click();
    await arriveAt(page, '/account/sessions');
    expect((await sessionOf(visit))?.user.email).toBe(email);
  });

  it('registration: the password strength neither moves the button nor changes the colours of the page', async () => {
    const { page } = await visitor(site);
    let show = () => {};
    const shown = new Promise<void>((resolve) => {
      show = resolve;
    });
    await page.route('**/StrengthMeter-*.js', (route) => shown.then(() => route.continue()));
    await page.goto('/register');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    const button = page.getByRole('button', { name: 'Create organization' });
    const before = (await button.boundingBox())!.y;
    const colours = async () => [
      await styleOf(page.locator('body'), 'backgroundColor'),
      await styleOf(page.locator('body'), 'color'),
    ];
    const coloursBefore = await colours();
    show();
    await page.getByText('Strength: strong.', { exact: true }).waitFor();
    expect(Math.abs((await button.boundingBox())!.y - before)).toBeLessThan(2);
    expect(await colours()).toEqual(coloursBefore);
  });

  it('registration: works if the estimate of the password strength cannot be loaded', async () => {
    const { page } = await visitor(site);
    await page.route('**/StrengthMeter-*.js', (route) => route.abort());
    await page.goto('/register');
    await page.getByLabel('Organization name').fill('Analytical Engines');
    await page.getByLabel('Email').fill(newEmail('ada'));
    const failed = page.waitForEvent('requestfailed');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await failed;
    await page.getByRole('button', { name: 'Create organization' }).click();
    await heading(page, 'Your organization is ready');
    site.expectFault(/dynamically imported module/);
  });

  it('verifies an email by a click, not by opening the link', async () => {
    const { email } = await registerUser(site.url);
    const { page } = await visitor(site);
    const token = await linkTo(email, 'verify-email');
    await page.goto(`/verify-email?token=${token}`);
    await heading(page, 'Is this your email address?');
    await page.getByText(email).waitFor();
    await look(page, 'hosted-verify');
    // The token is removed from the URL, and still known after a reload.
    expect(page.url()).toBe(`${site.url}/verify-email`);
    await page.reload();
    await page.getByRole('button', { name: 'This was me: confirm' }).click();
    await heading(page, 'Your address is confirmed');
    await page.goto(`/verify-email?token=${token}`);
    await heading(page, 'This link is no longer valid');
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await arriveAt(page, '/account');
  });

  it('registration: asks a signed-in user to sign out first, and rejects an email that is taken', async () => {
    const registered = await registerUser(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await enterAs(visit, registered.browser, site.url);
    await page.goto('/register');
    await page.getByText(`You are signed in as ${registered.email}.`).waitFor();
    await page.getByRole('button', { name: 'Sign out and register' }).click();
    await page.getByLabel('Organization name').fill('Another');
    await page.getByLabel('Email').fill(registered.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('An account with this email address already exists.').waitFor();
    await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
    await arriveAt(page, '/sign-in');
  });

  it('asks to confirm a change of email, and rejects an email that was taken in the meantime', async () => {
    const registered = await registerUser(site.url);
    const email = newEmail('new-address');
    const asked = await registered.browser.post('/users/me/email', { email, password: PASSWORD });
    expect(asked.status).toBe(204);
    const { page } = await visitor(site, { locale: 'de-DE', phone: true });
    await page.goto(`/verify-email?token=${await linkTo(email, 'verify-email')}`);
    await heading(page, 'E-Mail-Adresse ändern?');
    await look(page, 'hosted-verify-change-german-phone');
    await registerUser(site.url, { email });
    await page.getByRole('button', { name: 'Diese Adresse verwenden' }).click();
    await page.getByText('Inzwischen verwendet ein anderes Konto diese Adresse').waitFor();
    await page.getByRole('link', { name: 'Jetzt nicht' }).waitFor();
  });

  it('resets a forgotten password by a mailed link, which ends all sessions', async () => {
    const registered = await registerUser(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto('/forgot-password?redirect_to=%2Faccount%2Fsessions');
    await heading(page, 'Choose a new password');
    await look(page, 'hosted-forgot');
    await page.getByLabel('Email').fill(registered.email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await heading(page, 'Check your email');
    expect(await page.getByRole('link', { name: 'Back to sign-in' }).getAttribute('href')).toBe(
      '/sign-in?redirect_to=%2Faccount%2Fsessions',
    );

    await page.reload();
    await page.getByText(`If there’s an account for ${registered.email}`).waitFor();
    const wait = page.getByRole('button', { name: /^Send again \(in \d+ s\)$/ });
    expect(await wait.getAttribute('aria-disabled')).toBe('true');

    const token = await linkTo(registered.email, 'reset-password');
    await page.goto(`/reset-password?token=${token}`);
    await heading(page, 'Choose a new password');
    await look(page, 'hosted-reset');
    expect(page.url()).toBe(`${site.url}/reset-password`);
    // A hidden field tells password managers which account the password belongs to.
    expect(await page.locator('input[autocomplete=username]').inputValue()).toBe(registered.email);
    await page.getByLabel('New password').fill('too short');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Use at least 12 characters.').waitFor();
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await heading(page, 'Your password was changed');
    expect((await registered.browser.get('/auth/session')).status).toBe(401);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, registered.email, NEW_PASSWORD);
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user.email).toBe(registered.email);
  });

  it('offers a new link for an invalid one; shows the same response for an unknown email', async () => {
    const { page } = await visitor(site);
    await page.goto('/reset-password?token=cut-off');
    await heading(page, 'This link is no longer valid');
    await page.getByRole('link', { name: 'Get a new link' }).click();
    // The browser must not rewrite the domain.
    const email = 'nobody@müller.example';
    await page.getByLabel('Email').pressSequentially(email);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText(`If there’s an account for ${email}, we’ve sent a link to it.`).waitFor();
    for (const path of ['/reset-password', '/verify-email', '/verify-email?token=%20']) {
      await page.goto(path);
      await heading(page, 'This link is no longer valid');
    }
  });

  it('shows the next steps on the home page in development', async () => {
    const { page } = await visitor(site);
    await page.goto('/');
    await heading(page, 'Welcome');
    await page.getByText('npx gatehouse admin grant <email>').waitFor();
    await look(page, 'hosted-home');
    for (const path of ['/docs', '/openapi.json', '/readyz', '/dev/mail', '/console', '/register', '/sign-in']) {
      expect(await page.getByRole('main').locator(`a[href="${path}"]`).count(), path).toBeGreaterThan(0);
      expect((await page.request.get(path)).status(), path).toBe(200);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
