import { github } from '../providers/github.ts';
import { google } from '../providers/google.ts';

/** Providers whose subjects are the same for every service that asks them: only these can be brought along. */
export const LINKED = { google: google.id, github: github.id } as const;
export type LinkedProvider = (typeof LINKED)[keyof typeof LINKED];

/** Whose subjects the files have. Under any other issuer the same subject is somebody else. */
export const ISSUERS: Readonly<Record<LinkedProvider, string>> = {
  [google.id]: google.endpoints.issuer,
  [github.id]: github.endpoints.issuer,
};

/** What somebody had there and has not here, beside what is listed. */
export type LeftBehind = 'second_factor' | 'passkey' | 'other_identity';

/** Why somebody is not brought along whatever else is right with them. */
export type Unwanted = 'deleted_there' | 'service_account' | 'federated_user';

/** A user as another service describes them, in our words. None of it is judged yet. */
export interface ForeignUser {
  readonly email: unknown;
  readonly email_verified: boolean;
  /** When, if that is known. */
  readonly email_verified_at?: Date | undefined;
  readonly display_name?: unknown;
  readonly locale?: unknown;
  readonly created_at?: Date | undefined;
  readonly disabled: boolean;
  /** As it would be stored; null: there is none. */
  readonly password_hash: string | null;
  readonly password_changed_at?: Date | undefined;
  readonly identities: readonly { readonly provider: LinkedProvider; readonly subject: unknown }[];
  readonly left_behind: readonly LeftBehind[];
  readonly unwanted?: Unwanted | undefined;
}

/** There is a hash, and nobody here can read it. */
export const UNKNOWN_HASH = '?';

/** Reads one record of a file. */
export type Describe = (record: Fields) => ForeignUser;

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a record has of its own: a field called `__proto__` or `constructor` is one like any other. */
export const field = (record: unknown, name: string): unknown =>
  isFields(record) && Object.hasOwn(record, name) ? record[name] : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A name to look up; empty: it is none. */
export const wordOf = (value: unknown): string => textOf(value) ?? '';

export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value)) ? Number(value) : Number.NaN;

/** JSON inside of a string, or what it would hold. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** RFC 3339, as PostgreSQL writes it, or in milliseconds, as a number or in digits. */
export function timeOf(value: unknown): Date | undefined {
  const milliseconds = numberOf(value);
  if (!Number.isNaN(milliseconds)) return valid(new Date(milliseconds));
  const [, date, time, zone, minutes] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(?:Z|([+-]\d{2}):?(\d{2})?)?$/.exec(wordOf(value)) ?? [];
  if (date === undefined) return undefined;
  return valid(new Date(`${date}T${time}${zone === undefined ? 'Z' : `${zone}:${minutes ?? '00'}`}`));
}

const valid = (date: Date): Date | undefined => (Number.isNaN(date.getTime()) ? undefined : date);
