import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, type MockInstance, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../server/test/database.ts';
import { startLocalServer } from '../../server/test/in-process.ts';
import { SECRET } from '../../server/test/postgres.ts';
import { startServer } from '../../server/test/process.ts';
import { TIMEOUT_MS } from '../../server/test/timeouts.ts';
import { openMailFolder } from './mails.ts';
import { expectStyled } from './sheets.ts';

const PICTURES = join(import.meta.dirname, '../pictures');
/** Off by default: screenshots cost as much as axe and check nothing. */
const wantsPictures = process.env.PICTURES === '1';
// Ends with `undefined`, because the last value of the script cannot be serialized.
const AXE = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')};undefined`;

const path = inject('chromium');

/** `describe` for tests that need a browser. Without one they are skipped, with a warning at the start of the run. */
export const describePages = describe.skipIf(path === null);

let running: Promise<Browser> | undefined;

/** One browser for all test files of a worker, which ends with the worker. */
export function launchBrowser(): Promise<Browser> {
  running ??= launch();
  return running;
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: path!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--in-process-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--lang=en',
      // No page lives long enough to benefit from optimized code.
      '--js-flags=--no-opt --no-maglev',
    ],
  });
  await limitPauses(browser);
  return browser;
}

type Retry = (progress: unknown, pauses: readonly number[], action: unknown) => Promise<unknown>;

/** The part of Playwright that controls the browser. It runs in this process. */
interface Internals {
  readonly _connection: { toImpl(page: Page): { mainFrame(): { retryWithProgressAndTimeouts: Retry } } };
}

const MAX_PAUSE_MS = 100;

/**
 * Playwright looks for an element that does not exist yet five times in 270 ms, then only every 500 ms: after most
 * navigations, a test would wait for a page that has long been ready. Playwright has no option for these pauses.
 */
async function limitPauses(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  const frame = (page as unknown as Internals)._connection.toImpl(page).mainFrame();
  const retry = frame.retryWithProgressAndTimeouts;
  if (typeof retry !== 'function') throw new Error('Playwright has no retryWithProgressAndTimeouts any longer');
  Object.getPrototypeOf(frame).retryWithProgressAndTimeouts = function (
    ...[progress, pauses, action]: Parameters<Retry>
  ) {
    const limited = pauses.map((pause) => Math.min(pause, MAX_PAUSE_MS));
    return retry.call(this, progress, limited, action);
  };
  await page.close();
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
}

export interface VisitOptions {
  readonly scheme?: 'light' | 'dark';
  readonly locale?: string;
  readonly phone?: boolean;
}

/** The events to which the tests listen. */
const LISTENED = ['page', 'popup', 'console', 'pageerror', 'dialog', 'download', 'request', 'response'];

/** A context that the tests of a file use one after another: scripts load in half the time of a new context. */
interface PooledContext extends Visit {
  readonly locale: string;
  readonly spies: {
    /** Spies on methods whose effect cannot be undone: a context in which one was called is not used again. */
    readonly lasting: readonly Pick<MockInstance, 'mock'>[];
    readonly sessions: MockInstance<BrowserContext['newCDPSession']>;
  };
}

