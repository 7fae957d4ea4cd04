import { describe, expect, it } from 'vitest';
import { decoysOf, stillToPay } from './decoys.ts';
import { readHash } from './read-hash.ts';

const OURS = '$argon2id$v=19$m=19456,t=2,p=1';
const HEADS = [
  OURS,
  '$2b$10',
  '$pbkdf2-sha256$i=27500,l=64',
  '$argon2id$v=19$m=4096,t=3,p=1',
  '$firebase-scrypt$ln=14,r=8',
];

/** The costs of all hashes that are computed for a wrong password; `stored` is undefined if there is no account. */
const costOf = (stored: string | undefined) => {
  const paid = stored === undefined ? undefined : readHash(stored)?.cost;
  return [...(paid === undefined ? [] : [paid]), ...stillToPay(decoysOf(HEADS), paid).map(({ cost }) => cost)].sort();
};

describe('a wrong password costs one hash of every kind in use', () => {
  it('whichever kind the account has, and also without an account', () => {
    const withoutAccount = costOf(undefined);
    expect(withoutAccount).toHaveLength(HEADS.length);
    for (const { stored } of decoysOf(HEADS)) expect(costOf(stored)).toEqual(withoutAccount);
  });

  it("a wrong password costs one hash if all hashes are of the service's own kind", () => {
    expect(decoysOf([OURS]).map(({ cost }) => cost)).toEqual(['argon2id 19456 2 1']);
  });

  it('a wrong password costs one hash for kinds of the same cost; unreadable and too costly hashes are ignored', () => {
    const decoys = decoysOf(['$2a$10', '$2b$10', '$2y$10', '$2b$11', '?', '$2b$31', '$pbkdf2-sha1$i=4500000,l=32']);
    expect(decoys.map(({ cost }) => cost)).toEqual(['bcrypt 10', 'bcrypt 11']);
  });

  it.each([
    ['$pbkdf2-sha256$i=27500,l=32', 'pbkdf2 sha256 27500'],
    // PBKDF2 repeats all iterations for each block of output.
    ['$pbkdf2-sha256$i=27500,l=64', 'pbkdf2 sha256 55000'],
    ['$argon2i$m=64,t=1,p=2', 'argon2i 64 1 2'],
    ['$firebase-scrypt$ln=14,r=8', 'scrypt 14 8'],
  ])('the cost of a hash that begins with %s is "%s"', (head, cost) => {
    expect(decoysOf([head]).map((decoy) => decoy.cost)).toEqual([cost]);
  });
});
