import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@gatehouse/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newEmail, PASSWORD } from '../../packages/server/test/browser.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/database.ts';
import { freePorts } from '../../packages/server/test/ports.ts';
import { SECRET } from '../../packages/server/test/postgres.ts';
import { NO_LOAD_SHEDDING, TIMEOUT_MS } from '../../packages/server/test/timeouts.ts';
import { describePages, expectAccessible, launchBrowser } from '../../packages/web/test/pages.ts';

describePages('the example, started by its command', () => {
  let database: TestDatabase;
  let folder: string;
  let example: ChildProcess;
  let port: number;
  let output = '';
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

  it('the product lets a user register on the hosted pages, return and add a note, and notices that the session has ended', async () => {
    const product = `http://app.gatehouse.localhost:${port + 2}/`;
    expect(output).toContain(`Open ${product.slice(0, -1)}`);
    const context = await (await launchBrowser()).newContext({ locale: 'en-GB' });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(product);
    await message(page).getByText('Sign in to see').waitFor();
    expect(await page.getByRole('textbox').isVisible()).toBe(false);
    await expectAccessible(page);

    const email = newEmail('product');
    await page.getByRole('button', { name: 'Register' }).click();
    await page.waitForURL(`http://id.gatehouse.localhost:${port}/register**`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Organization name').fill('Product');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(product);
    await page.getByRole('link', { name: email }).waitFor();
    await message(page).getByText('No notes yet.').waitFor();
    await page.getByLabel('New note').fill('Buy bread');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('listitem').getByText(`Buy bread (${email})`).waitFor();
    await expectAccessible(page);

    // After a reload there is no token in memory: the cookie of the service gets a new one.
    await page.reload();
    await page.getByRole('listitem').getByText('Buy bread').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await message(page).getByText('Sign in to see').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('listitem').getByText('Buy bread').waitFor();

    // The session is ended on another device: the feed tells the API, and the API the page.
    const other = createClient({ base: `http://127.0.0.1:${port}/v1` });
    await other.signIn.withPassword({ email, password: PASSWORD });
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
    await context.close();
  });
});
