import { expect, it } from 'vitest';
import { registerUser } from '../../server/test/browser.ts';
import { enrolNew } from '../../server/test/second-factor.ts';
import { enterAs } from './enter-as.ts';
import { alter, arriveAt, heading, leaveWithPasskey, sessionOf, signIn, visitor } from './hosted-fixture.ts';
import { addAuthenticator, describePages, look, openPages } from './pages.ts';

describePages('passkeys and second factors', () => {
  const site = openPages({ env: { LIMIT_RECOVERY_CODE: '2/3600s' } });

  it('signs in with a passkey by autofill and by button', async () => {
    const account = await registerUser(site.url);
    const visit = await visitor(site);
    const { page, context } = visit;
    await addAuthenticator(visit);
    await enterAs(visit, account.browser, site.url);
    await leaveWithPasskey(visit);
    // The virtual authenticator accepts the autofill request, so the page signs in without a click.
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions');
    await arriveAt(page, '/account/sessions');
    expect((await sessionOf(visit))?.user).toMatchObject({ email: account.email, auth_method: 'passkey' });

    await context.clearCookies();
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await arriveAt(page, '/account');

    await context.clearCookies();
    await page.goto('/sign-in');
    await alter(site, 'delete from passkeys where user_id = $1', [account.user_id]);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('This passkey is not registered here').waitFor();
  });

  it('stops passkey autofill while another method is used, and offers it again if that fails', async () => {
    const { page } = await visitor(site);
    await page.addInitScript(`
      globalThis.offers = [];
      navigator.credentials.get = ({ mediation, signal }) => new Promise((_, reject) => {
        if (mediation !== 'conditional') return reject(new DOMException('cancelled', 'NotAllowedError'));
        offers.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason));
      })`);
    const offered = (count: number) =>
      page.waitForFunction((n) => (globalThis as unknown as { offers: unknown[] }).offers.length === n, count);
    await page.goto('/sign-in');
    await offered(1);
    expect(await page.getByLabel('Email').getAttribute('autocomplete')).toBe('username webauthn');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used.').waitFor();
    await offered(2);
    await page.getByRole('button', { name: 'Get a code by email' }).click();
    await heading(page, 'Sign in with a code');
    expect(await page.evaluate('offers.map(({ aborted }) => aborted)')).toEqual([true, true]);
  });

  it('skips the second factor at the next sign-in after trusting the browser', async () => {
    const { email, app } = await enrolNew(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto('/sign-in');
    await signIn(page, email);
    await heading(page, 'Two-step verification');
    await page.getByText(`You are signing in as ${email}`).waitFor();
    await look(page, 'hosted-mfa');
    const code = page.getByLabel('Code from your authenticator app');
    await code.fill(app.wrong());
    await page.getByText('This code is incorrect or was already used.').waitFor();
    await page.getByLabel('Trust this browser for 30 days').check();
    await code.fill(app.code());
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user.auth_method).toBe('password_with_mfa');

    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in with another account' }).click();
    await signIn(page, email);
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user.auth_method).toBe('password');
  });

  it('signs in with a passkey instead of the second factor', async () => {
    const account = await enrolNew(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    await addAuthenticator(visit);
    await enterAs(visit, account.browser, site.url);
    await leaveWithPasskey(visit);
    await page.goto('/sign-in');
    await signIn(page, account.email);
    await page.getByRole('button', { name: 'Use a passkey instead' }).click();
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user).toMatchObject({ email: account.email, auth_method: 'passkey' });
  });

  it('signs in with a recovery code, even if the browser cannot be trusted afterwards', async () => {
    const { email, recovery_codes } = await enrolNew(site.url);
    const visit = await visitor(site, { phone: true });
    const { page } = visit;
    await page.route('**/auth/trusted-browsers', (route) => route.abort());
    await page.goto('/sign-in');
    await signIn(page, email);
    await page.getByLabel('Trust this browser for 30 days').check();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await look(page, 'hosted-recovery-phone');
    await page.getByLabel('Recovery code').fill('k7ta-93xq-m2fv-0wzd');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This recovery code is incorrect').waitFor();
    await page.getByLabel('Recovery code').fill(recovery_codes[0]!.toUpperCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user.email).toBe(email);
  });

  it('restarts the sign-in with a message after five wrong codes or five minutes', async () => {
    const { email, app } = await enrolNew(site.url);
    const { page } = await visitor(site);
    await page.clock.install();
    await page.goto('/sign-in');
    await signIn(page, email);
    const code = page.getByLabel('Code from your authenticator app');
    const send = async () => {
      const answered = page.waitForResponse('**/auth/mfa/challenge');
      await page.getByRole('button', { name: 'Continue' }).click();
      await answered;
    };
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    for (const typed of ['not', 'one', 'of them']) {
      await page.getByLabel('Recovery code').fill(typed);
      await send();
    }
    // The account has reached the limit of recovery code attempts.
    await page.getByText(/The authenticator app still works\. You can try again in 60 minutes\./).waitFor();
    await page.getByRole('button', { name: 'Use the authenticator app' }).click();
    for (let attempt = 0; attempt < 2; attempt++) {
      await code.fill('');
      const answered = page.waitForResponse('**/auth/mfa/challenge');
      await code.fill(app.wrong());
      await answered;
    }
    await page.getByText('Too many incorrect codes.').waitFor();
    await signIn(page, email);
    await code.waitFor();
    await page.clock.fastForward('05:00');
    await page.getByText('The sign-in took longer than five minutes.').waitFor();
    await signIn(page, email);
    await page.getByRole('button', { name: 'Start again' }).click();
    await heading(page, 'Sign in');
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
