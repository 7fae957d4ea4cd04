import { after } from '../../../platform/clock.ts';

/** Seconds. A token is issued after its roles were read, perhaps by a clock that is ahead: it may expire later. */
const MARGIN = 300;

export const lastExpiry = (now: Date, ttl: number): Date => after(now, ttl + MARGIN);
