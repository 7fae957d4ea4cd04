import { LIMITS, TEXT_FORMATS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { addressOf, nameOf, subjectFrom } from '../kernel/claims.ts';
import { readHash } from '../passwords/hashes/read-hash.ts';
import type { ForeignUser, LeftBehind, LinkedProvider, Unwanted } from './foreign-user.ts';

export type Reason =
  | 'unreadable'
  | 'no_email'
  | 'invalid_email'
  | 'duplicate'
  | 'unverified_duplicate'
  | 'already_here'
  | Unwanted;

export type Note =
  | 'unknown_hash'
  | 'costly_hash'
  | 'email_not_verified'
  | 'name_changed'
  | 'identity_in_use'
  | 'identity_elsewhere'
  | 'too_many_identities'
  | `left_${LeftBehind}`;

export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly email_verified_at: Date | null;
  readonly display_name: string | null;
  readonly locale: string | null;
  readonly status: 'active' | 'disabled';
  readonly created_at: Date;
  readonly password_hash: string | null;
  readonly last_password_change_at: Date | null;
  readonly identities: readonly NewIdentity[];
}

interface NewIdentity {
  readonly id: string;
  readonly provider: LinkedProvider;
  readonly subject: string;
}

export type Verdict =
  | { readonly outcome: 'skipped'; readonly email: string | null; readonly reason: Reason }
  | {
      readonly outcome: 'fit';
      readonly user: NewUser;
      /** The other service has verified the email, even if it does not count as verified here. */
      readonly verified: boolean;
      readonly notes: readonly Note[];
      readonly hash: string;
    };

const WITHOUT_PASSWORD = 'without a password';

export interface Rules {
  readonly now: Date;
  /** Providers whose endpoints are not overridden by settings, so that their subjects are the same users here. */
  readonly linkable: ReadonlySet<LinkedProvider>;
  /** If true, no email counts as verified. */
  readonly unverified: boolean;
}

export function validateUser(user: ForeignUser, { now, linkable, unverified }: Rules): Verdict {
  const { email, email_verified } = addressOf(user.email, user.email_verified);
  const skipped = (reason: Reason): Verdict => ({ outcome: 'skipped', email: email ?? shown(user.email), reason });
  if (user.unwanted !== undefined) return skipped(user.unwanted);
  if (user.email === undefined || user.email === null || user.email === '') return skipped('no_email');
  if (email === null) return skipped('invalid_email');

  const created_at = past(user.created_at, now) ?? now;
  const password = validateHash(user.password_hash);
  const display_name = nameOf(user.display_name);
  const linked = user.identities.filter(({ provider }) => linkable.has(provider));
  const read = validateIdentities(linked, created_at);
  const identities = read.filter((entry): entry is NewIdentity => entry.subject !== undefined);
  const left: readonly LeftBehind[] =
    identities.length < read.length ? [...user.left_behind, 'other_identity'] : user.left_behind;
  return {
    outcome: 'fit',
    hash: password.label,
    verified: email_verified,
    user: {
      id: uuid({ msecs: created_at.getTime() }),
      email,
      email_verified_at: email_verified && !unverified ? (past(user.email_verified_at, now) ?? now) : null,
      display_name,
      locale: localeOf(user.locale),
      status: user.disabled ? 'disabled' : 'active',
      created_at,
      password_hash: password.stored,
      last_password_change_at: password.stored === null ? null : (past(user.password_changed_at, now) ?? null),
      identities: identities.slice(0, LIMITS.identitiesPerUser),
    },
    notes: [
      ...(password.note ? [password.note] : []),
      ...(user.email_verified && !email_verified ? (['email_not_verified'] as const) : []),
      ...(isOther(user.display_name, display_name) ? (['name_changed'] as const) : []),
      ...[...new Set(left)].map((what) => `left_${what}` as const),
      ...(linked.length < user.identities.length ? (['identity_elsewhere'] as const) : []),
      ...(identities.length > LIMITS.identitiesPerUser ? (['too_many_identities'] as const) : []),
    ],
  };
}

/** An unusable hash is dropped: the user is imported without a password. */
function validateHash(stored: string | null): { stored: string | null; label: string; note?: Note } {
  const none = { stored: null, label: WITHOUT_PASSWORD };
  if (stored === null) return none;
  const read = readHash(stored);
  if (!read) return { ...none, note: 'unknown_hash' };
  return read.too_costly ? { ...none, note: 'costly_hash' } : { stored, label: read.label };
}

const validateIdentities = (identities: ForeignUser['identities'], created_at: Date) =>
  identities.map(({ provider, subject }) => ({
    id: uuid({ msecs: created_at.getTime() }),
    provider,
    subject: subjectFrom(subject),
  }));

/** Ignores future times, and times before 1970, which a UUIDv7 cannot represent. */
const past = (time: Date | undefined, now: Date): Date | undefined =>
  time !== undefined && time <= now && time.getTime() > 0 ? time : undefined;

function localeOf(value: unknown): string | null {
  const tag = typeof value === 'string' ? value.replaceAll('_', '-') : '';
  return TEXT_FORMATS.locale(tag) ? tag : null;
}

const isOther = (given: unknown, name: string | null): boolean =>
  typeof given === 'string' && given.trim() !== (name ?? '');

const MAX_SHOWN_LENGTH = 80;

/** An invalid address for the report: one line, without control characters. */
const shown = (value: unknown): string | null =>
  typeof value === 'string'
    ? value
        .slice(0, MAX_SHOWN_LENGTH)
        .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
        .toWellFormed()
    : null;
