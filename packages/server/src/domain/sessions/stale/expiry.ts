import { after } from '../../../platform/clock.ts';

/**
 * Seconds. A token is issued a moment after its roles were read, perhaps by a replica whose clock is ahead, so it may
 * expire later than a token that is issued now.
 */
const MARGIN = 300;

/** When the last access token with roles that were read before now has expired. */
export const lastExpiry = (now: Date, ttl: number): Date => after(now, ttl + MARGIN);
