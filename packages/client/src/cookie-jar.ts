import { type Access, accessFor, isToken, tokenOf } from './credentials/access.ts';
import { createMutex, type RunExclusive } from './credentials/mutex.ts';

/** The cookies that a program needs. It sends a Bearer token, so it needs no CSRF value. */
const NAMES = ['service_at', 'service_rt', 'service_trust'];

/** Stores the session of a program. See {@link createCookieJar}. */
export interface CookieJar {
  /**
   * Returns the content as a string, for `createCookieJar`. Anyone who has it is signed in: protect it like a password.
   */
  save(): string;
  /** @internal */
  get(name: string): string | undefined;
  /** @internal Stores the cookies of `Set-Cookie` headers. */
  take(headers: readonly string[]): void | Promise<void>;
  /** @internal */
  empty(): void | Promise<void>;
  /** @internal Serializes the session changes of all clients that use this jar. */
  readonly runExclusive: RunExclusive;
  /** @internal Binds the jar to one service. Throws if it belongs to another one. */
  claim(base: string): void;
}

/** Options of {@link createCookieJar}. */
export interface CookieJarOptions {
  /** A string returned by `save()`. If it cannot be parsed, the jar is empty and no user is signed in. */
  readonly saved?: string | undefined;
  /**
   * Called with the result of `save()` after every change. Refresh tokens are single-use, so an older copy is useless.
   * The client call that caused the change waits for `onChange` and rejects if it rejects. Do not use the client in
   * `onChange`.
   */
  readonly onChange?: ((saved: string) => void | Promise<void>) | undefined;
}

/**
 * Creates a store for the session of a program that signs in itself. Without one, a client keeps its session in memory
 * until the process ends. Two processes must not share a jar: each refresh token is single-use.
 *
 * @example
 * ```ts
 * import { existsSync, readFileSync, writeFileSync } from 'node:fs';
 * import { createClient, createCookieJar } from '@gatehouse/client';
 *
 * const file = '.session.json';
 * const saved = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
 * const jar = createCookieJar({ saved, onChange: (text) => writeFileSync(file, text, { mode: 0o600 }) });
 * const client = createClient({ base: 'http://localhost:8080/v1', jar });
 * ```
 */
export function createCookieJar({ saved, onChange }: CookieJarOptions = {}): CookieJar {
  const before = read(saved);
  const cookies = new Map(before.cookies);
  let base = before.base;
  const save = () => JSON.stringify({ base, cookies: [...cookies] });
  let last = save();
  let saving: Promise<void> = Promise.resolve();
  /** Saves run one after another, each with the newest state: an older copy would contain a used refresh token. */
  const changed = (): void | Promise<void> => {
    if (!onChange || save() === last) return undefined;
    const nextSave = saving.then(async () => {
      const now = save();
      if (now === last) return;
      await onChange(now);
      last = now;
    });
    saving = nextSave.catch(() => {});
    return nextSave;
  };
  return {
    save,
    get: (name) => tokenOf(cookies.get(name)),
    take(headers) {
      for (const header of headers) {
        const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(header) ?? [];
        const seconds = Number(/;\s*max-age=(\d+)/i.exec(header)?.[1] ?? 0);
        if (!NAMES.includes(name)) continue;
        if (value === '' || seconds === 0) cookies.delete(name);
        else cookies.set(name, accessFor(value, seconds));
      }
      return changed();
    },
    empty() {
      // `service_trust` stays: a trusted browser outlives its sessions.
      cookies.delete('service_at');
      cookies.delete('service_rt');
      return changed();
    },
    runExclusive: createMutex(),
    claim(wanted) {
      if (base !== undefined && base !== wanted) {
        throw new TypeError(`this jar holds a session of ${base}, so it cannot be used for ${wanted}`);
      }
      base = wanted;
      last = save();
    },
  };
}

function read(saved: string | undefined): { base?: string | undefined; cookies: [string, Access][] } {
  try {
    const { base, cookies } = JSON.parse(saved ?? '') as { base?: unknown; cookies: [unknown, Access][] };
    // Without `base`, the cookies would be sent to the first service that claims the jar.
    if (typeof base !== 'string') return { cookies: [] };
    return {
      base,
      cookies: cookies.filter(
        (entry): entry is [string, Access] =>
          NAMES.includes(entry[0] as string) && isToken(entry[1].token) && typeof entry[1].ends === 'number',
      ),
    };
  } catch {
    return { cookies: [] };
  }
}
