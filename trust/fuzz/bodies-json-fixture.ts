import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { LIMITS } from '@gatehouse/contract';

const MIB = LIMITS.jsonBodyBytes;

/** A body that must be refused by every endpoint with fields. */
interface HostileBody {
  readonly name: string;
  readonly body: () => string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** The field that the 400 must name. Default: any field. */
  readonly names?: string;
}

const typed = (type: string) => ({ 'content-type': type });
const encoded = (encoding: string) => ({ 'content-type': 'application/json', 'content-encoding': encoding });

const GOOD = JSON.stringify({
  email: 'good@example.com',
  password: 'correct horse battery staple',
  organization_name: 'Good',
  flag_key: 'good',
  enabled: true,
  token: 'good',
  new_password: 'correct horse battery staple',
});

const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join();
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);
const ofLength = (length: number): string => `{"a":"${'x'.repeat(length - 8)}"}`;

const withBytes = (...bytes: number[]): Buffer =>
  Buffer.concat([Buffer.from('{"email":"'), Buffer.from(bytes), Buffer.from('"}')]);

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

export const HOSTILE_BODIES: readonly HostileBody[] = [
  // Deep, wide and long bodies.
  { name: '100,000 brackets', body: () => '['.repeat(100_000), names: 'body' },
  { name: '100,000 lists in one another', body: () => `{"a":${nested(100_000, '[', ']')}}`, names: 'body' },
  {
    name: '100,000 objects in one another',
    body: () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    names: 'body',
  },
  { name: 'a megabyte of brackets', body: () => nested(MIB / 2 - 10, '[', ']'), names: 'body' },
  { name: '19,000 lists in one another', body: () => `{"email":${nested(19_000, '[', ']')}}` },
  { name: '9,000 objects in one another', body: () => `${'{"email":'.repeat(9_000)}1${'}'.repeat(9_000)}` },
  { name: '9,000 objects side by side', body: () => `{"a":[${many(9_000, (index) => `{"k${index}":${index}}`)}]}` },
  { name: '90,000 fields', body: () => `{${many(90_000, (index) => `"k${index}":0`)}}`, names: 'body' },
  { name: '19,000 fields', body: () => `{${many(19_000, (index) => `"k${index}":0`)}}` },
  {
    name: '60,000 fields called by numbers',
    body: () => `{${many(60_000, (index) => `"${index * 7919}":0`)}}`,
    names: 'body',
  },
  { name: '170,000 fields of one name', body: () => `{${many(170_000, () => '"a":0')}}`, names: 'body' },
  { name: '500,000 numbers', body: () => `{"email":[${many(500_000, () => '1')}]}` },
  { name: '200,000 long numbers', body: () => `{"email":[${many(200_000, () => '1e-9')}]}` },
  { name: '200,000 texts', body: () => `{"email":[${many(200_000, (index) => `"${index % 9}"`)}]}` },
  { name: 'as long as may be', body: () => ofLength(MIB) },
  { name: 'one byte longer', body: () => ofLength(MIB + 1), names: 'body' },
  { name: 'three times as long', body: () => ofLength(3 * MIB), names: 'body' },
  { name: 'a number of a million digits', body: () => `{"email":${'9'.repeat(1_000_000)}}` },
  { name: 'a million digits behind the point', body: () => `{"email":0.${'3'.repeat(1_000_000)}}` },
  { name: 'an exponent of a million digits', body: () => `{"email":1e${'9'.repeat(1_000_000)}}` },
  { name: 'a text of a megabyte as an email', body: () => `{"email":"${'a'.repeat(MIB - 40)}@example.com"}` },
  { name: 'a megabyte of at signs', body: () => `{"email":"${'@'.repeat(MIB - 20)}"}` },
  { name: 'a megabyte of combining marks', body: () => `{"email":"a${'\u0301\u0316'.repeat(MIB / 4 - 10)}"}` },
  { name: 'a megabyte of escapes', body: () => `{"email":"${'\\u0000'.repeat(MIB / 6 - 10)}"}` },
  { name: 'a megabyte of halves of characters', body: () => `{"email":"${'\\ud800'.repeat(MIB / 6 - 10)}"}` },
  { name: 'a megabyte of a name of a field', body: () => `{"${'k'.repeat(MIB - 10)}":1}` },
  { name: 'a megabyte of blanks', body: () => `{${' '.repeat(MIB - 2)}}` },
  // Bodies that are not JSON, or not an object.
  { name: 'nothing', body: () => '' },
  { name: 'blanks', body: () => ' \n\t ', names: 'body' },
  { name: 'a list', body: () => '[]', names: 'body' },
  { name: 'null', body: () => 'null', names: 'body' },
  { name: 'a text', body: () => '"email"', names: 'body' },
  { name: 'an infinite number', body: () => '1e400', names: 'body' },
  { name: 'NaN', body: () => '{"email":NaN}', names: 'body' },
  { name: 'undefined', body: () => 'undefined', names: 'body' },
  { name: 'cut off', body: () => GOOD.slice(0, -1), names: 'body' },
  { name: 'something behind it', body: () => `${GOOD}x`, names: 'body' },
  { name: 'two of them', body: () => GOOD + GOOD, names: 'body' },
  { name: 'a comment', body: () => `/* */${GOOD}`, names: 'body' },
  { name: 'single quotes', body: () => "{'email':'a@example.com'}", names: 'body' },
  { name: 'a comma too many', body: () => '{"email":"a@example.com",}', names: 'body' },
  { name: 'NUL behind it', body: () => `${GOOD}\0`, names: 'body' },
  { name: 'NUL in a text', body: () => '{"email":"a\0b@example.com"}', names: 'body' },
  // Bodies that try prototype pollution.
  { name: '__proto__ with all fields', body: () => `{"__proto__":${GOOD}}` },
  { name: 'constructor.prototype with all fields', body: () => `{"constructor":{"prototype":${GOOD}}}` },
  { name: '__proto__ of a field', body: () => `{"email":{"__proto__":{"length":3}},"token":{"__proto__":[]}}` },
  {
    name: 'toString, valueOf and toJSON',
    body: () => '{"email":{"toString":1,"valueOf":1,"toJSON":1},"flag_key":{"toString":null}}',
  },
  { name: 'hasOwnProperty', body: () => '{"hasOwnProperty":1,"email":null}' },
  // Bodies in other encodings.
  { name: 'a byte order mark', body: () => Buffer.from(`\ufeff${GOOD}`), names: 'body' },
  { name: 'UTF-16', body: () => Buffer.from(GOOD, 'utf16le'), names: 'body' },
  { name: 'UTF-16 with a mark', body: () => Buffer.from(`\ufeff${GOOD}`, 'utf16le'), names: 'body' },
  { name: 'UTF-16, the other way round', body: () => utf16be(`\ufeff${GOOD}`), names: 'body' },
  {
    name: 'UTF-16 that says so',
    body: () => Buffer.from(GOOD, 'utf16le'),
    headers: typed('application/json; charset=utf-16'),
    names: 'body',
  },
  { name: 'Latin-1', body: () => withBytes(0xe9), names: 'body' },
  { name: 'an incomplete UTF-8 character', body: () => withBytes(0xf0, 0x9f), names: 'body' },
  { name: 'a slash in two bytes', body: () => withBytes(0xc0, 0xaf), names: 'body' },
  { name: 'a surrogate in UTF-8', body: () => withBytes(0xed, 0xa0, 0x80), names: 'body' },
  { name: 'beyond Unicode', body: () => withBytes(0xf4, 0x90, 0x80, 0x80), names: 'body' },
  // Bodies that are compressed or have other content types.
  { name: 'gzip', body: () => gzipSync(GOOD), headers: encoded('gzip'), names: 'body' },
  {
    name: 'a gzip bomb',
    body: () => gzipSync(Buffer.alloc(32 * MIB), { level: 1 }),
    headers: encoded('gzip'),
    names: 'body',
  },
  { name: 'deflate', body: () => deflateSync(GOOD), headers: encoded('deflate'), names: 'body' },
  { name: 'Brotli', body: () => brotliCompressSync(GOOD), headers: encoded('br'), names: 'body' },
  { name: 'said to be text', body: () => GOOD, headers: typed('text/plain'), names: 'body' },
  { name: 'said to be a form', body: () => GOOD, headers: typed('application/x-www-form-urlencoded'), names: 'body' },
  { name: 'said to be multipart', body: () => GOOD, headers: typed('multipart/form-data; boundary=x'), names: 'body' },
  { name: 'said to be nearly JSON', body: () => GOOD, headers: typed('application/jsonx'), names: 'body' },
  { name: 'said to be a patch', body: () => GOOD, headers: typed('application/json-patch+json'), names: 'body' },
  { name: 'said to be two things', body: () => GOOD, headers: typed('application/json, text/plain'), names: 'body' },
  { name: 'said to be nonsense', body: () => GOOD, headers: typed(';;;'), names: 'body' },
  { name: 'said to be nothing', body: () => GOOD, headers: typed(' '), names: 'body' },
  {
    name: 'said in ten thousand letters',
    body: () => GOOD,
    headers: typed(`application/${'x'.repeat(10_000)}`),
    names: 'body',
  },
];

/** Values of a flag, as JSON. Each is returned unchanged, or refused. */
export const PAYLOADS: readonly string[] = [
  '{"__proto__":{"polluted":true}}',
  '{"a":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}',
  '{"a":1,"a":2}',
  '{"toString":"x","valueOf":null,"hasOwnProperty":0,"toJSON":"x"}',
  '{"length":-1,"0":"zero","-1":"minus"}',
  '{"":"no name"," ":"a blank"}',
  '{"n":[0,-0,1e-320,1.7976931348623157e308,9007199254740991]}',
  '{"n":1e400}',
  '{"n":[-1e400]}',
  '{"t":"\\u0000"}',
  '{"t":"\\ud800"}',
  '{"\\u0000":1}',
  '{"t":"\\ud83d\\ude00 \\u202e \\u200d é e\\u0301 \\ufdfa \\uffff"}',
  `{"t":"${'x'.repeat(16_000)}"}`,
  `{"t":"${'x'.repeat(17_000)}"}`,
  `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`,
  `${'{"a":'.repeat(33)}{}${'}'.repeat(33)}`,
  `{"a":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
];
