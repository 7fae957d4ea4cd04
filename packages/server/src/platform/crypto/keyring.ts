import { createHash, hkdfSync } from 'node:crypto';

/** One secret and the keys derived from it. `id` names it in what it sealed, and tells nothing about it. */
export interface MasterKey {
  readonly id: string;
  /** The same purpose yields the same 32 bytes; two purposes share nothing. */
  derive(purpose: string): Buffer;
}

/** The key in force and, while a change is under way, the one before it. */
export interface Keyring {
  readonly current: MasterKey;
  readonly previous: MasterKey | undefined;
}

export function createMasterKey(secret: string | Buffer): MasterKey {
  const derived = new Map<string, Buffer>();
  const derive = (purpose: string): Buffer => {
    let key = derived.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', purpose, 32));
      derived.set(purpose, key);
    }
    return key;
  };
  const id = createHash('sha256').update(derive('key-id')).digest('hex').slice(0, 16);
  return { id, derive };
}

export const createKeyring = (current: string | Buffer, previous?: string | Buffer): Keyring => ({
  current: createMasterKey(current),
  previous: previous === undefined ? undefined : createMasterKey(previous),
});

export const findKey = (keyring: Keyring, id: string): MasterKey | undefined =>
  [keyring.current, keyring.previous].find((key) => key?.id === id);
