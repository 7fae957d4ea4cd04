import { after } from '../../../platform/clock.ts';

/** In seconds: a token is issued a moment after its roles were read, perhaps by a replica whose clock is ahead. */
const MARGIN = 300;

/** When the last access token with roles that were read before now has expired. */
export const lastExpiry = (now: Date, ttl: number): Date => after(now, ttl + MARGIN);
