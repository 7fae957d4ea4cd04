import { type Describe, isFields } from './foreign-user.ts';
import type { Entry } from './records.ts';
import { type Rules, type Verdict, validateUser } from './validate.ts';

interface ValidateOptions extends Rules {
  readonly describe: Describe;
  readonly signal: AbortSignal | undefined;
}

export type Validated = Verdict & { readonly at: string };

const UNREADABLE: Verdict = { outcome: 'skipped', email: null, reason: 'unreadable' };

export async function* validateAll(
  entries: AsyncIterable<Entry>,
  { describe, signal, ...rules }: ValidateOptions,
): AsyncGenerator<Validated> {
  for await (const { at, value, unwanted } of entries) {
    signal?.throwIfAborted();
    const user = isFields(value) ? describe(value) : undefined;
    yield { at, ...(user ? validateUser(unwanted ? { ...user, unwanted } : user, rules) : UNREADABLE) };
  }
}

/** What must be known about all records before the first one is written. */
interface Survey {
  /** Emails that one user has not verified, but a later user in the file has. */
  readonly contested: ReadonlySet<string>;
  readonly passwords: boolean;
}

/** Reads everything once, so that an unreadable file imports nothing. Keeps only the unverified emails in memory. */
export async function survey(verdicts: AsyncIterable<Validated>): Promise<Survey> {
  const unverified = new Set<string>();
  const contested = new Set<string>();
  let passwords = false;
  for await (const verdict of verdicts) {
    if (verdict.outcome === 'skipped') continue;
    const { email, password_hash } = verdict.user;
    if (password_hash !== null) passwords = true;
    if (!verdict.verified) unverified.add(email);
    else if (unverified.has(email)) contested.add(email);
  }
  return { contested, passwords };
}