/** Stops all animations: a page that shows a skeleton while it loads would draw sixty frames a second. */
const STILL = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { animation: none !important; transition: none !important }');
  document.adoptedStyleSheets.push(sheet);
}`;

interface PagesOptions {
  readonly env?: Record<string, string>;
  /** Whether the built service runs as a process, instead of in this one. The pages are always the built ones. */
  readonly built?: boolean;
}

/**
 * Starts the service and a browser for the tests of one file. An error that a page logs, or a violation of its content
 * security policy, fails the running test unless the test expects it.
 */
export function openPages({ env = {}, built = false }: PagesOptions = {}) {
  let browser: Browser;
  let stop: () => Promise<void>;
  let faults: string[] = [];
  const place = { folder: '' };
  const site = {
    url: '',
    environment: {} as Record<string, string>,
    database: undefined as unknown as TestDatabase,
    mails: openMailFolder(place),
    visit,
    expectFault,
  };
  const used: PooledContext[] = [];
  const free: PooledContext[] = [];

  beforeAll(async () => {
    if (path === null) return;
    const database = await createTestDatabase();
    place.folder = mkdtempSync(join(tmpdir(), 'gh-pages-'));
    const environment = { NODE_ENV: 'test', DATABASE_URL: database.url, DATA_DIR: place.folder, ...env };
    const server = await (built ? startServer({ cwd: place.folder, env: environment }) : startLocalServer(environment));
    // An IP address cannot be a WebAuthn relying party.
    site.url = server.url.replace('127.0.0.1', 'localhost');
    site.environment = { JWT_SECRET: SECRET, PUBLIC_BASE_URL: site.url, ...environment };
    site.database = database;
    browser = await launchBrowser();
    stop = async () => {
      await server.stop();
      await database.close();
      rmSync(place.folder, { recursive: true, force: true });
    };
  });
  afterEach(async () => {
    await Promise.all(used.splice(0).map(release));
    const seen = faults;
    faults = [];
    expect(seen, 'errors in the console of a page').toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(free.splice(0).map(({ context }) => context.close()));
    await stop?.();
  });

  /** Opens a page in a browser context without cookies and stored data. Its cache may contain scripts. */
  async function visit({ scheme = 'light', locale = 'en-GB', phone = false }: VisitOptions = {}): Promise<Visit> {
    const index = free.findIndex((pooled) => pooled.locale === locale);
    const pooled = index < 0 ? await open(locale) : free.splice(index, 1)[0]!;
    used.push(pooled);
    const { context, page } = pooled;
    watch(page);
    context.on('page', watch);
    await page.setViewportSize(phone ? { width: 390, height: 844 } : { width: 1280, height: 860 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    return { context, page };
  }

  /** Removes what a test has left in a context and its page, so that the next test can use them. */
  async function release(pooled: PooledContext): Promise<void> {
    const { context, page, spies } = pooled;
    const isChanged = spies.lasting.some(({ mock }) => mock.calls.length > 0);
    if (isChanged || page.isClosed()) return context.close();
    await Promise.all(context.pages().map((other) => (other === page ? undefined : other.close())));
    await Promise.all(spies.sessions.mock.results.map(async ({ value }) => (await value).detach()));
    spies.sessions.mockClear();
    for (const part of [page, context]) {
      // Without a name this would also remove the listeners of Playwright itself.
      for (const event of LISTENED) part.removeAllListeners(event);
      await part.unrouteAll({ behavior: 'ignoreErrors' });
    }
    await context.setOffline(false);
    await context.clearPermissions();
    await page.mouse.move(0, 0);
    // Ends the page of the test, which would still store data.
    await page.goto('/healthz');
    await page.evaluate('localStorage.clear(), sessionStorage.clear()');
    await context.clearCookies();
    free.push(pooled);
  }

  function watch(page: Page): void {
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      // The browser itself logs failed requests; tests check how the page handles them.
      const isRefusal = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isRefusal) faults.push(`${page.url()}: ${message.text()}`);
    });
  }

  async function open(locale: string): Promise<PooledContext> {
    const context = await browser.newContext({
      baseURL: site.url,
      locale,
      // Without screenshots, fewer pixels are enough: the layout is the same.
      deviceScaleFactor: wantsPictures ? 1 : 0.25,
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    await context.addInitScript(STILL);
    const page = await context.newPage();
    const lasting = [
      vi.spyOn(context, 'addInitScript'),
      vi.spyOn(page, 'addInitScript'),
      vi.spyOn(page.clock, 'install'),
    ];
    return { locale, context, page, spies: { lasting, sessions: vi.spyOn(context, 'newCDPSession') } };
  }

  /** Removes an error that the test has provoked; fails if there is none. */
  function expectFault(pattern: RegExp): void {
    const found = faults.filter((fault) => pattern.test(fault));
    expect(found).not.toEqual([]);
    faults = faults.filter((fault) => !pattern.test(fault));
  }
  return site;
}

interface Violation {
  id: string;
  help: string;
  nodes: { target: unknown[]; failureSummary?: string }[];
}

/** The globals of the page that the checks use. */
interface Inspected {
  axe: { run(context: object, options: object): Promise<{ violations: Violation[] }> };
  document: { querySelectorAll(selector: string): Iterable<object> };
}

/**
 * Fails if axe reports a violation on the page as it is now, or in its open dialog. Checks `rules`, or else all rules,
 * best practices too.
 */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  const violations = await page.evaluate(async (runOnly) => {
    const { axe, document } = globalThis as unknown as Inspected;
    // Without `preload`, axe does not load the style sheets again, which only experimental rules need.
    const options = { resultTypes: ['violations'], preload: false, ...(runOnly && { runOnly }) };
    const dialog = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1);
    return (await axe.run(dialog ?? document, options)).violations;
  }, rules);
  const found = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
  );
  expect(found, `axe at ${page.url()}`).toEqual([]);
}

/**
 * Checks the page with axe in both colour schemes, the current one first: in dark only the contrast. Takes screenshots
 * if `PICTURES=1`.
 */
export async function look(page: Page, name: string): Promise<void> {
  // A page that is still loading has no heading.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  await expectStyled(page);
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  for (const scheme of isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const)) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
    await photograph(page, `${name}-${scheme}`);
    await expectAccessible(page, scheme === 'dark' ? ['color-contrast'] : undefined);
  }
}

export async function photograph(page: Page, name: string): Promise<void> {
  if (!wantsPictures) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
}

interface Styled {
  getComputedStyle(element: object): Record<string, string>;
}

export const styleOf = (element: Locator, property: string): Promise<string | undefined> =>
  element.evaluate((node, name) => (globalThis as unknown as Styled).getComputedStyle(node)[name], property);

export async function expectFocusMark(control: Locator): Promise<void> {
  await control.page().keyboard.press('Tab');
  await control.focus();
  expect(await styleOf(control, 'outlineStyle'), `the outline of ${control}`).toBe('solid');
}

export async function expectRaised(dropdown: Locator): Promise<void> {
  expect(await styleOf(dropdown, 'boxShadow')).not.toBe('none');
  const line = await styleOf(dropdown.page().getByRole('banner'), 'borderBottomColor');
  expect(await styleOf(dropdown, 'borderTopColor')).toBe(line);
}

/** Adds a virtual authenticator that stores passkeys and accepts every request. */
export async function addAuthenticator({ context, page }: Visit) {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  };
}
