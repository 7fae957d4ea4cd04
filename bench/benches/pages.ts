import { loadavg } from 'node:os';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../packages/web/test/chromium.ts';
import type { Bench } from '../bench.ts';
import { atMost, milliseconds } from '../goals.ts';
import { PASSWORD } from '../limits.ts';
import { median } from '../race.ts';
import { type Columns, tableOf } from '../report.ts';
import { startService } from '../service.ts';
import { atEnd } from '../tidy.ts';

const OWNER = 'owner@example.com';
const ROUNDS = 3;
const CPU_SLOWDOWN = 4;
/** Slow 4G in bytes a second: the network of Lighthouse, with a round trip of 150 ms. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 93_750 };
/** "Slow 4G" of Chrome DevTools, which delays every request as if it needed a new connection with TLS. */
const DEV_TOOLS_SLOW_4G = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };

interface Metrics {
  /** Largest contentful paint. */
  readonly lcpMs: number;
  /** Sum of all layout shifts. */
  readonly cls: number;
  /** Total blocking time: what tasks of the main thread take beyond 50 ms each. */
  readonly tbtMs: number;
  readonly requests: number;
  /** Gzipped. */
  readonly scriptBytes: number;
}

interface Measured extends Metrics {
  readonly path: string;
  /** Largest contentful paint with the network of Chrome DevTools. */
  readonly devToolsLcpMs: number;
}

type Timings = Pick<Metrics, 'lcpMs' | 'cls' | 'tbtMs'>;

const OBSERVE = `globalThis.timings = { lcpMs: 0, cls: 0, tbtMs: 0 };
const observe = (type, add) =>
  new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
observe('largest-contentful-paint', ({ startTime }) => { timings.lcpMs = startTime; });
observe('layout-shift', ({ value }) => { timings.cls += value; });
observe('longtask', ({ duration }) => { timings.tbtMs += duration - 50; });`;

/** Returns the size of a file with gzip. The page itself is loaded with Brotli, which the service prefers. */
async function gzippedSize(url: string): Promise<number> {
  const response = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
  if (response.headers.get('content-encoding') !== 'gzip') throw new Error(`${url} is not sent with gzip`);
  return Number(response.headers.get('content-length'));
}

/** Longer than a slow page takes to request data and to show it. */
const SETTLE_MS = 2000;

/** Returns the timings once none has changed for a while: data loaded after the heading may be the largest paint. */
async function settledTimings(page: Page): Promise<Timings> {
  const before = await page.evaluate<Timings>('timings');
  await page.waitForTimeout(SETTLE_MS);
  const after = await page.evaluate<Timings>('timings');
  const isSettled = after.lcpMs === before.lcpMs && after.cls === before.cls && after.tbtMs === before.tbtMs;
  return isSettled ? after : settledTimings(page);
}

/** Loads a page in a browser without a cache. */
async function load(browser: Browser, url: string, cookies: Cookies, network: typeof SLOW_4G): Promise<Metrics> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  const requests = new Map<string, { type: string | undefined; url: string }>();
  cdp.on('Network.requestWillBeSent', ({ requestId, request, type }) =>
    requests.set(requestId, { type, url: request.url }),
  );
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const timings = await settledTimings(page);
  await context.close();
  const scripts = [...requests.values()].filter(({ type }) => type === 'Script');
  const sizes = await Promise.all(scripts.map((script) => gzippedSize(script.url)));
  return { ...timings, requests: requests.size, scriptBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>;

/** Registers the platform owner and returns the cookies of the session. */
async function register(browser: Browser, url: string): Promise<Cookies> {
  const context = await browser.newContext();
  const data = { email: OWNER, password: PASSWORD, organization_name: 'Platform' };
  const answer = await context.request.post(`${url}/v1/auth/register`, { data });
  if (!answer.ok()) throw new Error(`POST /v1/auth/register returned ${answer.status()}`);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function measure(browser: Browser, url: string, path: string, cookies: Cookies): Promise<Measured> {
  const loads: Metrics[] = [];
  const devToolsLoads: Metrics[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    loads.push(await load(browser, url + path, cookies, SLOW_4G));
    devToolsLoads.push(await load(browser, url + path, cookies, DEV_TOOLS_SLOW_4G));
  }
  const of = (name: keyof Metrics) => median(loads.map((metrics) => metrics[name]));
  return {
    path,
    lcpMs: of('lcpMs'),
    devToolsLcpMs: median(devToolsLoads.map(({ lcpMs }) => lcpMs)),
    cls: of('cls'),
    tbtMs: of('tbtMs'),
    requests: of('requests'),
    scriptBytes: of('scriptBytes'),
  };
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

const COLUMNS: Columns<Measured> = [
  ['page', ({ path }) => path],
  ['LCP', ({ lcpMs }) => milliseconds(lcpMs)],
  ['LCP, DevTools network', ({ devToolsLcpMs }) => milliseconds(devToolsLcpMs)],
  ['layout shifts', ({ cls }) => cls.toFixed(3)],
  ['blocking time', ({ tbtMs }) => milliseconds(tbtMs)],
  ['requests', ({ requests }) => String(requests)],
  ['scripts, gzipped', ({ scriptBytes }) => kilobytes(scriptBytes)],
];

const SIGNED_IN = ['/account', '/organization/members', '/console', '/console/users', '/console/audit'];

export const pages: Bench = {
  name: 'pages',
  isLong: true,
  about: 'loading pages on a phone: CPU 4 × slower, slow 4G, empty cache, median of 3',
  async run() {
    const executablePath = await findChromium();
    if (!executablePath) throw new Error('no Chromium found: install it, or set CHROME_PATH to its path');
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    atEnd(() => browser.close());
    const { url } = await startService({ settings: { INITIAL_OWNER_EMAIL: OWNER } });
    const cookies = await register(browser, url);
    const signIn = await measure(browser, url, '/sign-in', []);
    const others: Measured[] = [];
    for (const path of SIGNED_IN) others.push(await measure(browser, url, path, cookies));
    const all = [signIn, ...others];
    const [load] = loadavg();
    return {
      tables: [tableOf(COLUMNS, all)],
      notes: [`load average at the end: ${load!.toFixed(1)}`],
      verdicts: [
        atMost('/sign-in, LCP', signIn.lcpMs, 2000, milliseconds),
        atMost('/sign-in, scripts gzipped', signIn.scriptBytes, 90_000, kilobytes),
        atMost('/sign-in, requests', signIn.requests, 12, String),
        ...others.map(({ path, lcpMs }) => atMost(`${path}, LCP`, lcpMs, 3000, milliseconds)),
      ],
      data: all,
    };
  },
};
