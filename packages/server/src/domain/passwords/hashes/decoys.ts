import { decoyOf, readHash } from './read-hash.ts';

/** A hash that no password matches, and its cost. */
export interface Decoy {
  readonly stored: string;
  readonly cost: string;
}

/** Returns one decoy per cost for the heads (text before the salt) of stored hashes. Skips unknown formats. */
export function decoysOf(heads: readonly string[]): Decoy[] {
  const decoys = new Map<string, Decoy>();
  for (const head of heads) {
    const stored = decoyOf(head);
    const cost = stored === undefined ? undefined : readHash(stored)?.cost;
    if (stored !== undefined && cost !== undefined && !decoys.has(cost)) decoys.set(cost, { stored, cost });
  }
  return [...decoys.values()];
}

/**
 * The decoys to verify after a wrong password, without the cost already `paid`. An imported hash takes a different time
 * from our own, which would reveal the account: so every wrong password costs one hash of each kind.
 */
export const stillToPay = (decoys: readonly Decoy[], paid: string | undefined): readonly Decoy[] =>
  decoys.filter(({ cost }) => cost !== paid);
