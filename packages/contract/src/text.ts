import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';
import { isEmail } from './email.ts';
import { LIMITS } from './limits.ts';

/** No control characters, line breaks of any kind, lone surrogates or marks that reverse the text direction. */
const isLine = (value: string): boolean =>
  value.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value);

export const MAX_LOCALE = 35;

/** Checks the length first: the time of `getCanonicalLocales` grows faster than the length. */
const isLocale = (value: string): boolean => {
  try {
    return value !== '' && value.length <= MAX_LOCALE && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
};

const LEAP_SECOND = /(?<=:\d{2}):60/;

/** The time of a valid RFC 3339 timestamp. A leap second is the second before it. */
export const parseMoment = (value: string): number => Date.parse(value.replace(LEAP_SECOND, ':59'));

/** A leap second is the last second of a day, in UTC. */
const isLeapSecond = (value: string): boolean =>
  new Date(parseMoment(value)).toISOString().slice(11, 19) === '23:59:59';

/** RFC 3339. The parser alone would accept 30 February as 2 March, and 24:00 as the next day. */
const isMoment = (value: string): boolean => {
  const parts = /^(\d{4}-\d{2}-)(\d{2})[Tt]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.exec(value);
  return (
    parts !== null &&
    !Number.isNaN(parseMoment(value)) &&
    (!LEAP_SECOND.test(value) || isLeapSecond(value)) &&
    new Date(`${parts[1]}${parts[2]}T00:00:00Z`).getUTCDate() === Number(parts[2])
  );
};

const MAX_EVENT_PATTERNS = 4096;

const isEventPattern = (value: string): boolean =>
  /^(\*|[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*\.([A-Za-z][\w-]*|\*))$/.test(value);

const isPatternList = (patterns: string[]): boolean =>
  patterns.length <= LIMITS.webhook.patterns && patterns.every(isEventPattern);

/**
 * The formats of strings. Every string of a request names one of them by `format`, so that NUL, lone surrogates and
 * control characters are rejected with 400 and never reach the database.
 */
export const TEXT_FORMATS = {
  /** Any text but lone surrogates: passwords are never trimmed or restricted. */
  password: (value: string) => value.isWellFormed(),
  text: isLine,
  /** One line of text that is not blank. */
  name: (value: string): boolean => isLine(value) && value.trim() !== '',
  /** Printable ASCII: tokens, codes, keys. */
  token: (value: string) => /^[\x21-\x7e]*$/.test(value),
  email: (value: string) => isEmail(value),
  /** Lower-case words and digits, joined by single hyphens. */
  slug: (value: string) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value),
  /** Words of lower-case letters, digits, hyphens and underscores, joined by dots; at least two. */
  permission: (value: string) => /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+$/.test(value),
  /** `*`, an action, or a prefix of actions that ends in `.*`. */
  'event-pattern': (value: string) => isEventPattern(value),
  /** Event patterns, separated by commas. */
  'event-patterns': (value: string) => value.length <= MAX_EVENT_PATTERNS && isPatternList(value.split(',')),
  /** A BCP 47 tag such as `de` or `de-CH`. */
  locale: isLocale,
  code: (value: string) => /^[0-9]{6}$/.test(value),
  /** An integer in a query string. */
  integer: (value: string) => /^[+-]?[0-9]+$/.test(value),
  uuid: (value: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value),
  'date-time': isMoment,
} as const;

/** In a request, letters become lower-case, as PostgreSQL and the tokens write them. */
export const Uuid = Type.String({ format: 'uuid', 'x-lower-case': true });
export const Timestamp = Type.String({ format: 'date-time' });
export const Text = (min: number, max: number) => Type.String({ format: 'text', minLength: min, maxLength: max });
export const Name = (max: number) => Type.String({ format: 'name', minLength: 1, maxLength: max });
/** A token to check: one that is too long is answered like any other wrong one. */
export const GivenToken = Type.String({ format: 'token', minLength: 1 });
export const Token = (max: number) => Type.String({ format: 'token', minLength: 1, maxLength: max });

/** A string that is not validated: a value that cannot be used is ignored. OpenAPI shows the type `string`. */
export const Lenient = (options: { readonly description: string; readonly examples?: readonly string[] }) =>
  Type.Unsafe<unknown>({ 'x-lenient': 'string', ...options });

/** The language of a new account. Any value is accepted; a value that is not a BCP 47 tag is ignored. */
export const GivenLocale = () =>
  Type.Optional(
    Lenient({
      description: 'The language of the new account, as a BCP 47 tag. Unusable or omitted: `Accept-Language` decides.',
      examples: ['de-CH'],
    }),
  );

/** A password to set. */
export const NewPassword = Type.String({
  format: 'password',
  minLength: LIMITS.password.min,
  maxLength: LIMITS.password.max,
});

/** A password to check: any text. One that is longer than a password can be is always wrong. */
export const GivenPassword = Type.String({ format: 'password', minLength: 1 });

/** Allows null, for one type or one list of choices. Avoids `anyOf`, which is harder to read and to serialize. */
export const Nullable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const { type, enum: choices, ...rest } = schema as { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>(
    choices ? { ...rest, enum: [...choices, null] } : { ...rest, type: [type, 'null'] },
  );
};
