import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createBrowser, registerUser, type TestUser } from '../../server/test/browser.ts';
import { enterAs } from './enter-as.ts';
import type { Visit } from './pages.ts';

/** The user who registers with this email becomes platform owner of a service that is started with `OWNED`. */
const OWNER = 'owner@example.com';
export const OWNED = { INITIAL_OWNER_EMAIL: OWNER };

export const registerOwner = (url: string, given: Record<string, unknown> = {}): Promise<TestUser> =>
  registerUser(url, { organization_name: 'Platform', display_name: 'Olive Owner', ...given, email: OWNER });

export async function registerWithRole(
  url: string,
  owner: TestUser,
  role: 'viewer' | 'admin',
  given: Record<string, unknown> = {},
): Promise<TestUser> {
  const user = await registerUser(url, { organization_name: 'Colleagues', ...given });
  const answer = await owner.browser.send('PUT', `/admin/users/${user.user_id}/platform-role`, { body: { role } });
  if (answer.status !== 200) throw new Error(`the role was answered ${answer.status}: ${answer.text}`);
  return user;
}

export async function visitAs(site: Site, user: TestUser, options?: Parameters<Site['visit']>[0]): Promise<Page> {
  const visit = await site.visit(options);
  await enterAs(visit, user.browser, site.url);
  return visit.page;
}

interface Site {
  readonly url: string;
  visit(options?: { scheme?: 'light' | 'dark'; locale?: string; phone?: boolean }): Promise<Visit>;
}

export const tryToSignIn = (url: string, email: string, password: string) =>
  createBrowser(url).post('/auth/login', { email, password });

/** The page must not be wider than the screen: only parts of it may scroll sideways. */
export const expectNoSideways = async (page: Page): Promise<void> =>
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
