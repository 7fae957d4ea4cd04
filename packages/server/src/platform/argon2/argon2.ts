import { hash, verify } from '@node-rs/argon2';
import { createThreads } from './threads.ts';

/** The Argon2 parameters: memory in KiB, passes, lanes. */
export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** KiB × passes. Below this, a hash takes less time than handing it to another thread. */
const LIGHT_COST = 2_048;

const isLight = ({ memoryCost, timeCost }: HashCost): boolean => memoryCost * timeCost < LIGHT_COST;

/** Own threads instead of libuv's pool, which also signs tokens and reads files. They run at a lower priority. */
const threads = createThreads(new URL('./argon2-thread.mjs', import.meta.url));

export const hashArgon2 = (password: string, cost: HashCost): Promise<string> =>
  isLight(cost) ? hash(password, cost) : threads.run<string>({ work: 'hash', password, cost });

/** `cost` must be the cost encoded in `stored`. */
export const verifyArgon2 = (stored: string, password: string, cost: HashCost): Promise<boolean> =>
  isLight(cost) ? verify(stored, password) : threads.run<boolean>({ work: 'verify', stored, password });
