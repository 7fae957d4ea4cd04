import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newEmail, PASSWORD } from '../../server/test/browser.ts';
import { runCommand } from '../../server/test/process.ts';
import { createAuthenticatorApp } from '../../server/test/second-factor.ts';
import { heading } from './hosted-fixture.ts';
import { addAuthenticator, describePages, look, openPages } from './pages.ts';

/** Limit of Tab presses: more than any page here has controls. */
const MAX_STOPS = 60;

/** The styles that can show the focus: of the control, its parent, first child, and next sibling (a drawn checkbox). */
const STYLE_OF = `(node) => [node, node.parentElement, node.firstElementChild, node.nextElementSibling]
  .filter((part) => part && part.getBoundingClientRect().width > 0)
  .map((part) => {
    const { outline, borderColor, boxShadow, stroke } = getComputedStyle(part);
    return [outline, borderColor, boxShadow, stroke].join();
  }).join()`;

/** Remembers how each control looks without the focus. */
const REMEMBER = `{
  const controls = document.querySelectorAll('a, button, input, select, textarea, summary, [tabindex]');
  globalThis.unfocused = new Map([...controls].map((node) => [node, (${STYLE_OF})(node)]));
}`;

/** Returns the control that has the focus but does not show it; null if it does. */
const UNMARKED = `{
  for (const animation of document.getAnimations()) {
    if (animation.effect.getComputedTiming().endTime !== Infinity) animation.finish();
  }
  const node = document.activeElement;
  const isMarked = node === document.body || (${STYLE_OF})(node) !== unfocused.get(node);
  isMarked ? null : node.outerHTML;
}`;

/** Returns functions that operate the page by keyboard. They fail if a control focused by Tab does not show it. */
function keyboardOf(page: Page) {
  /** Presses Tab until the control has the focus. If React replaces the control, it is reached again. */
  const go = async (control: Locator) => {
    await control.waitFor();
    for (let stops = 0; (await control.and(page.locator(':focus')).count()) === 0; stops++) {
      expect(stops, `pressed Tab, but did not reach ${control}`).toBeLessThan(MAX_STOPS);
      await page.evaluate(REMEMBER);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(UNMARKED), `a control at ${page.url()} that does not show the focus`).toBe(null);
    }
  };
  return {
    go,
    press: async (control: Locator, key = 'Enter') => {
      await go(control);
      await page.keyboard.press(key);
    },
    type: async (field: Locator, text: string) => {
      await go(field);
      await page.keyboard.type(text);
    },
  };
}

describePages('docs/browser-tour.md', () => {
  const site = openPages();

  it('can be completed by keyboard alone, and each control that is reached by Tab shows the focus', async () => {
    const ada = newEmail('ada');
    const grace = newEmail('grace');
    const visit = await site.visit();
    const { page } = visit;
    const { go, press, type } = keyboardOf(page);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');

    await page.goto('/');
    await press(link('Create an organization').first());
    await heading(page, 'Create an organization');
    await type(page.getByLabel('Organization name'), 'Analytical Engines');
    await type(page.getByLabel('Your name'), 'Ada');
    await type(page.getByLabel('Email'), ada);
    await type(page.getByLabel('Password', { exact: true }), PASSWORD);
    await press(button('Create organization'));
    await press(link('Continue'));
    await heading(page, 'Profile');

    await press(link('Sign-in and security'));
    await heading(page, 'Sign-in and security');
    // The focus is on the content, so the next Tab does not go through the menu again.
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await press(button('Turn on'));
    const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '');
    await type(dialog.getByLabel('Code shown in the app'), createAuthenticatorApp(site.url, secret).code());
    await page.keyboard.press('Enter');
    await press(dialog.getByLabel('I have saved them in a safe place'), 'Space');
    await press(dialog.getByRole('button', { name: 'Done' }));
    await page.getByText('10 recovery codes are left.').waitFor();
    await addAuthenticator(visit);
    await press(button('Add a passkey'));
    await press(dialog.getByRole('button', { name: 'Continue' }));
    await page.getByText('The passkey “Linux computer” has been added.').waitFor();

    await press(link('Organization'));
    await heading(page, 'Members');
    await press(link('Invitations'));
    await type(page.getByLabel('Email'), grace);
    await press(page.getByLabel('Role', { exact: true }), 'ArrowDown');
    await press(button('Send invitation'));
    await page.getByText(`We’ve sent the invitation to ${grace}.`).waitFor();
    await site.mails.find(grace, /accept-invitation/);

    const { page: window } = await site.visit();
    const other = keyboardOf(window);
    await window.goto('/dev/mail');
    await other.press(window.getByRole('link', { name: /accept-invitation/ }));
    await heading(window, 'Join Analytical Engines');
    await other.type(window.getByLabel('Your name'), 'Grace');
    await other.type(window.getByLabel('Password', { exact: true }), PASSWORD);
    await other.press(window.getByRole('button', { name: 'Create account and join' }));
    await heading(window, 'Profile');

    // Like F5: the page shows a list that is less than five seconds old without loading it again.
    await page.reload();
    await press(link('Members'));
    await page.getByRole('row', { name: 'Grace' }).waitFor();

    await press(link('Open the console'));
    await page.getByRole('heading', { name: 'Become the platform owner' }).waitFor();
    const command = await page.getByRole('group', { name: 'Command' }).getByRole('code').textContent();
    expect(command).toBe(`npx gatehouse admin grant ${ada}`);
    await press(button('Check again'));
    await page.getByText('Your account has no platform role yet.').waitFor();
    await look(page, 'console-first-start');
    // The page also reads the session when it gets the focus, so the button may disappear before Enter is pressed.
    await go(button('Check again'));
    const { code, stderr } = await runCommand(command!.split(' ').slice(2), {
      cwd: site.environment.DATA_DIR!,
      env: site.environment,
    });
    expect(code, stderr).toBe(0);
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    await press(link('Audit trail'));
    for (const event of [
      'Registration',
      'Two-step verification turned on',
      'Passkey added',
      'Invitation accepted',
      'Platform role changed',
    ]) {
      await page.getByRole('row', { name: event }).first().waitFor();
    }
  });
});
