import { membersOf } from './document.ts';
import type { Claims } from './session.ts';
import { sha256 } from './sha256.ts';

/** An entry of `refreshes`: tokens under its key whose roles were read before `before` are stale. */
interface Refresh {
  readonly before: number;
  /** When the last of these tokens expires. */
  readonly expires: number;
}

/** docs/reference/sessions.md#verifiers: entries by key, a base64url SHA-256; `roleHolderOf` has the texts. */
type Refreshes = ReadonlyMap<string, Refresh>;

/** A verified token as the feed refers to it. Created once per cached token, because hashing is asynchronous. */
export interface RoleHolder {
  readonly keys: readonly string[];
  /**
   * `perms_at`, in milliseconds by the database's clock. 0 for a token without it, from a service that had no product
   * roles yet: every entry that names its user makes it stale.
   */
  readonly rolesReadAt: number;
  /** The largest `before` of its keys, and the version of the entries for which that was determined. */
  before: number;
  version: number;
}

/** The hash of `*`. */
export const EVERYONE = 'aEiIwOuxfzdCmLZe4oB1JsBmCUxwG8x-u-HBCV9JT8E';

export async function roleHolderOf({ org, sub, perms_at }: Claims): Promise<RoleHolder> {
  const keys = await Promise.all([`${org}/${sub}`, `*/${sub}`, org].map(sha256));
  return { keys: [...keys, EVERYONE], rolesReadAt: perms_at ?? 0, before: 0, version: 0 };
}

const KEY = /^[\w-]{43}$/;

/** Returns undefined for the feed of an older service, which has no `refreshes`. Throws if any of it is invalid. */
export function readRefreshes(feed: unknown): Refreshes | undefined {
  const { refreshes } = membersOf(feed);
  if (refreshes === undefined) return undefined;
  if (!Array.isArray(refreshes)) throw new Error('the refreshes of the feed are not a list');
  const listed = new Map<string, Refresh>();
  for (const entry of refreshes) {
    const { key, before, expires_at } = membersOf(entry);
    const expires = typeof expires_at === 'string' ? Date.parse(expires_at) : Number.NaN;
    if (typeof key !== 'string' || !KEY.test(key) || !Number.isSafeInteger(before) || Number.isNaN(expires)) {
      throw new Error('an entry in the refreshes of the feed is invalid');
    }
    listed.set(key, latest({ before: before as number, expires }, listed.get(key)));
  }
  return listed;
}

const latest = (one: Refresh, other: Refresh | undefined): Refresh => ({
  before: Math.max(one.before, other?.before ?? 0),
  expires: Math.max(one.expires, other?.expires ?? 0),
});

interface StaleTokens {
  /** Adds entries, and removes those that expired before `past`. */
  merge(listed: Refreshes, past: number): void;
  isStale(holder: RoleHolder): boolean;
}

/**
 * Which tokens are stale because roles have changed. With more than `max` entries, those with the smallest `before` are
 * replaced by an entry for everyone: more tokens are stale than necessary, and their clients refresh once.
 */
export function createStaleTokens(max: number): StaleTokens {
  const known = new Map<string, Refresh>();
  /** Incremented with every change, so that a cached token looks up its keys once per change and not per request. */
  let version = 1;

  const limit = (): void => {
    if (known.size <= max) return;
    const byTime = [...known].sort(([, left], [, right]) => left.before - right.before);
    for (const [key, refresh] of byTime.slice(0, known.size - max + 1)) {
      if (key !== EVERYONE) known.delete(key);
      known.set(EVERYONE, latest(refresh, known.get(EVERYONE)));
    }
  };

  return {
    merge(listed, past) {
      const sizeBefore = known.size;
      for (const [key, { expires }] of known) if (expires < past) known.delete(key);
      if (known.size === sizeBefore && listed.size === 0) return;
      for (const [key, refresh] of listed) known.set(key, latest(refresh, known.get(key)));
      limit();
      version++;
    },

    isStale(holder) {
      if (holder.version !== version) {
        holder.before = Math.max(...holder.keys.map((key) => known.get(key)?.before ?? 0));
        holder.version = version;
      }
      return holder.rolesReadAt < holder.before;
    },
  };
}
