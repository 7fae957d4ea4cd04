import { createThreads } from '../argon2/threads.ts';

export interface Strength {
  /** From 0 (guessed at once) to 4 (strong). */
  readonly score: number;
  /** The library's name for the main weakness, if it knows one. */
  readonly warning: string | null;
}

/** Only this many characters are estimated, because the time grows faster than the length. */
const MAX_CHARS = 100;

/** One thread, started by the first estimate. */
const threads = createThreads(new URL('./strength-thread.mjs', import.meta.url), 1);

export const estimateStrength = (password: string): Promise<Strength> =>
  threads.run<Strength>({ password: [...password].slice(0, MAX_CHARS).join('') });
