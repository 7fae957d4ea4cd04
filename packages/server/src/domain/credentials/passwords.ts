import { type HashCost, hashArgon2 } from '../../platform/argon2/argon2.ts';
import { createBounded, NoRoom } from '../../platform/bounded.ts';
import { cores } from '../../platform/cores.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Logger } from '../../platform/log.ts';
import { tooMany } from '../service-error.ts';
import { type Decoy, decoysOf, stillToPay } from './hashes/decoys.ts';
import type { FindHashKey } from './hashes/hash-kind.ts';
import { createHashKeys } from './hashes/keys.ts';
import { listPasswordKinds } from './hashes/queries.ts';
import { readHash } from './hashes/read-hash.ts';

/** The contract, section 1. argon2id is what the library makes when nothing else is asked. The database counts hashes by them. */
const CONTRACT_COST: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What stands before the salt of every hash of ours. */
const headOf = ({ memoryCost, timeCost, parallelism }: HashCost): string =>
  `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}`;

/** For each under way: at some 12 ms each, the last in line waits about a second and a half; longer with hashes from elsewhere. */
const WAITING = 128;

interface Guess {
  /** Null: there is none to match, and it takes no less time. */
  readonly stored: string | null;
  readonly password: string;
  /** Who asks: those who wait take turns. */
  readonly who: string;
  /** Of an account that must not be signed in to: the right password is refused, and takes as long as a wrong one. */
  readonly in_vain?: boolean;
}

export interface Passwords {
  /** `who` asks: those who wait take turns. */
  hash(password: string, who: string): Promise<string>;
  verify(guess: Guess): Promise<boolean>;
  /** Throws the refusal of a full line, before anything else is spent on somebody who would get it in the end. */
  requireRoom(who: string): void;
  /** What a wrong password costs, whatever it is checked against. */
  costs(): readonly string[];
  /** Made with weaker settings than ours, or in another way; `password`, which matches it, can take its place. */
  isWeak(stored: string, password: string): boolean;
  /** Reads what decoys and hashes of another service need to know. */
  reload(): Promise<void>;
}

/** At once in each of so many processes that share the cores. */
const roomIn = (processes: number): number => Math.max(1, Math.floor(cores() / processes));

/** Of hashes beside ours, the most frequent: each makes every wrong password dearer. */
const KINDS = 6;

interface Options {
  readonly atOnce?: number;
  /** How many processes on this machine do the same. */
  readonly processes?: number;
  /** In place of the contract's: tests make thousands of hashes. Nothing that an operator can set leads here. */
  readonly cost?: HashCost | undefined;
  /** One was computed, whatever for. */
  readonly onHash?: () => void;
  /** Even the line was full. */
  readonly onRefusal?: () => void;
  /** Where hashes that were brought along are kept. Left out: there are none. */
  readonly place?: { readonly db: Db; readonly keyring: Keyring; readonly log: Logger };
}

/**
 * argon2id, never more at once than there are cores: beyond that each hash only takes the others' time. Who finds even the line full is refused with 429. What was brought
 * along from another service is checked in its own way, in the same line.
 */
export function createPasswords(options: Options = {}): Passwords {
  const { processes = 1, atOnce = roomIn(processes), cost = CONTRACT_COST, place } = options;
  const { onHash = () => {}, onRefusal = () => {} } = options;
  const bounded = createBounded({ atOnce, waiting: atOnce * WAITING });
  const run = <T>(who: string, work: () => Promise<T>): Promise<T> =>
    bounded.run(who, work).catch((error) => {
      if (!(error instanceof NoRoom)) throw error;
      return refuse();
    });
  const refuse = (): never => {
    onRefusal();
    throw tooMany(1);
  };
  const ours = headOf(cost);
  const foreign = place && createForeign(place, ours);
  const own = decoysOf([ours]);
  const decoys = (): readonly Decoy[] => foreign?.decoys() ?? own;
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
    requireRoom: (who) => void (bounded.hasRoom(who) || refuse()),
    costs: () => decoys().map(({ cost }) => cost),
    hash: async (password, who) =>
      run(who, () => {
        onHash();
        return hashArgon2(password, cost);
      }),
    verify: ({ stored, password, who, in_vain = false }) =>
      run(who, async () => {
        // What is stored and cannot be read, or must not be computed, matches nothing, like nothing at all.
        const read = stored === null ? undefined : readHash(stored);
        const paid = read?.too_costly === false ? read.cost : undefined;
        if (paid !== undefined && (await matches(stored!, password)) && !in_vain) return true;
        for (const decoy of stillToPay(decoys(), paid)) await matches(decoy.stored, password);
        return false;
      }),
    isWeak: (stored, password) => {
      // bcrypt looks at 72 bytes: what was typed behind them may be anything, and must not become part of the password.
      if (stored.startsWith('$2') && Buffer.byteLength(password) > 72) return false;
      const { m, t } = /^\$argon2id\$v=19\$m=(?<m>\d+),t=(?<t>\d+),p=\d+\$/.exec(stored)?.groups ?? {};
      return !(Number(m) >= cost.memoryCost && Number(t) >= cost.timeCost);
    },
    reload: async () => foreign?.reload(),
  };
}

const noKeys: FindHashKey = async () => undefined;

/** What is known of hashes that are not ours. */
function createForeign({ db, keyring }: NonNullable<Options['place']>, ours: string) {
  const keys = createHashKeys({ db, keyring });
  let decoys = decoysOf([ours]);
  return {
    findKey: keys.find,
    decoys: () => decoys,
    async reload(): Promise<void> {
      await keys.reload();
      decoys = decoysOf([ours, ...(await listPasswordKinds(db, KINDS))]);
    },
  };
}
