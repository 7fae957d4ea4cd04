import { loadavg } from 'node:os';
import { type Browser, chromium } from 'playwright-core';
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
/** "Slow 4G" of Chrome's developer tools, which delays every request as if it needed a new connection with TLS. */
const DEVELOPER_TOOLS = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };

interface Figures {
  /** Largest contentful paint, in milliseconds. */
  readonly lcp: number;
  /** Cumulative layout shift. */
  readonly cls: number;
  /** Total blocking time: what tasks of the main thread take beyond 50 ms each, in milliseconds. */
  readonly tbt: number;
  readonly requests: number;
  /** Gzipped scripts, in bytes. */
  readonly scripts: number;
}

interface Measured extends Figures {
  readonly path: string;
  /** Largest contentful paint with the network of the developer tools, in milliseconds. */
  readonly slowest: number;
}

type Timings = Pick<Figures, 'lcp' | 'cls' | 'tbt'>;

const OBSERVE = `globalThis.timings = { lcp: 0, cls: 0, tbt: 0 };
const observe = (type, add) =>
  new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
observe('largest-contentful-paint', ({ startTime }) => { timings.lcp = startTime; });
observe('layout-shift', ({ value }) => { timings.cls += value; });
observe('longtask', ({ duration }) => { timings.tbt += duration - 50; });`;

/** Loads a page in a browser without a cache. */
async function load(browser: Browser, url: string, cookies: Cookies, network: typeof SLOW_4G): Promise<Figures> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    extraHTTPHeaders: { 'accept-encoding': 'gzip' },
  });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  const types = new Map<string, string>();
  let scripts = 0;
  cdp.on('Network.requestWillBeSent', ({ requestId, type = '' }) => types.set(requestId, type));
  cdp.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (types.get(requestId) === 'Script') scripts += encodedDataLength;
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  const timings = await page.evaluate<Timings>('timings');
  await context.close();
  return { ...timings, requests: types.size, scripts };
}

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>;

/** Registers the platform owner and returns the cookies of the session. */
async function register(browser: Browser, url: string): Promise<Cookies> {
  const context = await browser.newContext();
  const data = { email: OWNER, password: PASSWORD, organization_name: 'Platform' };
  const answer = await context.request.post(`${url}/v1/auth/register`, { data });
  if (!answer.ok()) throw new Error(`the registration was answered ${answer.status()}`);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function measure(browser: Browser, url: string, path: string, cookies: Cookies): Promise<Measured> {
  const loads: Figures[] = [];
  const slower: Figures[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    loads.push(await load(browser, url + path, cookies, SLOW_4G));
    slower.push(await load(browser, url + path, cookies, DEVELOPER_TOOLS));
  }
  const of = (name: keyof Figures) => median(loads.map((figures) => figures[name]));
  return {
    path,
    lcp: of('lcp'),
    slowest: median(slower.map(({ lcp }) => lcp)),
    cls: of('cls'),
    tbt: of('tbt'),
    requests: of('requests'),
    scripts: of('scripts'),
  };
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

const COLUMNS: Columns<Measured> = [
  ['page', ({ path }) => path],
  ['LCP', ({ lcp }) => milliseconds(lcp)],
  ['developer tools', ({ slowest }) => milliseconds(slowest)],
  ['CLS', ({ cls }) => cls.toFixed(3)],
  ['blocking time', ({ tbt }) => milliseconds(tbt)],
  ['requests', ({ requests }) => String(requests)],
  ['scripts, gzipped', ({ scripts }) => kilobytes(scripts)],
];

const SIGNED_IN = ['/account', '/organization/members', '/console', '/console/users', '/console/audit'];

export const pages: Bench = {
  name: 'pages',
  about: 'loading pages on a phone: CPU 4 × slower, slow 4G, empty cache, median of 3',
  async run() {
    const executablePath = await findChromium();
    if (!executablePath) throw new Error('no Chromium found: install one, or name it by CHROME_PATH');
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
        atMost('/sign-in, LCP', signIn.lcp, 2000, milliseconds),
        atMost('/sign-in, scripts gzipped', signIn.scripts, 90_000, kilobytes),
        atMost('/sign-in, requests', signIn.requests, 12, String),
        ...others.map(({ path, lcp }) => atMost(`${path}, LCP`, lcp, 3000, milliseconds)),
      ],
      data: all,
    };
  },
};
