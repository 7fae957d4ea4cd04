import { LIMITS } from '@gatehouse/contract';
import { type HashCost, hashArgon2 } from '../../platform/argon2/argon2.ts';
import { createBounded, NoRoom } from '../../platform/bounded.ts';
import { cores } from '../../platform/cores.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Logger } from '../../platform/log.ts';
import { tooMany } from '../kernel/service-error.ts';
import { type Decoy, decoysOf, stillToPay } from './hashes/decoys.ts';
import type { FindHashKey } from './hashes/hash-kind.ts';
import { createHashKeys } from './hashes/keys.ts';
import { listPasswordKinds } from './hashes/queries.ts';
import { readHash } from './hashes/read-hash.ts';

/**
 * docs/reference/accounts.md#passwords; the algorithm is the library's default, argon2id. Migration 5 repeats these
 * parameters.
 */
const CONTRACT_COST: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const FIXED_TEXT = 'not a password';

/** The text before the salt of every hash that we create. */
const headOf = ({ memoryCost, timeCost, parallelism }: HashCost): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}`;

/** Queue length per running hash: at 12 ms each, the last one waits about 1.5 seconds; longer with imported hashes. */
const QUEUED_PER_SLOT = 128;

interface Guess {
  /** Null without an account or a password; the check then takes the same time. */
  readonly stored: string | null;
  readonly password: string;
  /** The client for which the hash is queued. Clients take turns, so that none can block the others. */
  readonly who: string;
  /** The account is not active: even the right password fails, in the same time as a wrong one. */
  readonly in_vain?: boolean;
}

export interface Passwords {
  hash(password: string, who: string): Promise<string>;
  verify(guess: Guess): Promise<boolean>;
  /** Throws if the queue is full. Called before the request does other work. */
  requireRoom(who: string): void;
  /** The costs of all hashes that are computed for a wrong password, the same for every account. */
  costs(): readonly string[];
  /** True if the hash is weaker than ours or of another kind, so that a hash of `password` should replace it. */
  isWeak(stored: string, password: string): boolean;
  /** Reads the kinds of imported hashes, for decoys, and the keys of imported hashes. */
  reload(): Promise<void>;
}

/** The number of hashes that each process may compute at once, if `processes` share the cores. */
const slotsFor = (processes: number): number => Math.max(1, Math.floor(cores() / processes));

/** How many imported kinds have decoys, the most frequent first: each makes every wrong password more expensive. */
const MAX_FOREIGN_KINDS = 6;

interface Options {
  readonly atOnce?: number;
  readonly processes?: number;
  /** Replaces the cost in tests, which create thousands of hashes. No setting can change it. */
  readonly cost?: HashCost | undefined;
  /** Called for every hash, decoys included. */
  readonly onHash?: () => void;
  /** Called when the queue is full. */
  readonly onRefusal?: () => void;
  /** Needed to verify imported hashes. Left out: there are none. */
  readonly place?: { readonly db: Db; readonly keyring: Keyring; readonly log: Logger };
}

/**
 * Runs at most one argon2id per core: more would only slow each other down. If the queue is full, requests fail with
 * 429. Imported hashes are verified with their own algorithm, in the same queue.
 */
export function createPasswords(options: Options = {}): Passwords {
  const { processes = 1, atOnce = slotsFor(processes), cost = CONTRACT_COST, place } = options;
  const { onHash = () => {}, onRefusal = () => {} } = options;
  const bounded = createBounded({ atOnce, waiting: atOnce * QUEUED_PER_SLOT });
  const run = <T>(who: string, work: () => Promise<T>): Promise<T> =>
    bounded.run(who, work).catch((error) => {
      if (!(error instanceof NoRoom)) throw error;
      return failQueueFull();
    });
  const failQueueFull = (): never => {
    onRefusal();
    throw tooMany(1);
  };
  const ownHead = headOf(cost);
  const foreign = place && createForeign(place, ownHead);
  const ownDecoys = decoysOf([ownHead]);
  const decoys = (): readonly Decoy[] => foreign?.decoys() ?? ownDecoys;
  const matches = (stored: string, password: string): Promise<boolean> => {
    onHash();
    return readHash(stored)!
      .matches(password, foreign?.findKey ?? noKeys)
      .catch((err) => {
        place?.log.error({ err }, 'a password hash could not be computed');
        return false;
      });
  };
  return {
    requireRoom: (who) => void (bounded.hasRoom(who) || failQueueFull()),
    costs: () => decoys().map(({ cost }) => cost),
    hash: async (password, who) =>
      run(who, () => {
        onHash();
        return hashArgon2(password, cost);
      }),
    verify: ({ stored, password: given, who, in_vain = false }) =>
      run(who, async () => {
        // No password is that long. The fixed text makes the check cost as much as that of any other wrong one.
        const isTooLong = given.length > LIMITS.password.max && [...given].length > LIMITS.password.max;
        const password = isTooLong ? FIXED_TEXT : given;
        // A hash that cannot be read, or is too costly, is treated like a missing one.
        const read = stored === null ? undefined : readHash(stored);
        const paid = read?.too_costly === false ? read.cost : undefined;
        if (paid !== undefined && (await matches(stored!, password)) && !in_vain && !isTooLong) return true;
        for (const decoy of stillToPay(decoys(), paid)) await matches(decoy.stored, password);
        return false;
      }),
    isWeak: (stored, password) => {
      // bcrypt uses 72 bytes. The rest was not verified and must not become part of the new hash.
      if (stored.startsWith('$2') && Buffer.byteLength(password) > 72) return false;
      const { m, t } = /^\$argon2id\$v=19\$m=(?<m>\d+),t=(?<t>\d+),p=\d+\$/.exec(stored)?.groups ?? {};
      return !(Number(m) >= cost.memoryCost && Number(t) >= cost.timeCost);
    },
    reload: async () => foreign?.reload(),
  };
}

const noKeys: FindHashKey = async () => undefined;

function createForeign({ db, keyring }: NonNullable<Options['place']>, ownHead: string) {
  const keys = createHashKeys({ db, keyring });
  let decoys = decoysOf([ownHead]);
  return {
    findKey: keys.find,
    decoys: () => decoys,
    async reload(): Promise<void> {
      await keys.reload();
      decoys = decoysOf([ownHead, ...(await listPasswordKinds(db, MAX_FOREIGN_KINDS))]);
    },
  };
}
