import type { BrowserContext, Page } from 'playwright-core';

/** Changes of a context that cannot be undone: a context with one of them is closed, not used again. */
const LASTING = [
  'addInitScript',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  'on',
  'once',
  'route',
] as const;
const STATES = ['setExtraHTTPHeaders', 'setGeolocation', 'setHTTPCredentials', 'setOffline'] as const;

interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
}

/**
 * Keeps the contexts of finished tests for the following tests of the same file. A page loads from the cache of a used
 * context in half the CPU time.
 */
export function reusedContexts() {
  const free = new Map<string, BrowserContext[]>();
  const used = new Map<BrowserContext, string>();
  const changed = new WeakSet<BrowserContext>();

  /** Opens a page in a free context of this kind, or in a new one. */
  async function open(kind: string, create: () => Promise<BrowserContext>): Promise<Opened> {
    const kept = free.get(kind)?.pop();
    const context = kept ?? markChanges(await create());
    used.set(context, kind);
    const page = await context.newPage();
    if (kept) await clearStorage(page);
    return { context, page };
  }

  function markChanges(context: BrowserContext): BrowserContext {
    for (const name of [...LASTING, ...STATES]) {
      const change = context[name].bind(context) as (...args: unknown[]) => unknown;
      Object.assign(context, {
        [name]: (...args: unknown[]) => {
          changed.add(context);
          return change(...args);
        },
      });
    }
    return context;
  }

  /** Ends the use of all contexts: closes their pages and deletes their cookies. */
  async function release(): Promise<void> {
    const ended = [...used];
    used.clear();
    await Promise.all(
      ended.map(async ([context, kind]) => {
        if (changed.has(context)) return context.close();
        await Promise.all(context.pages().map((page) => page.close()));
        await context.clearCookies();
        free.set(kind, [...(free.get(kind) ?? []), context]);
      }),
    );
  }

  async function close(): Promise<void> {
    await release();
    await Promise.all([...free.values()].flat().map((context) => context.close()));
  }
  return { open, release, close };
}

/** Deletes what pages have stored in the context of this page. */
async function clearStorage(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'local_storage,indexeddb' });
  await cdp.detach();
}
