import { chromium, type Page } from 'playwright-core';
import { Skipped } from '../bench/debian.ts';
import { atEnd } from '../bench/tidy.ts';
import { findChromium } from '../packages/web/test/chromium.ts';
import { PASSWORD } from './account.ts';

const TIMEOUT_MS = 60_000;

/** Opens a page in a real browser, which is closed at the end. Errors that a page reports end up in `faults`. */
export async function openBrowser(): Promise<{ page: Page; faults: string[] }> {
  const executablePath = await findChromium();
  if (!executablePath) throw new Skipped('this machine has no Chromium: name one by CHROME_PATH');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--lang=en'] });
  atEnd(() => browser.close());
  const context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  return { page, faults };
}

export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export const allow = (page: Page): Promise<void> => page.getByRole('button', { name: 'Allow', exact: true }).click();
