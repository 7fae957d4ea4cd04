import { describe, expect, it } from 'vitest';
import { SECRET } from '../../../test/postgres.ts';
import { createKeyring, type Keyring } from '../../platform/crypto/keyring.ts';
import { decoysFor } from './decoys.ts';

const keyring = createKeyring(SECRET);

describe('decoy passkeys', () => {
  it('an email has one to five decoys, and computing them takes the same work for every email', () => {
    let derived = 0;
    const { current } = keyring;
    const watched: Keyring = {
      ...keyring,
      current: {
        ...current,
        derive(purpose) {
          derived++;
          return current.derive(purpose);
        },
      },
    };
    const work = new Set<number>();
    const shown = new Set<number>();
    for (let index = 0; index < 200; index++) {
      derived = 0;
      shown.add(decoysFor(watched, `person-${index}@example.com`).length);
      work.add(derived);
    }
    expect([...shown].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(work.size).toBe(1);
  });
});
