import type { Clock } from '../../platform/clock.ts';
import { after } from '../../platform/clock.ts';
import { request } from '../../platform/outbound.ts';

export type PublicJwk = Readonly<Record<string, unknown>> & { readonly kid?: string };

export interface KeySets {
  /** Returns undefined if the provider has no such key, even after a new download. Rejects if the download fails. */
  find(url: string, kid: string): Promise<PublicJwk | undefined>;
}

/** Seconds. Limits how long a withdrawn key is accepted. */
const MAX_AGE_SECONDS = 600;

interface CachedKeys {
  readonly keys: readonly PublicJwk[];
  readonly until: Date;
}

export function createKeySets(clock: Clock): KeySets {
  const known = new Map<string, CachedKeys>();
  const downloads = new Map<string, Promise<readonly PublicJwk[]>>();

  const load = async (url: string): Promise<readonly PublicJwk[]> => {
    const keys = await download(url);
    known.set(url, { keys, until: after(clock.now(), MAX_AGE_SECONDS) });
    return keys;
  };
  /** Concurrent callers share one request. */
  const loadOnce = (url: string): Promise<readonly PublicJwk[]> => {
    const running = downloads.get(url);
    if (running) return running;
    const loading = load(url).finally(() => downloads.delete(url));
    downloads.set(url, loading);
    return loading;
  };

  return {
    async find(url, kid) {
      const cached = known.get(url);
      const isFresh = cached !== undefined && cached.until > clock.now();
      const found = isFresh ? withId(cached.keys, kid) : undefined;
      return found ?? withId(await loadOnce(url), kid);
    },
  };
}

const withId = (keys: readonly PublicJwk[], kid: string): PublicJwk | undefined => keys.find((key) => key.kid === kid);

async function download(url: string): Promise<readonly PublicJwk[]> {
  const { status, body } = await request(url, { method: 'GET', headers: { accept: 'application/json' } });
  if (status !== 200) throw new Error(`the keys were answered with ${status}`);
  const { keys } = JSON.parse(body.toString('utf8')) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('the keys are not a key set');
  return keys.filter((key): key is PublicJwk => typeof key === 'object' && key !== null);
}
