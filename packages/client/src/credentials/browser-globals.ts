/** What a browser has and a server has not. */
interface BrowserGlobals {
  readonly document?: { readonly cookie: string };
  readonly location?: { readonly origin: string; readonly href: string };
  readonly navigator?: {
    /** Only where a page came over https, or from the machine itself. */
    readonly locks?: { request<T>(name: string, options: { signal: AbortSignal }, work: () => Promise<T>): Promise<T> };
  };
}

export const browserGlobals = globalThis as BrowserGlobals;
