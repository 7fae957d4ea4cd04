/** `npm test` runs everything here in short form; `npm run attack`, `faults` and `fuzz` run the full form. */
export const isFull = process.env.TRUST_EFFORT === 'full';

export const rounds = (short: number, full: number): number => (isFull ? full : short);

/** The seed of random input: constant in a test run, new in the full form unless it is given. */
export const SEED = Number(process.env.TRUST_SEED ?? (isFull ? Date.now() % 2 ** 31 : 7));
