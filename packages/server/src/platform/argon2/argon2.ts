import { hash, verify } from '@node-rs/argon2';
import { createThreads } from './threads.ts';

/** What making one hash takes: KiB, passes, lanes. */
export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** KiB written: below it a hash is done before another thread has heard of it. */
const LIGHT = 2_048;

const isLight = ({ memoryCost, timeCost }: HashCost): boolean => memoryCost * timeCost < LIGHT;

/**
 * Threads of their own, and not libuv's: those sign tokens and read files for everybody, and a hash would hold them up. Theirs
 * can be made less urgent than all other work.
 */
const threads = createThreads(new URL('./argon2-thread.mjs', import.meta.url));

export const hashArgon2 = (password: string, cost: HashCost): Promise<string> =>
  isLight(cost) ? hash(password, cost) : threads.run<string>({ work: 'hash', password, cost });

/** `cost` is what `stored` says of itself. */
export const verifyArgon2 = (stored: string, password: string, cost: HashCost): Promise<boolean> =>
  isLight(cost) ? verify(stored, password) : threads.run<boolean>({ work: 'verify', stored, password });
