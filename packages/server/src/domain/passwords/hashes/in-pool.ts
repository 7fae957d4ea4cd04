import { createBounded } from '../../../platform/bounded.ts';

/** Node's thread pool has four threads and also signs tokens: hashes use at most three of them. */
const queue = createBounded({ atOnce: 3, waiting: Number.POSITIVE_INFINITY });

export const inPool = <T>(work: () => Promise<T>): Promise<T> => queue.run('', work);
