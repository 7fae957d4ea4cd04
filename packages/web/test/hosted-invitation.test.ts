import { expect, it } from 'vitest';
import { newEmail, PASSWORD, registerUser, type TestUser } from '../../server/test/browser.ts';
import { enterAs } from './enter-as.ts';
import { alter, arriveAt, heading, sessionOf, setSuspended, signIn, visitor } from './hosted-fixture.ts';
import { describePages, look, openPages } from './pages.ts';

describePages('accepting an invitation', () => {
  const site = openPages();

  async function invite(owner: TestUser, email: string): Promise<{ link: string; id: string }> {
    const { browser, organization_id } = owner;
    const { status, text, json } = await browser.post(`/orgs/${organization_id}/invitations`, { email, role: 'admin' });
    expect(status, text).toBe(201);
    const [link] = await site.mails.find(email, /\/accept-invitation\?token=[\w-]+/);
    return { link, id: json.id };
  }
  const newOwner = () => registerUser(site.url, { organization_name: 'Analytical Engines' });

  it('creates an account with a password and signs in; the link is invalid afterwards', async () => {
    const owner = await newOwner();
    const email = newEmail('grace');
    const { link } = await invite(owner, email);
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto(link);
    await heading(page, 'Join Analytical Engines');
    await page.getByText(`${owner.email} has invited you to Analytical Engines. Your role: Admin.`).waitFor();
    await look(page, 'hosted-invitation');
    expect(page.url()).toBe(`${site.url}/accept-invitation`);
    await page.reload();
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    await page.getByLabel('Your name').fill('Grace');
    await page.getByLabel('Password', { exact: true }).fill('too short');
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.getByText('Use at least 12 characters.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await arriveAt(page, '/account');
    expect(await sessionOf(visit)).toMatchObject({
      user: { email, organization_id: owner.organization_id },
      capabilities: { role: 'admin' },
    });
    await page.goto(link);
    await heading(page, 'This invitation was already accepted');
  });

  it('returns to the invitation after sign-in, accepts with one click and switches the organization', async () => {
    const [owner, guest] = [await newOwner(), await registerUser(site.url)];
    const { link } = await invite(owner, guest.email);
    const visit = await visitor(site, { locale: 'de-DE', phone: true });
    const { page } = visit;
    await page.goto(link);
    await page.getByLabel('Passwort', { exact: true }).waitFor();
    await look(page, 'hosted-invitation-german-phone');
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Konto anlegen und beitreten' }).click();
    await heading(page, 'Zum Annehmen anmelden');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await arriveAt(page, '/sign-in?redirect_to=%2Faccept-invitation');
    await page.getByLabel('E-Mail').fill(guest.email);
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await arriveAt(page, '/accept-invitation');
    await page.getByText(`Sie sind als ${guest.email} angemeldet.`).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await look(page, 'hosted-invitation-myself-german-phone');
    await page.getByRole('button', { name: 'Einladung annehmen' }).click();
    await heading(page, 'Sie sind Mitglied von Analytical Engines');
    await page.getByRole('button', { name: 'Zu Analytical Engines wechseln' }).click();
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user.organization_id).toBe(owner.organization_id);
  });

  it('offers sign-out if another user is signed in, then continues', async () => {
    const [owner, other] = [await newOwner(), await registerUser(site.url)];
    const { link } = await invite(owner, newEmail('invited'));
    const visit = await visitor(site);
    const { page } = visit;
    await enterAs(visit, other.browser, site.url);
    await page.goto(link);
    await page.getByText(`but you are signed in as ${other.email}.`).waitFor();
    await look(page, 'hosted-invitation-somebody-else');
    await page.getByRole('button', { name: 'Sign out and continue' }).click();
    await page.getByRole('button', { name: 'Create account and join' }).waitFor();
    expect(await sessionOf(visit)).toBeUndefined();
  });

  it('tells a user with an unverified email, signed in by emailed code, to choose a new password first', async () => {
    const [owner, guest] = [await newOwner(), await registerUser(site.url)];
    await guest.browser.post('/auth/email-otp/request', { email: guest.email });
    const [code] = await site.mails.find(guest.email, /\b\d{6}\b/);
    await guest.browser.post('/auth/email-otp/verify', { email: guest.email, code });
    const { link } = await invite(owner, guest.email);
    const visit = await visitor(site);
    const { page } = visit;
    await enterAs(visit, guest.browser, site.url);
    await page.goto(link);
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByText('Your email address is not confirmed yet.').waitFor();
    await page.getByRole('link', { name: 'Choose a new password' }).click();
    await arriveAt(page, '/forgot-password');
  });

  it('adds an account whose only organization is suspended as a member, which can then sign in', async () => {
    const [owner, guest] = [await newOwner(), await registerUser(site.url)];
    await setSuspended(site, guest.organization_id, true);
    await alter(site, 'update users set email_verified_at = now() where id = $1', [guest.user_id]);
    const { link } = await invite(owner, guest.email);
    const visit = await visitor(site);
    const { page } = visit;
    await page.goto(link);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await heading(page, 'You are a member of Analytical Engines');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, guest.email);
    await arriveAt(page, '/account');
    expect((await sessionOf(visit))?.user.organization_id).toBe(owner.organization_id);
  });

  it('says why an invitation cannot be accepted: revoked, suspended, withdrawn, expired, unknown', async () => {
    const owner = await newOwner();
    const { page } = await visitor(site);
    const revoked = await invite(owner, newEmail('revoked'));
    await page.goto(revoked.link);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await owner.browser.delete(`/orgs/${owner.organization_id}/invitations/${revoked.id}`);
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await heading(page, 'This invitation was revoked');
    await look(page, 'hosted-invitation-over');

    const { link, id } = await invite(owner, newEmail('later'));
    const findOut = async (why: string) => {
      await page.goto(link);
      await heading(page, why);
      await page.getByRole('link', { name: 'Go to your account' }).waitFor();
    };
    await setSuspended(site, owner.organization_id, true);
    await findOut('This organization is suspended');
    await setSuspended(site, owner.organization_id, false);
    await alter(site, `update memberships set role = 'member' where user_id = $1`, [owner.user_id]);
    await findOut('This invitation is no longer valid');
    await alter(site, `update invitations set expires_at = now() - interval '1 day' where id = $1`, [id]);
    await findOut('This invitation has expired');
    await page.goto('/accept-invitation?token=cut-off');
    await heading(page, 'Invitation not found');
  });
});
