import { Type } from 'typebox';

/**
 * The kinds of string the wire knows. Every string of a request names one of them by `format`, so that NUL, lone
 * surrogates and control characters end as 400 and never reach the database.
 */
export const TEXT_FORMATS = {
  /** Any character but lone surrogates: passwords are never trimmed or narrowed. */
  password: (value: string) => value.isWellFormed(),
  /** One line for people: no control characters, no lone surrogates. */
  text: (value: string) => value.isWellFormed() && !/\p{Cc}/u.test(value),
  /** Printable ASCII: tokens, codes, keys. */
  token: (value: string) => /^[\x21-\x7e]*$/.test(value),
  uuid: (value: string) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value),
  'date-time': (value: string) =>
    /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
} as const;

export const Uuid = Type.String({ format: 'uuid' });
export const Timestamp = Type.String({ format: 'date-time' });
export const Text = (min: number, max: number) => Type.String({ format: 'text', minLength: min, maxLength: max });
export const Token = (max: number) => Type.String({ format: 'token', minLength: 1, maxLength: max });
