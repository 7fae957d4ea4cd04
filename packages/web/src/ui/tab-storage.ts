interface Stored {
  readonly at: number;
  readonly value: unknown;
}

/** A value that survives a reload of this tab. Never for a password, a code or a session. */
export function tabStorage<T>(key: string, maxAgeMs: number) {
  // Without storage, the value lasts as long as the page.
  let memory: string | null = null;
  const remove = (): void => {
    memory = null;
    try {
      sessionStorage.removeItem(key);
    } catch {}
  };
  const find = (): string | null => {
    try {
      return sessionStorage.getItem(key) ?? memory;
    } catch {
      return memory;
    }
  };
  return {
    read: (): T | undefined => {
      const stored = JSON.parse(find() ?? 'null') as Stored | null;
      if (stored === null) return undefined;
      if (Date.now() - stored.at < maxAgeMs) return stored.value as T;
      remove();
      return undefined;
    },
    write: (value: T): void => {
      const text = JSON.stringify({ at: Date.now(), value } satisfies Stored);
      try {
        sessionStorage.setItem(key, text);
      } catch {
        memory = text;
      }
    },
    remove,
  };
}
