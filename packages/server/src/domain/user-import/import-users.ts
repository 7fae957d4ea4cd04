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
  /** `entries` is called twice: to check all records, then to import them. */
  readonly source: Pick<Source, 'describe' | 'prepare'> & { readonly entries: () => AsyncIterable<Entry> };
  /** Validate everything, write nothing. */
  readonly dry_run: boolean;
  /** Called for each record in order, once its outcome is final. */
  readonly onLine: (line: Line) => void;
  readonly signal?: AbortSignal;
}

type ImportDeps = Pick<Deps, 'db' | 'clock' | 'bus'>;
type Fit = Extract<Validated, { outcome: 'fit' }>;

const BATCH_SIZE = 500;

/**
 * `import --from`: imports users of another service with their password hashes. Existing users are not changed, so an
 * interrupted import can be repeated. Skipped users are reported. A truncated file imports nothing.
 */
export async function importUsers(deps: ImportDeps, { source, signal, onLine, ...given }: Import): Promise<void> {
  const now = deps.clock.now();
  const verdicts = () => validateAll(source.entries(), { ...given, now, describe: source.describe, signal });
  const { contested, passwords } = await survey(verdicts());
  if (passwords && !given.dry_run) await source.prepare();
  const seen = new Set<string>();
  let batch: Validated[] = [];
  let imported = 0;
  const writeBatch = async (): Promise<void> => {
    const lines = await settleBatch(deps, batch, { ...given, now });
    batch = [];
    for (const line of lines) {
      if (line.outcome === 'brought_along') imported++;
      onLine(line);
    }
  };
  try {
    for await (const verdict of verdicts()) {
      batch.push({ at: verdict.at, ...withoutDuplicates(verdict, contested, seen) });
      if (batch.length === BATCH_SIZE) await writeBatch();
    }
    await writeBatch();
  } finally {
    if (!given.dry_run && imported > 0) {
      await announceHashes(deps);
      // A timeout is ignored, because autovacuum analyzes the tables soon.
      await analyzeFilled(deps.db, ['organizations', 'users', 'memberships', 'identities']).catch(() => {});
    }
  }
}

/**
 * If several users have the same address or identity, the first one gets it. But a user who has not verified the
 * address never takes precedence over one who has.
 */
function withoutDuplicates(verdict: Verdict, contested: ReadonlySet<string>, seen: Set<string>): Verdict {
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

async function settleBatch(deps: ImportDeps, batch: readonly Validated[], settling: Settling): Promise<Line[]> {
  const fit = batch.filter((verdict): verdict is Fit => verdict.outcome === 'fit');
  const newUsers = fit.map(({ user }) => user);
  const added = settling.dry_run ? await predictInsert(deps, newUsers) : await insertUsers(deps.db, newUsers, settling);
  const [users, identities] = [new Set(added.users), new Set(added.identities)];
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

async function predictInsert({ db }: ImportDeps, newUsers: readonly NewUser[]) {
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

/** Makes servers reload the kinds of hashes: sign-in must cost the same for unknown emails and imported accounts. */
const announceHashes = ({ db, bus, clock }: ImportDeps): Promise<void> =>
  transact(db, (tx) => bus.announce(tx, clock.now(), [{ topic: 'password_hashes', key: 'import' }]));
