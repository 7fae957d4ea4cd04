import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createBounded, NoRoom } from '../../platform/bounded.ts';
import { tooMany } from '../service-error.ts';

/** The contract, section 1. argon2id is what the library makes when nothing else is asked. */
const SETTINGS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const base64 = (length: number): string => randomBytes(length).toString('base64').replace(/=+$/, '');

/** The hash of a password nobody has, since it is random bytes: an unknown account costs what a known one does. */
const NOBODYS = `$argon2id$v=19$m=${SETTINGS.memoryCost},t=${SETTINGS.timeCost},p=1$${base64(16)}$${base64(32)}`;

/** Threads for work beside the event loop; `UV_THREADPOOL_SIZE` is fixed before we could change it. */
const POOL_THREADS = 4;
/** For each hash under way: at some 12 ms each, the last in line waits about a second and a half. */
const WAITING = 128;

export interface Passwords {
  /** `who` asks: those who wait take turns. */
  hash(password: string, who: string): Promise<string>;
  /** Without a stored hash it takes the same time and is false. */
  verify(stored: string | null, password: string, who: string): Promise<boolean>;
  /** Made with weaker settings than ours. */
  isWeak(stored: string): boolean;
}

const ROOM = Math.min(availableParallelism(), POOL_THREADS - 1);

interface Options {
  readonly atOnce?: number;
  /** Even the line was full. */
  readonly onRefusal?: () => void;
}

/**
 * argon2id, never more at once than there are cores, and one thread of the pool left free: beyond that each hash only takes
 * the others' time, and signing tokens would wait behind it. Who finds even the line full is refused with 429.
 */
export function createPasswords({ atOnce = ROOM, onRefusal = () => {} }: Options = {}): Passwords {
  const bounded = createBounded({ atOnce, waiting: atOnce * WAITING });
  const run = <T>(who: string, work: () => Promise<T>): Promise<T> =>
    bounded.run(who, work).catch((error) => {
      if (!(error instanceof NoRoom)) throw error;
      onRefusal();
      throw tooMany(1);
    });
  return {
    hash: async (password, who) => run(who, () => hash(password, SETTINGS)),
    async verify(stored, password, who) {
      // What is stored and cannot be read matches nothing, and takes no less time.
      const unreadable = () => verify(NOBODYS, password).then(() => false);
      const matches = await run(who, () => verify(stored ?? NOBODYS, password).catch(unreadable));
      return matches && stored !== null;
    },
    isWeak: (stored) => {
      const { m, t } = /^\$argon2id\$v=19\$m=(?<m>\d+),t=(?<t>\d+),p=\d+\$/.exec(stored)?.groups ?? {};
      return !(Number(m) >= SETTINGS.memoryCost && Number(t) >= SETTINGS.timeCost);
    },
  };
}
