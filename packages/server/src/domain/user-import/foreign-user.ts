import { github } from '../provider-settings/github.ts';
import { google } from '../provider-settings/google.ts';

/** Providers at which a user has the same subject for every client. Only identities at these can be imported. */
export const LINKED = { google: google.id, github: github.id } as const;
export type LinkedProvider = (typeof LINKED)[keyof typeof LINKED];

/** The issuers of the subjects in the files. Under another issuer, the same subject is another user. */
export const ISSUERS: Readonly<Record<LinkedProvider, string>> = {
  [google.id]: google.endpoints.issuer,
  [github.id]: github.endpoints.issuer,
};

/** Data of a user that cannot be imported. */
export type LeftBehind = 'second_factor' | 'passkey' | 'other_identity';

/** Why a user is skipped even if the record is valid. */
export type Unwanted = 'deleted_there' | 'service_account' | 'federated_user';

/** A user of another service in our terms, not validated yet. */
export interface ForeignUser {
  readonly email: unknown;
  readonly email_verified: boolean;
  readonly email_verified_at?: Date | undefined;
  readonly display_name?: unknown;
  readonly locale?: unknown;
  readonly created_at?: Date | undefined;
  readonly disabled: boolean;
  /** The hash in the format of `password_hash`; null if the user has none. */
  readonly password_hash: string | null;
  readonly password_changed_at?: Date | undefined;
  readonly identities: readonly { readonly provider: LinkedProvider; readonly subject: unknown }[];
  readonly left_behind: readonly LeftBehind[];
  readonly unwanted?: Unwanted | undefined;
}

/** Stands for a hash in an unsupported format. */
export const UNKNOWN_HASH = '?';

export type Describe = (record: Fields) => ForeignUser;

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads own properties only, so `__proto__` and `constructor` are ordinary fields. */
export const field = (record: unknown, name: string): unknown =>
  isFields(record) && Object.hasOwn(record, name) ? record[name] : undefined;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const wordOf = (value: unknown): string => textOf(value) ?? '';

export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value)) ? Number(value) : Number.NaN;

/** Parses JSON inside a string; returns other values unchanged. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Accepts RFC 3339, PostgreSQL's format, and milliseconds as a number or digits. */
export function timeOf(value: unknown): Date | undefined {
  const milliseconds = numberOf(value);
  if (!Number.isNaN(milliseconds)) return valid(new Date(milliseconds));
  const [, date, time, zone, minutes] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(?:Z|([+-]\d{2}):?(\d{2})?)?$/.exec(wordOf(value)) ?? [];
  if (date === undefined) return undefined;
  return valid(new Date(`${date}T${time}${zone === undefined ? 'Z' : `${zone}:${minutes ?? '00'}`}`));
}

const valid = (date: Date): Date | undefined => (Number.isNaN(date.getTime()) ? undefined : date);
