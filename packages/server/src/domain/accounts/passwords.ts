import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createBounded, NoRoom } from '../../platform/bounded.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import { tooMany } from '../service-error.ts';
import { decoyFor, type HashMix, mixOf } from './hashes/decoys.ts';
import { type FindHashKey, toBase64 } from './hashes/hash-kind.ts';
import { createHashKeys } from './hashes/keys.ts';
import { countPasswords } from './hashes/queries.ts';
import { readHash } from './hashes/read-hash.ts';

/** The contract, section 1. argon2id is what the library makes when nothing else is asked. The database counts hashes by them. */
const SETTINGS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of a password nobody has, since it is random bytes: an unknown account costs what a known one does. */
const NOBODYS = `$argon2id$v=19$m=${SETTINGS.memoryCost},t=${SETTINGS.timeCost},p=1$${toBase64(randomBytes(16))}$${toBase64(randomBytes(32))}`;

/** Threads for work beside the event loop; `UV_THREADPOOL_SIZE` is fixed before we could change it. */
const POOL_THREADS = 4;
/** For each hash under way: at some 12 ms each, the last in line waits about a second and a half. */
const WAITING = 128;

interface Guess {
  /** Null: there is none to match, and it takes no less time. */
  readonly stored: string | null;
  readonly password: string;
  /** Who asks: those who wait take turns. */
  readonly who: string;
  /** The address that was typed, when the answer must not tell whether it has an account. */
  readonly decoy_for?: string;
}

export interface Passwords {
  /** `who` asks: those who wait take turns. */
  hash(password: string, who: string): Promise<string>;
  verify(guess: Guess): Promise<boolean>;
  /** What a password is checked against that was typed for an address without one. */
  decoyFor(email: string): string;
  /** Made with weaker settings than ours, or in another way. */
  isWeak(stored: string): boolean;
  /** Reads what decoys and hashes of another service need to know. */
  reload(): Promise<void>;
}

const ROOM = Math.min(availableParallelism(), POOL_THREADS - 1);
/** Of hashes; the rest of them, if there are more, cost what they cost. */
const KINDS = 20;

interface Options {
  readonly atOnce?: number;
  /** Even the line was full. */
  readonly onRefusal?: () => void;
  /** Where hashes that were brought along are kept. Left out: there are none. */
  readonly place?: { readonly db: Db; readonly keyring: Keyring };
}

/**
 * argon2id, never more at once than there are cores, and one thread of the pool left free: beyond that each hash only takes
 * the others' time, and signing tokens would wait behind it. Who finds even the line full is refused with 429. What was brought
 * along from another service is checked in its own way, in the same line.
 */
export function createPasswords({ atOnce = ROOM, onRefusal = () => {}, place }: Options = {}): Passwords {
  const bounded = createBounded({ atOnce, waiting: atOnce * WAITING });
  const run = <T>(who: string, work: () => Promise<T>): Promise<T> =>
    bounded.run(who, work).catch((error) => {
      if (!(error instanceof NoRoom)) throw error;
      onRefusal();
      throw tooMany(1);
    });
  const foreign = place && createForeign(place);
  const decoyFor = (email: string): string => foreign?.decoyFor(email) ?? NOBODYS;
  return {
    decoyFor,
    hash: async (password, who) => run(who, () => hash(password, SETTINGS)),
    async verify({ stored, password, who, decoy_for }) {
      const decoy = decoy_for === undefined ? NOBODYS : decoyFor(decoy_for);
      const matches = await run(who, () => judge(stored ?? decoy, password, foreign?.findKey ?? noKeys));
      return matches && stored !== null;
    },
    isWeak: (stored) => {
      const { m, t } = /^\$argon2id\$v=19\$m=(?<m>\d+),t=(?<t>\d+),p=\d+\$/.exec(stored)?.groups ?? {};
      return !(Number(m) >= SETTINGS.memoryCost && Number(t) >= SETTINGS.timeCost);
    },
    reload: async () => foreign?.reload(),
  };
}

/** What is stored and cannot be read matches nothing, and takes no less time. */
async function judge(stored: string, password: string, findKey: FindHashKey): Promise<boolean> {
  const unreadable = () => verify(NOBODYS, password).then(() => false);
  const read = readHash(stored);
  if (!read || read.too_costly) return unreadable();
  return read.matches(password, findKey).catch(unreadable);
}

const noKeys: FindHashKey = async () => undefined;

/** What is known of hashes that are not ours. */
function createForeign({ db, keyring }: NonNullable<Options['place']>) {
  const keys = createHashKeys({ db, keyring });
  let mix: HashMix = [];
  return {
    findKey: keys.find,
    decoyFor: (email: string) => decoyFor(mix, keyring.current.derive('password-decoy'), email),
    async reload(): Promise<void> {
      await keys.reload();
      const { kinds, total } = await countPasswords(db, KINDS);
      mix = mixOf(kinds, total);
    },
  };
}
