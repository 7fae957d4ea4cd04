import { TEXT_FORMATS } from '@gatehouse/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc, { type Arbitrary } from 'fast-check';
import type { JsonSchema } from '../../packages/server/src/http/openapi-document.ts';

export interface Known {
  readonly ids: readonly string[];
  readonly emails: readonly string[];
}

const ajv = new Ajv2020({ strict: false, formats: { binary: true, int64: true } });
for (const [name, validate] of Object.entries(TEXT_FORMATS)) ajv.addFormat(name, validate);

/** Whether the value matches the schema. Rules that the schema does not express are not checked. */
function matches(schema: JsonSchema, value: unknown): boolean {
  return ajv.validate(schema, value) as boolean;
}

const PASSWORD = 'correct horse battery staple';
const LOCALES = ['de', 'de-CH', 'en', 'zh-Hant-TW', 'ar', 'x-private'];
const EVENT_PATTERNS = ['*', 'member.*', 'auth.login', 'user.updated'];
const DATES = [
  '2026-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2030-06-01T12:00:00+14:00',
];

const TEXTS: Readonly<Record<string, (known: Known) => Arbitrary<string>>> = {
  uuid: ({ ids }) =>
    fc.oneof(
      fc.constantFrom(...ids),
      fc.uuid(),
      fc.constantFrom(...ids).map((id) => id.toUpperCase()),
    ),
  email: ({ emails }) =>
    fc.oneof(
      fc.constantFrom(...emails),
      fc.emailAddress(),
      fc.nat().map((number) => ` Új.${number}@Exämple.org `),
    ),
  password: () => fc.oneof(fc.constant(PASSWORD), fc.string({ unit: 'grapheme', minLength: 12, maxLength: 60 })),
  token: () => fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
  slug: () => fc.stringMatching(/^[a-z0-9]{2,9}(-[a-z0-9]{1,5}){0,3}$/),
  locale: () => fc.constantFrom(...LOCALES),
  'event-pattern': () => fc.constantFrom(...EVENT_PATTERNS),
  'event-patterns': () => fc.array(fc.constantFrom(...EVENT_PATTERNS), { minLength: 1, maxLength: 4 }).map(String),
  permission: () => fc.constantFrom('members.list', 'invoices.read', 'invoices.pay'),
  code: () => fc.stringMatching(/^\d{6}$/),
  integer: () =>
    fc.oneof(fc.integer({ min: -5, max: 9 }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n })).map(String),
  'date-time': () => fc.oneof(fc.constantFrom(...DATES), fc.date({ noInvalidDate: true }).map(isoOf)),
};

const isoOf = (date: Date): string =>
  date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999 ? DATES[0]! : date.toISOString();

const line = fc.string({ unit: 'grapheme', maxLength: 130 });

const PAYLOAD: Arbitrary<unknown> = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 9 }), fc.jsonValue(), {
  maxKeys: 5,
});

/** The texts that match the schema. Throws after 10,000 that do not: `TEXTS` lacks a format, or the pattern is new. */
function matching(schema: JsonSchema, texts: Arbitrary<string>): Arbitrary<string> {
  let misses = 0;
  return texts.filter((text) => {
    if (matches(schema, text)) misses = 0;
    else if (++misses > 10_000) throw new Error(`no text matches ${JSON.stringify(schema)}`);
    return misses === 0;
  });
}

export function fittingValue(schema: JsonSchema, known: Known): Arbitrary<unknown> {
  const choices: Arbitrary<unknown>[] = [];
  const types = [schema.type ?? 'any'].flat();
  const listed = schema.const === undefined ? schema.enum : [schema.const];
  if (listed) return fc.constantFrom(...listed);
  if (types.includes('null')) choices.push(fc.constant(null));
  if (types.includes('boolean')) choices.push(fc.boolean());
  if (types.includes('integer'))
    choices.push(fc.integer({ min: schema.minimum ?? -9, max: schema.maximum ?? 2 ** 31 }));
  if (types.includes('object')) choices.push(PAYLOAD);
  if (schema.items) choices.push(fc.array(fittingValue(schema.items, known), { maxLength: 3 }));
  if (types.includes('string') || types.includes('any')) {
    choices.push(matching(schema, (TEXTS[schema.format ?? ''] ?? (() => line))(known)));
  }
  if (choices.length === 0) throw new Error(`nothing is known about values of ${JSON.stringify(schema)}`);
  return fc.oneof(...choices);
}

/** JSON of wrong types, and some text that is not JSON. */
const ODD_JSON = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '0.5',
  '1e400',
  '-1e308',
  '9007199254740993',
  '123456789012345678901234567890',
  '[]',
  '{}',
  '[[[[]]]]',
  '{"__proto__":{"a":1}}',
  'NaN',
  'Infinity',
  '0x10',
  '01',
  'undefined',
  '"unclosed',
];

const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\r\nb: c',
  '\u202eevil',
  '\u2028',
  'NaN',
  'null',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  "'; drop table users; --",
  '-1',
  '1e9',
  '1.5',
  '0x10',
  '+',
  '2030-02-30T00:00:00Z',
  '2030-01-01T00:00:60Z',
  '10000-01-01T00:00:00Z',
  '00000000-0000-0000-0000-00000000000g',
  'ada@example',
  'a@b@c.de',
  '12345',
  '1234567',
  '١٢٣٤٥٦',
];

/** Texts one step outside of the schema: one character too long or too short, or similar to an allowed value. */
function nearMisses({ minLength = 0, maxLength, enum: choices = [] }: JsonSchema): string[] {
  return [
    ...(minLength > 0 ? ['a'.repeat(minLength - 1), '1'.repeat(minLength - 1)] : []),
    ...(maxLength === undefined
      ? []
      : ['a'.repeat(maxLength + 1), '1'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1)]),
    ...choices.flatMap((choice) => [`${choice} `, String(choice).toUpperCase(), `${choice}\0`]),
  ];
}

/** JSON that the field rejects. Null for an optional field means absent, so it is not rejected. */
export function oddJson(schema: JsonSchema, { required }: { required: boolean }): Arbitrary<string> | undefined {
  if (schema['x-lenient']) return undefined;
  const fixed = [...ODD_JSON, ...[...ODD_TEXTS, ...nearMisses(schema)].map((text) => JSON.stringify(text))];
  const isOdd = (json: string) => !matchesJson(schema, json) && (required || json !== 'null');
  const odd = fixed.filter(isOdd);
  const made = fc
    .oneof(fc.jsonValue(), fc.string({ unit: 'binary' }))
    .map((value) => JSON.stringify(value))
    .filter(isOdd);
  return odd.length === 0 ? undefined : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...odd) }, made);
}

function matchesJson(schema: JsonSchema, json: string): boolean {
  try {
    return matches(schema, JSON.parse(json));
  } catch {
    return false;
  }
}

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export function oddText(schema: JsonSchema): Arbitrary<string> | undefined {
  if (schema['x-lenient']) return undefined;
  const odd = [...ODD_TEXTS, ...nearMisses(schema)].filter((text) => text.isWellFormed() && !matches(schema, text));
  if (odd.length === 0) return undefined;
  const made = fc.string({ unit: 'grapheme' }).filter((text) => !matches(schema, text));
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...odd) }, made);
}

export const headerValue: Arbitrary<string> = fc.oneof(
  fc.constantFrom('*', '"', 'W/"', 'null', 'Bearer', 'a, b', '%00', '\xff\xfe', '-1', '{}', 'x'.repeat(3000)),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code === 0x7f ? 0x20 : code)),
  }),
);
