/** Globals that only browsers have. */
interface BrowserGlobals {
  readonly document?: { readonly cookie: string };
  readonly location?: { readonly origin: string; readonly href: string };
  readonly navigator?: {
    /** Only in secure contexts: https or localhost. */
    readonly locks?: { request<T>(name: string, options: { signal: AbortSignal }, work: () => Promise<T>): Promise<T> };
  };
}

export const browserGlobals = globalThis as BrowserGlobals;
