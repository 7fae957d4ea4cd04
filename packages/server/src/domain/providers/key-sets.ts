import type { Clock } from '../../platform/clock.ts';
import { after } from '../../platform/clock.ts';
import { request } from '../../platform/outbound.ts';

/** A public key as its provider publishes it. */
export type PublicJwk = Readonly<Record<string, unknown>> & { readonly kid?: string };

/** The keys by which third parties sign, kept between sign-ins. */
export interface KeySets {
  /** Undefined: the provider has no such key, not even when asked anew. Rejects when it cannot be asked. */
  find(url: string, kid: string): Promise<PublicJwk | undefined>;
}

/** Seconds. A key that its provider has withdrawn is not believed for longer. */
const MAX_AGE = 600;

interface Known {
  readonly keys: readonly PublicJwk[];
  readonly until: Date;
}

export function createKeySets(clock: Clock): KeySets {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<readonly PublicJwk[]>>();

  const ask = async (url: string): Promise<readonly PublicJwk[]> => {
    const keys = await download(url);
    known.set(url, { keys, until: after(clock.now(), MAX_AGE) });
    return keys;
  };
  /** Many who need it at once share one request. */
  const askOnce = (url: string): Promise<readonly PublicJwk[]> => {
    const underWay = asking.get(url);
    if (underWay) return underWay;
    const asked = ask(url).finally(() => asking.delete(url));
    asking.set(url, asked);
    return asked;
  };

  return {
    async find(url, kid) {
      const held = known.get(url);
      const isFresh = held !== undefined && held.until > clock.now();
      const found = isFresh ? withId(held.keys, kid) : undefined;
      return found ?? withId(await askOnce(url), kid);
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
