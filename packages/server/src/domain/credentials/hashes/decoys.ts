import { decoyOf, readHash } from './read-hash.ts';

/** A hash that nothing matches, and what computing it takes. */
export interface Decoy {
  readonly stored: string;
  readonly cost: string;
}

/** One for each cost, from what stands before the salts of the hashes there are. Those that cannot be read cost nothing. */
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
 * What is computed after a password has turned out wrong. A hash that was brought along takes another time than ours, and
 * would tell that there is an account; so a wrong password costs one hash of every kind that an account may have, whichever of
 * them it was checked against, if any.
 */
export const stillToPay = (decoys: readonly Decoy[], paid: string | undefined): readonly Decoy[] =>
  decoys.filter(({ cost }) => cost !== paid);
