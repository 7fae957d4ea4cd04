import { gzipSync } from 'node:zlib';
import type { Fault, TokenFault } from '../../packages/server/test/fake-providers/types.ts';

export const TOKEN_FAULTS: readonly TokenFault[] = [
  'nonce',
  'no_nonce',
  'audience',
  'two_audiences',
  'issuer',
  'foreign_key',
  'unknown_kid',
  'own_key',
  'no_signature',
  'none',
  'hs256',
  'hs256_secret',
  'expired',
  'not_yet',
  'no_subject',
  'tampered',
  'garbage',
  'missing',
];

const now = () => Math.floor(Date.now() / 1000);

/** Wrong claims, signed with the key of the provider. */
export const CLAIMS: readonly [string, (client_id: string) => Record<string, unknown>][] = [
  ['a subject that is empty', () => ({ sub: '' })],
  ['a subject that is a list', () => ({ sub: ['a'] })],
  ['a subject that is an object', () => ({ sub: {} })],
  ['a subject with NUL', () => ({ sub: 'a\u0000b' })],
  ['a subject that looks like another', () => ({ sub: '１２３' })],
  ['a subject of 256 characters', () => ({ sub: 'x'.repeat(256) })],
  ['an empty audience', () => ({ aud: [] })],
  ['an audience that is null', () => ({ aud: null })],
  ['several audiences and no party', (client_id) => ({ aud: [client_id, 'another'], azp: undefined })],
  ['several audiences and another party', (client_id) => ({ aud: [client_id, 'another'], azp: 'another' })],
  ['one audience and another party', () => ({ azp: 'another' })],
  ['one audience and a party that is a list', (client_id) => ({ azp: [client_id] })],
  ['an audience that only begins alike', (client_id) => ({ aud: `${client_id}-2` })],
  ['an audience in capitals', (client_id) => ({ aud: client_id.toUpperCase() })],
  ['an audience with a blank', (client_id) => ({ aud: `${client_id} ` })],
  ['no audience', () => ({ aud: undefined })],
  ['no issuer', () => ({ iss: undefined })],
  ['an issuer with a slash more', () => ({ iss: 'http://127.0.0.1/' })],
  ['the issuer of the real one', () => ({ iss: 'https://accounts.google.com' })],
  ['an issuer that is a list', () => ({ iss: ['https://accounts.google.com'] })],
  ['no end', () => ({ exp: undefined })],
  ['an end that is a text', () => ({ exp: '9999999999' })],
  ['an end that is over since an hour', () => ({ exp: now() - 3600 })],
  ['an end before the world began', () => ({ exp: -1 })],
  ['no beginning', () => ({ iat: undefined })],
  ['good from tomorrow', () => ({ nbf: now() + 86_400 })],
  ['a nonce that is a list', () => ({ nonce: [''] })],
  ['a nonce that is empty', () => ({ nonce: '' })],
  ['a nonce that is null', () => ({ nonce: null })],
];

const ANOTHER = '11111111-2222-4333-8444-555555555555';

/** Microsoft only: a missing or malformed tenant, or one of another issuer. */
export const TENANTS: readonly [string, Record<string, unknown>][] = [
  ['another tenant than that of the issuer', { tid: ANOTHER }],
  ['no tenant', { tid: undefined }],
  ['a tenant that is empty', { tid: '' }],
  ['a tenant that is a list', { tid: [ANOTHER] }],
  ['a tenant in capitals', { tid: ANOTHER.toUpperCase() }],
  ['the name of all tenants', { tid: 'common' }],
  ['the placeholder', { tid: '{tenantid}' }],
  ['a path', { tid: '../../evil' }],
  ['a tenant with something behind it', { tid: `${ANOTHER}/v2.0` }],
];

const BOMB = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '));

/** Responses of a broken or hijacked endpoint. `elsewhere` is an address in the internal network. */
export const answersFor = (elsewhere: string): readonly [string, Fault['how']][] => [
  ['two megabytes', 'huge'],
  ['a redirect to itself', 'redirect'],
  ['JSON that ends early', 'broken_json'],
  ['null', 'not_object'],
  ['a connection that breaks', 'reset'],
  ['a refusal', 'error'],
  ['404', 404],
  ['429', 429],
  ['500', 500],
  ...[301, 302, 303, 307, 308].map((status): [string, Fault['how']] => [
    `${status} into the network`,
    { status, headers: { location: elsewhere }, body: {} },
  ]),
  [
    'a redirect to the metadata of a cloud',
    { status: 307, headers: { location: 'http://169.254.169.254/latest/meta-data/' }, body: {} },
  ],
  ['a redirect to a file', { status: 302, headers: { location: 'file:///etc/passwd' }, body: {} }],
  ['a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<script>alert(1)</script>' }],
  ['nothing', { status: 200, body: '' }],
  ['204', { status: 204, body: '' }],
  ['a number', { status: 200, body: '1e999' }],
  ['lists within lists', { status: 200, body: '['.repeat(100_000) }],
  ['an object by prototype', { status: 200, body: '{"__proto__":{"id":1,"sub":"x","access_token":"x"}}' }],
  ['eight megabytes, compressed', { status: 200, headers: { 'content-encoding': 'gzip' }, body: BOMB }],
  ['a gzip header, but no gzip', { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }],
];

export const WRONG_IDS: readonly [string, unknown][] = [
  ['none', undefined],
  ['null', null],
  ['empty', ''],
  ['a list', [1]],
  ['an object', { id: 1 }],
  ['true', true],
  ['not an integer', 1.5],
  ['a number that is not exact', 2 ** 53 + 2],
  ['NUL', 'a\u0000'],
  ['a look-alike', '１２'],
  ['300 digits', '1'.repeat(300)],
];

/** Values of `error` and related fields, as sent by a provider or by a client that forged the callback. */
export const ERRORS_WITH_MARKUP: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "javascript:alert('1')",
  'access_denied<b>',
  'x\r\nSet-Cookie: service_at=evil',
  'x\u0000y',
  '\ud83d\ude00',
  '%3Cscript%3E',
  '//evil.example/',
  `x${'y'.repeat(3000)}`,
];
