import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { registerUser, signInAgain } from '../../server/test/browser.ts';
import { createAuthenticatorApp, enrol } from '../../server/test/second-factor.ts';
import { enterAs } from './enter-as.ts';
import { arriveAt, heading, sessionOf, signIn } from './hosted-fixture.ts';
import { describePages, look, openPages } from './pages.ts';
import { joinTeam } from './team.ts';

describePages('sign-in rules', () => {
  const site = openPages();

  it('an owner requires a second step, a member sets one up and continues, and a platform admin resets the rule', async () => {
    const account = await registerUser(site.url, { organization_name: 'Analytical Engines' });
    await sql`update users set platform_role = 'admin' where id = ${account.user_id}`.execute(site.database.db);
    const owner = await enrol(site.url, account);
    const member = await joinTeam(site, owner, { display_name: 'Bea' });

    const office = await site.visit();
    await enterAs(office, owner.browser, site.url);
    await office.page.goto('/organization/policy');
    await heading(office.page, 'Sign-in rules');
    const save = office.page.getByRole('button', { name: 'Save' });
    await office.page.getByRole('textbox', { name: 'Networks' }).fill('192.0.2.0/24');
    await office.page.getByText('2 of 2 members signed in from another network').waitFor();
    await save.click();
    await office.page.getByText('or your own address is missing').waitFor();
    await office.page.getByRole('textbox', { name: 'Networks' }).fill('');
    await office.page.getByRole('switch', { name: 'Require a second step' }).press('Space');
    await office.page.getByText('1 of 2 members have no second step yet.').waitFor();
    await look(office.page, 'organization-policy');
    await save.click();
    await office.page.getByText('Sign-in rules saved').waitFor();

    const late = await signInAgain(site.url, member);
    const visit = await site.visit();
    const { page } = visit;
    await page.goto('/sign-in?redirect_to=%2Faccount%2Fsessions');
    await signIn(page, member.email);
    await heading(page, 'Set up two-step verification');
    expect((await sessionOf(visit))?.user).toMatchObject({ extensions: { restricted: 'mfa_enrollment' } });
    await look(page, 'second-factor');
    const secret = (await page.locator('code').innerText()).replaceAll(/\s/g, '');
    await page.getByLabel('Code shown in the app').fill(createAuthenticatorApp(site.url, secret).code());
    await heading(page, 'Save your recovery codes');
    await look(page, 'second-factor-codes');
    await page.getByLabel('I have saved them in a safe place').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await arriveAt(page, '/account/sessions');
    expect((await sessionOf(visit))?.user).toMatchObject({ aal: 'aal2', extensions: {} });

    const other = await site.visit({ phone: true, scheme: 'dark' });
    await enterAs(other, late, site.url);
    await other.page.goto('/account');
    await heading(other.page, 'Confirm it’s you');
    await look(other.page, 'second-factor-verify');

    await office.page.goto(`/console/organizations/${owner.organization_id}`);
    await office.page.getByRole('region', { name: 'Sign-in rules' }).getByText('Required', { exact: true }).waitFor();
    await office.page.getByRole('button', { name: 'Reset rules' }).click();
    await office.page.getByRole('dialog').getByRole('button', { name: 'Reset rules' }).click();
    await office.page.getByText('Sign-in rules reset').waitFor();
    await site.mails.find(owner.email, /sign-in rules of the organization/);
  });
});
