import { afterAll, beforeAll, expect, it } from 'vitest';
import { newEmail, registerUser } from '../../server/test/browser.ts';
import { startFakeProvider } from '../../server/test/fake-providers/provider.ts';
import type { FakeProvider } from '../../server/test/fake-providers/types.ts';
import { enrolNew } from '../../server/test/second-factor.ts';
import { enterAs } from './enter-as.ts';
import { alter, arriveAt, heading, sessionOf, setSuspended, signIn, visitor } from './hosted-fixture.ts';
import { describePages, look, openPages, type Visit } from './pages.ts';

const PRODUCT = 'http://product.localhost:1';

describePages('signing in', () => {
  let google: FakeProvider;
  const env: Record<string, string> = { LIMIT_PASSWORD_PER_ADDRESS: '2/900s', REDIRECT_ORIGINS: PRODUCT };
  // Runs before the service starts, because its environment contains the provider.
  beforeAll(async () => {
    google = await startFakeProvider('oauth_a');
    const { public_config, secret } = google.settings;
    Object.assign(env, google.environment, {
      OAUTH_A_CLIENT_ID: public_config.client_id,
      OAUTH_A_CLIENT_SECRET: secret,
      OAUTH_B_CLIENT_ID: 'not-used',
      OAUTH_B_CLIENT_SECRET: 'not-used',
    });
  });
  const site = openPages({ env });
  afterAll(() => google.close());

  it('signs in with a password; shows input errors at the fields and errors of the service above the form', async () => {
    const { email } = await registerUser(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    // Unknown values of `error` are ignored.
    await page.goto('/sign-in?error=constructor');
    await heading(page, 'Sign in');
    expect(await page.getByRole('alert').count()).toBe(0);
    await look(page, 'hosted-sign-in');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Please fill this in.').first().waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('email');
    await signIn(page, 'ada');
    await page.getByText('Enter an email address such as').waitFor();
    await signIn(page, email, 'not the right password');
    await page.getByRole('alert').getByText('The email or password is incorrect.').waitFor();
    await signIn(page, email);
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user.email).toBe(email);
    // The sign-in page is replaced in the history.
    expect(await page.evaluate('history.length')).toBe(2);
  });

  it('explains too many wrong passwords, with the time to try again, and a suspended organization', async () => {
    const { page } = await visitor(site);
    const email = newEmail();
    await page.goto('/sign-in');
    for (const password of ['wrong one', 'wrong two', 'wrong three']) await signIn(page, email, password);
    await page.getByText(/Too many attempts .* You can try again in 15 minutes\./).waitFor();

    const suspended = await registerUser(site.url);
    await setSuspended(site, suspended.organization_id, true);
    await signIn(page, suspended.email);
    await page.getByText('You can’t sign in to any organization this way').waitFor();
  });

  it('signs in with an emailed code, in German on a phone; a new code invalidates the old one', async () => {
    const { email } = await registerUser(site.url);
    const visit = await visitor(site, { locale: 'de-DE', phone: true });
    const { page } = visit;
    await page.clock.install();
    await page.goto('/sign-in');
    await heading(page, 'Anmelden');
    await look(page, 'hosted-sign-in-german-phone');
    await page.getByLabel('E-Mail').fill(email);
    await page.getByRole('button', { name: 'Code per E-Mail erhalten' }).click();
    await heading(page, 'Mit einem Code anmelden');
    await page.getByRole('button', { name: 'Code senden' }).click();
    await heading(page, 'Code eingeben');
    const [first] = await site.mails.find(email, /\b\d{6}\b/);
    const wait = page.getByRole('button', { name: /^Neuen Code senden \(in \d+ Sek\.\)$/ });
    expect(await wait.getAttribute('aria-disabled')).toBe('true');
    await page.clock.fastForward(30_000);
    await page.getByRole('button', { name: 'Neuen Code senden', exact: true }).click();
    await page.getByRole('status').getByText('Ein neuer Code ist unterwegs.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('code');
    const [second] = await site.mails.find(email, new RegExp(`\\b(?!${first})\\d{6}\\b`));
    const code = page.getByLabel('Code aus der Mail');
    await code.fill('12345');
    await page.getByRole('button', { name: 'Weiter' }).click();
    await page.getByText('Geben Sie die sechs Ziffern ein.').waitFor();
    // The sixth digit submits the form.
    await code.fill(first);
    await page.getByText('Dieser Code stimmt nicht, ist abgelaufen').waitFor();
    await look(page, 'hosted-code-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await code.fill(` ${second.slice(0, 3)} - ${second.slice(3)}`);
    // The email is not verified yet, so the page asks about the account: see hosted-reclaim.test.ts.
    await page.getByRole('button', { name: 'Behalten und weiter' }).click();
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user).toMatchObject({ email, auth_method: 'email_otp' });
    expect(await page.evaluate('sessionStorage.length')).toBe(0);

    // On the page of development mails, the subject has its own line.
    await page.goto('/dev/mail');
    const sent = page.getByRole('listitem').first();
    const subject = (await sent.locator('.subject').boundingBox())!;
    expect((await sent.locator('time').boundingBox())!.y).toBeGreaterThanOrEqual(subject.y + subject.height);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it('keeps email and step over reload, Back and Forward, and passes the email on to other pages', async () => {
    const { email, app } = await enrolNew(site.url);
    const { page } = await visitor(site);
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions');
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Get a code by email' }).click();
    await page.getByRole('button', { name: 'Send code' }).click();
    await heading(page, 'Enter the code');
    const [code] = await site.mails.find(email, /\b\d{6}\b/);
    expect(page.url()).toBe(`${site.url}/sign-in?redirect_to=%2Faccount%2Fsessions#code`);
    await page.reload();
    await heading(page, 'Enter the code');
    await page.getByText(`If there’s an account for ${email}`).waitFor();
    await page.goBack();
    await heading(page, 'Sign in with a code');
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    await page.goBack();
    await heading(page, 'Sign in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await heading(page, 'Choose a new password');
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    await page.goBack();
    await heading(page, 'Sign in');
    await page.goForward();
    await page.goBack();
    await page.getByRole('button', { name: 'Get a code by email' }).click();
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions#code');
    await page.getByLabel('Code from the email').fill(code);
    await heading(page, 'Two-step verification');
    await page.getByRole('main').getByText(email).waitFor();
    // The token of the pending sign-in is not stored.
    await page.reload();
    await page.getByRole('alert').getByText('The page was reloaded during the sign-in.').waitFor();
    expect(page.url()).toBe(`${site.url}/sign-in?redirect_to=%2Faccount%2Fsessions`);
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    expect(await page.evaluate('document.activeElement.name')).toBe('password');
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(code);
    await signIn(page, email);
    await page.getByLabel('Code from your authenticator app').fill(app.code());
    await arriveAt(page, '/account/sessions');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('says that the session has ended', async () => {
    const registered = await registerUser(site.url);
    const visit = await site.visit();
    const { page } = visit;
    await page.goto('/account');
    await heading(page, 'Sign in');
    expect(await page.getByText('Your session expired').count()).toBe(0);
    await enterAs(visit, registered.browser, site.url);
    await page.goto('/account');
    await heading(page, 'Profile');
    await registered.browser.post('/auth/logout');
    await page.reload();
    await page.getByText('Your session expired or was ended, for example in another tab').waitFor();
  });

  it('does not reveal after a code request that the email has no account', async () => {
    const { page } = await visitor(site);
    const email = newEmail('nobody');
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Get a code by email' }).click();
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText(`If there’s an account for ${email}, we’ve sent a code to it.`).waitFor();
    await page.getByLabel('Code from the email').fill('123456');
    await page.getByText('The code is incorrect or has expired').waitFor();
    await page.getByRole('button', { name: 'Sign in another way' }).click();
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
  });

  it('lets a signed-in user continue or sign out first', async () => {
    const registered = await registerUser(site.url);
    const visit = await visitor(site);
    const { page } = visit;
    await enterAs(visit, registered.browser, site.url);
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions&error=identity_in_use');
    await heading(page, 'You are signed in');
    await page.getByText(`You are signed in as ${registered.email}.`).waitFor();
    // A failed linking redirects to the sign-in page.
    await page.getByText('This provider account is already linked to a different user here.').waitFor();
    await look(page, 'hosted-signed-in-already');
    expect(await page.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe('/account/sessions');
    await page.getByRole('button', { name: 'Sign in with another account' }).click();
    await heading(page, 'Sign in');
    expect(await sessionOf(visit)).toBeUndefined();
  });

  it('leads to redirect_to on this origin and on a listed one', async () => {
    const { email } = await registerUser(site.url);
    const { page, context } = await visitor(site);
    await page.goto(`/sign-in?${new URLSearchParams({ redirect_to: '/account/sessions?a=b' })}`);
    const links = { register: 'Create an organization', forgot: 'Forgot your password?' };
    for (const name of Object.values(links)) {
      const href = await page.getByRole('link', { name }).getAttribute('href');
      expect(new URLSearchParams(href?.split('?')[1]).get('redirect_to')).toBe('/account/sessions?a=b');
    }
    await signIn(page, email);
    await arriveAt(page, '/account/sessions?a=b');
    await context.clearCookies();
    await context.route(`${PRODUCT}/**`, (route) => route.fulfill({ body: 'the product', contentType: 'text/plain' }));
    await page.goto(`/sign-in?${new URLSearchParams({ redirect_to: `${PRODUCT}/in?x=1` })}`);
    await signIn(page, email);
    await page.waitForURL(`${PRODUCT}/in?x=1`);
    // The page knows of the session when the access token has expired, although it never loaded the app.
    for (const name of ['service_at', 'service_csrf']) await context.clearCookies({ name });
    await page.goto('/sign-in');
    await heading(page, 'You are signed in');
  });

  it('ignores a redirect_to to an origin that is not listed', async () => {
    const { email } = await registerUser(site.url);
    const { page, context } = await visitor(site);
    const attempts = ['/\\evil.example', 'https://evil.example/'];
    for (const redirect_to of attempts) {
      await page.goto(`/sign-in?${new URLSearchParams({ redirect_to })}`);
      await signIn(page, email);
      await arriveAt(page, '/account');
      await context.clearCookies();
    }
  });

  const verify = (user_id: string) =>
    alter(site, 'update users set email_verified_at = now() where id = $1', [user_id]);

  /** Returns from the provider as after a cancelled sign-in. */
  async function decline({ page, context }: Visit): Promise<void> {
    const href = await page.getByRole('link', { name: 'Continue with Google' }).getAttribute('href');
    const started = await context.request.get(href!, { maxRedirects: 0 });
    const { callback_url } = await google.authorize(started.headers().location!, { deny: true });
    await page.goto(callback_url);
  }

  it('sign-in by a third party creates an account and leads to redirect_to', async () => {
    google.person = { ...google.person, subject: 'newcomer', email: 'newcomer@gmail.example', name: 'Grace' };
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions');
    await page.getByRole('link', { name: 'Continue with Google' }).click();
    await arriveAt(page, '/account/sessions');
    expect((await sessionOf(visit))?.user).toMatchObject({
      email: 'newcomer@gmail.example',
      auth_method: 'social_oauth',
    });
    // The home page is the default target of a third-party sign-in; it redirects a signed-in user.
    await page.goto('/');
    await arriveAt(page, '/account');
  });

  it('after sign-in by a third party, explains a cancellation and an existing account, and keeps redirect_to', async () => {
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions');
    await decline(visit);
    await page.getByText('You cancelled the sign-in at the provider.').waitFor();
    const { email } = await registerUser(site.url);
    google.person = { ...google.person, subject: 'known', email };
    await page.getByRole('link', { name: 'Continue with Google' }).click();
    await page.getByText('An account with this email address already exists.').waitFor();
    expect(new URL(page.url()).searchParams.get('redirect_to')).toBe('/account/sessions');
    expect(await sessionOf(visit)).toBeUndefined();
  });

  it('sign-in by a third party with a second factor removes the token from the URL; a reload restarts it', async () => {
    const { email, user_id, app } = await enrolNew(site.url);
    await verify(user_id);
    google.person = { ...google.person, subject: 'careful', email };
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions');
    await page.getByRole('link', { name: 'Continue with Google' }).click();
    await heading(page, 'Two-step verification');
    expect(page.url()).toBe(`${site.url}/sign-in/mfa`);
    // Trusted browsers do not apply to third-party sign-in.
    expect(await page.getByLabel('Trust this browser').count()).toBe(0);
    await page.reload();
    await heading(page, 'Please sign in again');
    await page.getByRole('link', { name: 'Start again' }).click();
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions');
    await page.getByRole('link', { name: 'Continue with Google' }).click();
    await page.getByLabel('Code from your authenticator app').fill(app.code());
    await arriveAt(page, '/account/sessions');
    expect((await sessionOf(visit))?.user.email).toBe(email);
  });

  it('sign-in by a third party: the provider used last is offered first, also to register and to accept an invitation', async () => {
    const owner = await registerUser(site.url);
    const { email, user_id } = await registerUser(site.url);
    await verify(user_id);
    await owner.browser.post(`/orgs/${owner.organization_id}/invitations`, { email, role: 'member' });
    const [link] = await site.mails.find(email, /\/accept-invitation\?token=[\w-]+/);
    const visit = await visitor(site, { phone: true });
    const { page } = visit;
    const offered = () => page.getByRole('link', { name: /^Continue with/ }).allTextContents();
    await page.goto('/register');
    await heading(page, 'Create an organization');
    expect(await offered()).toEqual(['Continue with Google', 'Continue with GitHub']);
    await page.evaluate("localStorage.setItem('gatehouse-provider', 'oauth_b')");
    await page.goto(link);
    await heading(page, /^Join /);
    expect(await offered()).toEqual(['Continue with GitHub', 'Continue with Google']);
    await look(page, 'hosted-providers-phone');
    google.person = { ...google.person, subject: 'invited', email };
    await page.getByRole('link', { name: 'Continue with Google' }).click();
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await heading(page, /^You are a member of /);
    expect(await page.evaluate("localStorage.getItem('gatehouse-provider')")).toBe('oauth_a');
  });
});
