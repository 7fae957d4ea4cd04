const KEY = 'gatehouse-provider';

/** Returns the provider that was last used in this browser. No account is stored. */
export function lastProvider(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function rememberProvider(provider: string): void {
  try {
    localStorage.setItem(KEY, provider);
  } catch {
    // Without storage the order stays that of the service.
  }
}
