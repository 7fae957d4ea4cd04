import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { isEmail } from './email.ts';
import { LIMITS } from './limits.ts';

/** No control characters, line breaks of any kind, lone surrogates, nor what turns the text around it back to front. */
const isLine = (value: string): boolean =>
  value.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value);

export const MAX_LOCALE = 35;

/** The length first: what is behind it takes far longer for a long text than for two of half its length. */
const isLocale = (value: string): boolean => {
  try {
    return value !== '' && value.length <= MAX_LOCALE && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
};

/** RFC 3339. The parser alone would take 30 February for 2 March, and 24:00 for the next day. */
const isMoment = (value: string): boolean => {
  const parts = /^(\d{4}-\d{2}-)(\d{2})[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.exec(value);
  return (
    parts !== null &&
    !Number.isNaN(Date.parse(value)) &&
    new Date(`${parts[1]}${parts[2]}T00:00:00Z`).getUTCDate() === Number(parts[2])
  );
};

/**
 * The kinds of string the wire knows. Every string of a request names one of them by `format`, so that NUL, lone
 * surrogates and control characters end as 400 and never reach the database.
 */
export const TEXT_FORMATS = {
  /** Any character but lone surrogates: passwords are never trimmed or narrowed. */
  password: (value: string) => value.isWellFormed(),
  /** One line for people. */
  text: isLine,
  /** A line for people that is not blank. */
  name: (value: string): boolean => isLine(value) && value.trim() !== '',
  /** Printable ASCII: tokens, codes, keys. */
  token: (value: string) => /^[\x21-\x7e]*$/.test(value),
  /** An address for mail. */
  email: isEmail,
  /** Lower-case words and digits, joined by single hyphens. */
  slug: (value: string) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value),
  /** A BCP 47 tag such as `de` or `de-CH`. */
  locale: isLocale,
  /** A code of six digits. */
  code: (value: string) => /^[0-9]{6}$/.test(value),
  /** A whole number as a query writes it. */
  integer: (value: string) => /^[+-]?[0-9]{1,20}$/.test(value),
  uuid: (value: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value),
  'date-time': isMoment,
} as const;

export const Uuid = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time' });
export const Text = (min: number, max: number) => Type.String({ format: 'text', minLength: min, maxLength: max });
export const Name = (max: number) => Type.String({ format: 'name', minLength: 1, maxLength: max });
export const Token = (max: number) => Type.String({ format: 'token', minLength: 1, maxLength: max });

/** A password that somebody chooses. */
export const NewPassword = Type.String({
  format: 'password',
  minLength: LIMITS.password.min,
  maxLength: LIMITS.password.max,
});

/** A password that somebody claims: whatever was typed, within reason. */
export const GivenPassword = Type.String({ format: 'password', minLength: 1, maxLength: LIMITS.password.max });

/** Or null; for one type or one list of choices. Said without `anyOf`, which serializers and people find hard to read. */
export const Nullable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type, enum: choices, ...rest } = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>(
    choices ? { ...rest, enum: [...choices, null] } : { ...rest, type: [type, 'null'] },
  );
};
