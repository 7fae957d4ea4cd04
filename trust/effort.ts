/** `npm test` does the short form of everything here; `npm run attack`, `faults` and `fuzz` the whole of it. */
export const isFull = process.env.TRUST_EFFORT === 'full';

/** How often something is done: so many times in a test run, so many when it is asked for by name. */
export const rounds = (short: number, full: number): number => (isFull ? full : short);
