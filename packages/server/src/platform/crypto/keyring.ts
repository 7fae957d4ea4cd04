import { createHash, hkdfSync } from 'node:crypto';

/** A secret and the keys derived from it. `id` identifies it in sealed values and reveals nothing about it. */
export interface MasterKey {
  readonly id: string;
  /** Returns the same 32 bytes for the same purpose, and independent ones for different purposes. */
  derive(purpose: string): Buffer;
}

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
