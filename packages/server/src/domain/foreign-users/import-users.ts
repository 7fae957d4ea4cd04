import { analyzeFilled } from '../../platform/db/analyze.ts';
import { transact } from '../../platform/db/transact.ts';
import type { Deps } from '../context.ts';
import { ISSUERS } from './foreign-user.ts';
import { insertUsers, type Placing } from './insert.ts';
import { listTakenEmails, listTakenSubjects } from './queries.ts';
import type { Entry } from './records.ts';
import type { Line } from './report.ts';
import type { Source } from './source.ts';
import { survey, type Validated, validateAll } from './survey.ts';
import type { NewUser, Note, Rules, Verdict } from './validate.ts';

interface Import extends Omit<Placing, 'now'>, Omit<Rules, 'now'> {
  /** Read twice. */
  readonly source: Pick<Source, 'describe' | 'prepare'> & { readonly entries: () => AsyncIterable<Entry> };
  /** Judge everything, write nothing. */
  readonly dry_run: boolean;
  /** Hears of each record in its turn, once its fate is sealed. */
  readonly onLine: (line: Line) => void;
  readonly signal?: AbortSignal;
}

type Place = Pick<Deps, 'db' | 'clock' | 'bus'>;
type Fit = Extract<Validated, { outcome: 'fit' }>;

const BATCH = 500;

/**
 * `import --from`: the users of another service, with the hashes of their passwords. Nobody who is here is touched, so what was cut
 * off is run again; nobody is left out without being told of. A file that cannot be read to its end brings nobody along.
 */
export async function importUsers(deps: Place, { source, signal, onLine, ...given }: Import): Promise<void> {
  const now = deps.clock.now();
  const verdicts = () => validateAll(source.entries(), { ...given, now, describe: source.describe, signal });
  const { contested, passwords } = await survey(verdicts());
  if (passwords && !given.dry_run) await source.prepare();
  const seen = new Set<string>();
  let batch: Validated[] = [];
  let brought = 0;
  const settle = async (): Promise<void> => {
    const lines = await settleBatch(deps, batch, { ...given, now });
    batch = [];
    for (const line of lines) {
      if (line.outcome === 'brought_along') brought++;
      onLine(line);
    }
  };
  try {
    for await (const verdict of verdicts()) {
      batch.push({ at: verdict.at, ...once(verdict, contested, seen) });
      if (batch.length === BATCH) await settle();
    }
    await settle();
  } finally {
    if (!given.dry_run && brought > 0) {
      await announceHashes(deps);
      // Where it takes too long, PostgreSQL does it by itself before long.
      await analyzeFilled(deps.db, ['organizations', 'users', 'memberships', 'identities']).catch(() => {});
    }
  }
}

/**
 * The first with an address has it, and likewise with an identity. But who was never asked to prove that the address is theirs
 * does not come before somebody who was.
 */
function once(verdict: Verdict, contested: ReadonlySet<string>, seen: Set<string>): Verdict {
  if (verdict.outcome === 'skipped') return verdict;
  const isFirst = (name: string): boolean => !seen.has(name) && seen.add(name) !== undefined;
  const { user, notes } = verdict;
  const { email } = user;
  if (!verdict.verified && contested.has(email)) return { outcome: 'skipped', email, reason: 'unverified_duplicate' };
  if (!isFirst(email)) return { outcome: 'skipped', email, reason: 'duplicate' };
  const identities = user.identities.filter(({ provider, subject }) => isFirst(`${provider} ${subject}`));
  return identities.length === user.identities.length
    ? verdict
    : { ...verdict, user: { ...user, identities }, notes: [...notes, 'identity_in_use'] };
}

type Settling = Placing & Pick<Import, 'dry_run'>;

async function settleBatch(deps: Place, batch: readonly Validated[], settling: Settling): Promise<Line[]> {
  const fit = batch.filter((verdict): verdict is Fit => verdict.outcome === 'fit');
  const newUsers = fit.map(({ user }) => user);
  const there = settling.dry_run ? await foresee(deps, newUsers) : await insertUsers(deps.db, newUsers, settling);
  const [users, identities] = [new Set(there.users), new Set(there.identities)];
  return batch.map((verdict) => {
    if (verdict.outcome === 'skipped') return verdict;
    const { at, user, notes, hash } = verdict;
    const { id: user_id, email, status } = user;
    if (!users.has(user_id)) return { at, outcome: 'skipped', email, reason: 'already_here' };
    const linked = user.identities.filter(({ id }) => identities.has(id)).length;
    return {
      at,
      outcome: 'brought_along',
      email,
      ...(!settling.dry_run && { user_id }),
      status,
      hash,
      identities: linked,
      notes: [...new Set<Note>([...notes, ...(linked < user.identities.length ? (['identity_in_use'] as const) : [])])],
    };
  });
}

/** What an insert would tell, as far as that can be known before. */
async function foresee({ db }: Place, newUsers: readonly NewUser[]) {
  const subjects = newUsers.flatMap(({ identities }) =>
    identities.map((identity) => ({ ...identity, issuer: ISSUERS[identity.provider] })),
  );
  const [emails, taken] = await Promise.all([
    listTakenEmails(
      db,
      newUsers.map(({ email }) => email),
    ),
    listTakenSubjects(db, subjects),
  ]);
  const inUse = new Set(taken.map(({ provider, subject }) => `${provider} ${subject}`));
  return {
    users: newUsers.filter(({ email }) => !emails.has(email)).map(({ id }) => id),
    identities: subjects.filter(({ provider, subject }) => !inUse.has(`${provider} ${subject}`)).map(({ id }) => id),
  };
}

/** Servers that run count the kinds of hashes anew at once: checking a password for an unknown address must cost what it costs now. */
const announceHashes = ({ db, bus, clock }: Place): Promise<void> =>
  transact(db, (tx) => bus.announce(tx, clock.now(), [{ topic: 'password_hashes', key: 'import' }]));
