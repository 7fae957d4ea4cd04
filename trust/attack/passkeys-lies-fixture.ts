import { randomBytes } from 'node:crypto';
import { authData, FLAGS, sha256, USUAL } from './passkeys-fixture.ts';

/** Wrong client data, signed with the victim's key, as on a phishing page. */
export const CLIENTS: readonly [string, object][] = [
  ['another port', { origin: 'http://localhost:8081' }],
  ['no port', { origin: 'http://localhost' }],
  ['https', { origin: 'https://localhost:8080' }],
  ['a subdomain of the host', { origin: 'http://evil.localhost:8080' }],
  ['a parent domain of the host', { origin: 'http://host:8080' }],
  ['a host that begins like the right one', { origin: 'http://localhost.evil.example:8080' }],
  ['a host that ends like the right one', { origin: 'http://evillocalhost:8080' }],
  ['our address by number', { origin: 'http://127.0.0.1:8080' }],
  ['capitals', { origin: 'HTTP://LOCALHOST:8080' }],
  ['a look-alike', { origin: 'http://l\u043ecalhost:8080' }],
  ['full width', { origin: 'http://\uff4cocalhost:8080' }],
  ['a slash behind it', { origin: 'http://localhost:8080/' }],
  ['a path behind it', { origin: 'http://localhost:8080/evil' }],
  ['a name before it', { origin: 'http://localhost:8080@evil.example' }],
  ['a blank behind it', { origin: 'http://localhost:8080 ' }],
  ['NUL behind it', { origin: 'http://localhost:8080\u0000' }],
  ['an app', { origin: 'android:apk-key-hash:AAAA' }],
  ['null, as of a frame without rights', { origin: 'null' }],
  ['nothing', { origin: '' }],
  ['no origin', { origin: undefined }],
  ['an origin that is a list', { origin: ['http://localhost:8080'] }],
  ['an origin that is an object', { origin: { toString: 'http://localhost:8080' } }],
  ['the other ceremony', { type: 'webauthn.create' }],
  ['a payment', { type: 'payment.get' }],
  ['the type in capitals', { type: 'WEBAUTHN.GET' }],
  ['no type', { type: undefined }],
  ['a type that is a list', { type: ['webauthn.get'] }],
  ['inside another page', { crossOrigin: true }],
  ['inside another page, as text', { crossOrigin: 'false' }],
  ['inside a page of another origin', { topOrigin: 'https://evil.example' }],
  ['cross-origin with the own top origin', { crossOrigin: true, topOrigin: 'http://localhost:8080' }],
  ['a token binding that is a text', { tokenBinding: 'present' }],
  ['a token binding of its own kind', { tokenBinding: { status: 'evil' } }],
];

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Wrong authenticator data, signed with the victim's key, too. */
export const DATA: readonly [string, Buffer][] = [
  ['another relying party', authData({ rpIdHash: sha256('evil.example') })],
  ['a relying party on the parent domain', authData({ rpIdHash: sha256('host') })],
  ['a relying party on a subdomain', authData({ rpIdHash: sha256('evil.localhost') })],
  ['a relying party with its port', authData({ rpIdHash: sha256('localhost:8080') })],
  ['a relying party in capitals', authData({ rpIdHash: sha256('LOCALHOST') })],
  ['a relying party by its number', authData({ rpIdHash: sha256('127.0.0.1') })],
  ['a relying party of zeros', authData({ rpIdHash: Buffer.alloc(32) })],
  ['neither user presence nor user verification', authData({ flags: 0 })],
  ['without user presence', authData({ flags: FLAGS.uv })],
  ['without user verification', authData({ flags: FLAGS.up })],
  ['a backup that cannot be', authData({ flags: USUAL | FLAGS.bs })],
  ['a credential inside, and there is none', authData({ flags: USUAL | FLAGS.at })],
  ['a credential inside that is cut off', authData({ flags: USUAL | FLAGS.at, rest: Buffer.alloc(18, 255) })],
  ['a credential inside longer than all', authData({ flags: USUAL | FLAGS.at, rest: Buffer.alloc(40, 255) })],
  ['extensions, and there are none', authData({ flags: USUAL | FLAGS.ed })],
  ['extensions that are cut off', authData({ flags: USUAL | FLAGS.ed, rest: hex('a161') })],
  ['extensions without end', authData({ flags: USUAL | FLAGS.ed, rest: hex('bbffffffffffffffff') })],
  ['extensions of no length', authData({ flags: USUAL | FLAGS.ed, rest: hex('bf6161') })],
  ['extensions within extensions', authData({ flags: USUAL | FLAGS.ed, rest: Buffer.alloc(3000, 0x81) })],
  ['tags within tags', authData({ flags: USUAL | FLAGS.ed, rest: Buffer.alloc(3000, 0xc1) })],
  ['text longer than all', authData({ flags: USUAL | FLAGS.ed, rest: hex('7bffffffffffffffff') })],
  ['bytes left over', authData({ rest: Buffer.alloc(5) })],
  ['bytes left over behind extensions', authData({ flags: USUAL | FLAGS.ed, rest: hex('a000') })],
  ['36 bytes', authData().subarray(0, 36)],
  ['32 bytes', authData().subarray(0, 32)],
  ['one byte', Buffer.of(1)],
];

/** Modifications of a valid signature. */
export const SIGNATURES: readonly [string, (right: Buffer) => Buffer][] = [
  ['one bit', (right) => Buffer.from(right).fill(right[20]! ^ 1, 20, 21)],
  ['the last byte cut off', (right) => right.subarray(0, -1)],
  ['a byte more', (right) => Buffer.concat([right, Buffer.of(0)])],
  ['backwards', (right) => Buffer.from(right).reverse()],
  ['zeros', () => hex('3006020100020100')],
  ['ones', () => hex('3006020101020101')],
  ['a number without end', () => hex('3084ffffffff')],
  ['noise', () => randomBytes(70)],
  ['a single byte', () => Buffer.of(0x30)],
];

/** Malformed client data with a valid signature. */
export const BROKEN_CLIENTS: readonly [string, (client: Buffer) => Buffer][] = [
  ['a byte order mark before it', (client) => Buffer.concat([hex('efbbbf'), client])],
  ['not JSON', () => Buffer.from('{')],
  ['null', () => Buffer.from('null')],
  ['a list', (client) => Buffer.from(`[${client}]`)],
  ['a text', () => Buffer.from('"x"')],
  ['broken UTF-8', () => hex('fffe7b7d')],
  ['UTF-16', (client) => Buffer.from(client.toString(), 'utf16le')],
  ['two of them', (client) => Buffer.from(`${client}${client}`)],
  ['something behind it', (client) => Buffer.from(`${client}x`)],
  ['lists within lists', () => Buffer.from('['.repeat(4000))],
  ['half a megabyte', (client) => Buffer.from(`${client}${' '.repeat(400_000)}`)],
];
