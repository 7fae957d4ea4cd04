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

/**
 * Keeps the contexts of finished tests for the following tests of the same file. A page loads from the cache of a used
 * context in half the CPU time.
 */
export function reusedContexts() {
  const free = new Map<string, BrowserContext[]>();
  const used = new Map<BrowserContext, string>();
  const changed = new WeakSet<BrowserContext>();

  /** Returns a free context of this kind, or opens one. */
  async function take(kind: string, open: () => Promise<BrowserContext>): Promise<BrowserContext> {
    const context = free.get(kind)?.pop() ?? markChanges(await open());
    used.set(context, kind);
    return context;
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
  return { take, release, close };
}

/** Opens a page, after deleting what pages have stored in this context. */
export async function openEmpty(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
  await cdp.detach();
  return page;
}
