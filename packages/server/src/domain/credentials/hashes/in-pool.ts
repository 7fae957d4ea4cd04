import { createBounded } from '../../../platform/bounded.ts';

/** Node's pool has four threads, and signs tokens there: hashes that are computed in it leave one free. */
const line = createBounded({ atOnce: 3, waiting: Number.POSITIVE_INFINITY });

export const inPool = <T>(work: () => Promise<T>): Promise<T> => line.run('', work);
