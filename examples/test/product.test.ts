import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@gatehouse/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newEmail, PASSWORD } from '../../packages/server/test/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/database.ts';
import { freePorts } from '../../packages/server/test/ports.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { INVALIDATED_WITHIN_MS, NO_LOAD_SHEDDING, TIMEOUT_MS } from '../../packages/server/test/timeouts.ts';
import { describePages, expectAccessible, launchBrowser } from '../../packages/web/test/pages.ts';

describePages('the example, started by its command', () => {
  let database: TestDatabase;
  let folder: string;
  let example: ChildProcess;
  let port: number;
  let output = '';
  /** The first platform owner. */
  const owner = newEmail('owner');
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'gh-example-'));
    port = await freePorts(3);
    example = spawn(process.execPath, [join(import.meta.dirname, '../../scripts/example.mjs'), 'hono'], {
      env: {
        ...NO_LOAD_SHEDDING,
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        EXAMPLE_DATABASE_URL: database.url,
        JWT_SECRET: SECRET,
        EXAMPLE_PORT: String(port),
        EXAMPLE_DATA: folder,
        INITIAL_OWNER_EMAIL: owner,
      },
    });
    for (const stream of [example.stdout!, example.stderr!]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    await vi.waitFor(() => expect(output).toContain('Ctrl-C stops'), { timeout: TIMEOUT_MS });
  });
  afterAll(async () => {
    example?.kill('SIGTERM');
    if (example && example.exitCode === null) await once(example, 'exit');
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const message = (page: Page) => page.getByRole('status');
  const productUrl = () => `http://app.gatehouse.localhost:${port + 2}/`;

  async function openProduct() {
    const context = await (await launchBrowser()).newContext({ locale: 'en-GB' });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(productUrl());
    await message(page).getByText('Sign in to see').waitFor();
    return { page, faults, close: () => context.close() };
  }

  async function registerOnHostedPages(page: Page, email: string): Promise<void> {
    await page.getByRole('button', { name: 'Register' }).click();
    await page.waitForURL(`http://id.gatehouse.localhost:${port}/register**`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Organization name').fill('Product');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(productUrl());
    await page.getByRole('link', { name: email }).waitFor();
    await message(page).getByText('No notes yet.').waitFor();
  }

  async function addNote(page: Page, text: string, email: string): Promise<void> {
    await page.getByLabel('New note').fill(text);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('listitem').getByText(`${text} (${email})`).waitFor();
  }

  it('the product lets a user register on the hosted pages, return, add a note, and approve it while a role gives the permission; it notices that the session has ended', async () => {
    expect(output).toContain(`Open ${productUrl().slice(0, -1)}`);
    const { page, faults, close } = await openProduct();
    expect(await page.getByRole('textbox').isVisible()).toBe(false);
    await expectAccessible(page);

    await registerOnHostedPages(page, owner);
    await addNote(page, 'Buy bread', owner);
    const loadedAt = await page.evaluate(() => performance.timeOrigin);
    const approve = page.getByRole('button', { name: 'Approve Buy bread' });
    const approved = page.getByRole('listitem').getByText(`approved by ${owner}`);
    const refused = message(page).getByText('Your roles do not allow this.');
    await approve.click();
    await refused.waitFor();

    // Changes the role over the API, as the README of the example says.
    const changeRole = async (command: 'give' | 'take'): Promise<string> => {
      const script = join(import.meta.dirname, '../product/approver.mjs');
      const env = { EMAIL: owner, PASSWORD, SERVICE_ADDRESS: `http://127.0.0.1:${port}` };
      return (await promisify(execFile)(process.execPath, [script, command], { env })).stdout;
    };
    const clickUntil = async (isReached: () => Promise<boolean>): Promise<void> => {
      const click = async () => {
        const answered = page.waitForResponse((response) => response.url().endsWith('/approval'));
        await approve.click();
        await answered;
        return isReached();
      };
      await expect.poll(click, { interval: 50, timeout: INVALIDATED_WITHIN_MS }).toBe(true);
    };

    expect(await changeRole('give')).toBe(`${owner} may approve notes.\n`);
    await clickUntil(() => approved.isVisible());
    await expectAccessible(page);
    await message(page).getByText('Your roles').waitFor({ state: 'hidden' });
    expect(await changeRole('take')).toBe(`${owner} may no longer approve notes.\n`);
    await clickUntil(() => refused.isVisible());

    // A role change needs no new sign-in: the page was not left, and the session is still valid.
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(loadedAt);
    await addNote(page, 'Buy milk', owner);

    // After a reload there is no token in memory: the cookie of the service gets a new one.
    await page.reload();
    await page.getByRole('listitem').getByText('Buy bread').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await message(page).getByText('Sign in to see').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(owner);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('listitem').getByText('Buy bread').waitFor();

    // The session is ended on another device: the feed tells the API, and the API the page.
    const other = createClient({ base: `http://127.0.0.1:${port}/v1` });
    await other.signIn.withPassword({ email: owner, password: PASSWORD });
    await other.session.endOthers();
    const signedOut = message(page).getByText('Sign in to see');
    await expect
      .poll(
        async () => {
          if (await signedOut.isVisible()) return true;
          await page.getByLabel('New note').fill('One more');
          await page.getByRole('button', { name: 'Add' }).click();
          return signedOut.isVisible();
        },
        { interval: 500 },
      )
      .toBe(true);
    expect(faults).toEqual([]);
    await close();
  });
});
