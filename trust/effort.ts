/** `npm test` does the short form of everything here; `npm run attack`, `faults` and `fuzz` the whole of it. */
export const isFull = process.env.TRUST_EFFORT === 'full';

/** How often something is done: so many times in a test run, so many when it is asked for by name. */
export const rounds = (short: number, full: number): number => (isFull ? full : short);

/** What draws at random draws the same for the same seed: always the same in a test run, a new one in the full form unless it is given. */
export const SEED = Number(process.env.TRUST_SEED ?? (isFull ? Date.now() % 2 ** 31 : 7));
