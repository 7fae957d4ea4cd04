import type { VectorCheck, VectorFile } from './format.ts';
import {
  ADA,
  APPLICATION_KEY,
  AUDIENCE,
  accepted,
  acceptedGrant,
  apiKeyOf,
  type Claims,
  claimsOf,
  encode,
  ISSUER,
  KEY,
  NEXT_KEY,
  publicJwk,
  refused,
  SECOND,
  SMALL_KEY,
  START,
  signGrant,
  signToken,
  signWithPublicKey,
  UNPUBLISHED_KEY,
} from './sign.ts';
import { check, createPolls, oneKeyRequest, scenario } from './timeline.ts';

const KEY_SETS = {
  first: {
    keys: [
      publicJwk(KEY),
      publicJwk(SMALL_KEY),
      publicJwk(NEXT_KEY, { use: 'enc', kid: 'key-for-encryption' }),
      publicJwk(NEXT_KEY, { alg: 'RS512', kid: 'key-for-rs512' }),
      { kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256', kid: 'ec-key', x: 'AA', y: 'AA' },
      { kty: 'RSA', use: 'sig', alg: 'RS256', kid: 'incomplete-key', e: 'AQAB' },
      null,
    ],
  },
  applications: { keys: [publicJwk(APPLICATION_KEY)] },
};

const good = (about: string, changes: Claims = {}): VectorCheck =>
  check(0, about, signToken(claimsOf(changes)), accepted(changes));

const bad = (about: string, token: string, code = 'token_invalid'): VectorCheck =>
  check(0, about, token, refused(code));

const badClaims = (about: string, changes: Claims): VectorCheck => bad(about, signToken(claimsOf(changes)));

function tokenOfLength(length: number): string {
  for (let pad = length / 2; ; pad++) {
    const payload = claimsOf({ pad: 'x'.repeat(pad) });
    const expected = encode({ alg: 'RS256', typ: 'JWT', kid: KEY }).length + encode(payload).length + 342 + 2;
    if (expected >= length) return signToken(payload);
  }
}

const VALID = signToken();
const [HEADER, PAYLOAD, SIGNATURE] = VALID.split('.') as [string, string, string];
const textWith = (changes: string): string => JSON.stringify(claimsOf()).replace(/\}$/, `,${changes}}`);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Returns base64url text that decodes to the same bytes, but has stray bits in its last character. */
const withStrayBits = (signature: string): string =>
  signature.slice(0, -1) + ALPHABET[ALPHABET.indexOf(signature.at(-1)!) + 1];

const header = (authorization: string | null, about: string, verdict = refused('token_missing')): VectorCheck => ({
  about,
  at: 0,
  authorization,
  verdict,
});

const HEADERS = [
  header(null, 'no Authorization header'),
  header('', 'an empty Authorization header'),
  header('Basic YTpi', 'another scheme'),
  header('Bearer', 'no token'),
  header('Bearer ', 'no token after a space'),
  header(`Bearer\t${VALID}`, 'a tab instead of a space'),
  header(`Bearer ${VALID} x`, 'two tokens'),
  header(`Bearer${VALID}`, 'no space'),
  header(`bearer ${VALID}`, 'the scheme in lower case', accepted()),
  header(`BEARER   ${VALID}  `, 'several spaces', accepted()),
];

const ACCEPTED = [
  good('a token with all claims'),
  good('a token without an email', { email: undefined, email_verified: undefined }),
  good('an email that is not verified', { email_verified: false }),
  good('email_verified without email', { email: undefined }),
  good('a token of a service before 0.2', {
    email_verified: undefined,
    role: undefined,
    perms: undefined,
    perms_at: undefined,
  }),
  good('no permissions', { perms: [] }),
  good('permissions that were omitted', { perms: undefined, perms_omitted: true }),
  good('perms_omitted takes precedence over perms', { perms_omitted: true }),
  good('values of a later version', { auth_method: 'magic', role: 'auditor', aal: 'aal2' }),
  good('unknown claims are ignored', { color: { of: ['the', 'sky'] } }),
  good('ids in upper case are returned in lower case', { sub: ADA.sub.toUpperCase(), sid: ADA.sid.toUpperCase() }),
  good('the token of a machine', {
    email: undefined,
    email_verified: undefined,
    auth_method: 'api_key',
    role: 'machine',
    scope: 'invoices.read  members.list',
  }),
  good('an empty scope', { scope: '' }),
  good('issued 65 seconds from now', { iat: SECOND + 65 }),
  good('expires in one second', { exp: SECOND + 1 }),
  good('expires at the end of the year 9999', { exp: 253_402_300_799 }),
  check(0, 'another header typ', signToken(claimsOf(), { header: { typ: 'at+jwt' } }), accepted()),
  check(0, 'no header typ', signToken(claimsOf(), { header: { typ: undefined } }), accepted()),
  check(0, 'a number in an unknown claim that exceeds a double', signToken(textWith('"color":1E400')), accepted()),
  check(0, 'an integer with a fraction of zero', signToken(textWith(`"iat":${SECOND - 60}.0`)), accepted()),
  check(0, 'the last of two claims of one name counts', signToken(textWith('"aal":"aal2"')), accepted({ aal: 'aal2' })),
  check(0, 'a token of 4096 characters', tokenOfLength(4096), accepted()),
];

const MALFORMED = [
  bad('a word', 'token'),
  bad('two parts', `${HEADER}.${PAYLOAD}`),
  bad('four parts', `${VALID}.${SIGNATURE}`),
  bad('an empty signature', `${HEADER}.${PAYLOAD}.`),
  bad('base64 with padding', `${VALID}==`),
  bad('base64 instead of base64url', `${HEADER}.${PAYLOAD}.${SIGNATURE.replace(/^./, '+')}`),
  bad('a part with a length that is impossible in base64', `${HEADER}.${PAYLOAD}.${SIGNATURE.slice(0, -1)}`),
  bad('stray bits in the last character of the signature', `${HEADER}.${PAYLOAD}.${withStrayBits(SIGNATURE)}`),
  bad('more than 4096 characters', tokenOfLength(4097)),
  bad('a header that is not JSON', `${encode('x')}.${PAYLOAD}.${SIGNATURE}`),
  bad('a header that is a list', `${encode([])}.${PAYLOAD}.${SIGNATURE}`),
  bad('a header nested deeply', `${encode('['.repeat(2_000))}.${PAYLOAD}.${SIGNATURE}`),
  bad('a payload that is not JSON', signToken('{')),
  bad('a payload that is null', signToken('null')),
  bad('a payload that is a list', signToken([])),
  bad('a payload that is a string', signToken('"x"')),
  bad('a payload with NaN', signToken(textWith('"color":NaN'))),
  bad('a payload with Infinity', signToken(textWith('"color":-Infinity'))),
  bad('a payload that begins with a byte order mark', signToken(`\ufeff${textWith('"color":1')}`)),
  bad('a payload that is not UTF-8', signToken(Buffer.from(textWith('"color":"\xff"'), 'latin1'))),
];

const FORGED = [
  bad('no algorithm', `${encode({ alg: 'none', kid: KEY })}.${PAYLOAD}.${SIGNATURE}`),
  bad('HS256 with the public key as secret', signWithPublicKey()),
  bad('another RSA algorithm', signToken(claimsOf(), { header: { alg: 'RS384' } })),
  bad('an algorithm in lower case', signToken(claimsOf(), { header: { alg: 'rs256' } })),
  bad('a changed payload', `${HEADER}.${encode(claimsOf({ aal: 'aal2' }))}.${SIGNATURE}`),
  bad('a changed header', `${encode({ alg: 'RS256', kid: KEY })}.${PAYLOAD}.${SIGNATURE}`),
  bad('another key under a known kid', signToken(claimsOf(), { key: NEXT_KEY, header: { kid: KEY } })),
  bad('an unknown kid', signToken(claimsOf(), { key: NEXT_KEY })),
  bad('no kid', signToken(claimsOf(), { header: { kid: undefined } })),
  bad('a kid that is a number', signToken(claimsOf(), { header: { kid: 1 } })),
  bad(
    'a kid that is a property of every object in JavaScript',
    signToken(claimsOf(), { header: { kid: '__proto__' } }),
  ),
  bad(
    'a token with its own public key in the header',
    signToken(claimsOf(), { key: NEXT_KEY, header: { kid: KEY, jwk: publicJwk(NEXT_KEY) } }),
  ),
  bad('a critical extension', signToken(claimsOf(), { header: { crit: ['b64'], b64: true } })),
  bad('a member crit that is null', signToken(claimsOf(), { header: { crit: null } })),
  bad('a key of 1024 bits', signToken(claimsOf(), { key: SMALL_KEY })),
  bad('a key for encryption', signToken(claimsOf(), { key: NEXT_KEY, header: { kid: 'key-for-encryption' } })),
  bad('a key for another algorithm', signToken(claimsOf(), { key: NEXT_KEY, header: { kid: 'key-for-rs512' } })),
  bad('a key that is not an RSA key', signToken(claimsOf(), { header: { kid: 'ec-key' } })),
];

const OTHER_TOKENS = [
  badClaims('a refresh token', { typ: 'refresh' }),
  badClaims('an MFA token', { typ: 'mfa' }),
  badClaims('no typ', { typ: undefined }),
  badClaims('another issuer', { iss: 'https://id.example.net' }),
  badClaims('the issuer with a slash', { iss: `${ISSUER}/` }),
  badClaims('no issuer', { iss: undefined }),
  badClaims('an audience', { aud: AUDIENCE }),
  badClaims('an audience that is null', { aud: null }),
  badClaims('nbf', { nbf: SECOND - 60 }),
  badClaims('nbf that is null', { nbf: null }),
  bad('a restricted session: key not published', signToken(claimsOf({ aud: ISSUER }), { key: UNPUBLISHED_KEY })),
  badClaims('a restricted session, if its key were published', { aud: ISSUER }),
  bad('a token of an application', signGrant()),
];

const INVALID: readonly (readonly [string, readonly unknown[]])[] = [
  ['sub', [undefined, null, 1, '', 'ada', `{${ADA.sub}}`, `${ADA.sub}\n`, ADA.sub.replaceAll('-', '')]],
  ['org', [undefined, null, 'acme']],
  ['sid', [undefined, 'x']],
  ['jti', [undefined, 'x']],
  ['email', [null, 1, ['ada@example.com']]],
  ['email_verified', [null, 'true', 1]],
  ['aal', [undefined, 'aal3', 'AAL1', 2]],
  ['auth_method', [undefined, '', null]],
  ['auth_time', [undefined, null, String(SECOND), -1, SECOND + 0.5, 8_640_000_000_001, true]],
  ['iat', [undefined, null, 2 ** 53, String(SECOND), -1, 0.5, true]],
  ['exp', [undefined, null, String(SECOND + 60), 8_640_000_000_001, SECOND + 0.5, true]],
  ['role', [null, '', 1]],
  ['perms', [null, 'invoices.read', {}, ['invoices.read', 1], ['']]],
  ['perms_omitted', [null, false, 1]],
  ['perms_at', [null, -1, START + 0.5, String(START), 2 ** 53, true]],
  ['scope', [null, 1, ['invoices.read']]],
];

const CLAIMS = INVALID.flatMap(([name, values]) =>
  values.map((value) =>
    badClaims(`${name}: ${value === undefined ? 'absent' : JSON.stringify(value)}`, { [name]: value }),
  ),
);

const TIMES = [
  bad('expired 5 seconds ago', signToken(claimsOf({ exp: SECOND - 5 })), 'token_expired'),
  bad('expired long ago', signToken(claimsOf({ iat: 0, exp: 900 })), 'token_expired'),
  badClaims('issued 66 seconds from now', { iat: SECOND + 66 }),
  bad(
    'expired, and the signature is not checked',
    `${HEADER}.${encode(claimsOf({ exp: SECOND - 60 }))}.${SIGNATURE}`,
    'token_expired',
  ),
  bad('expired, and not of this issuer', signToken(claimsOf({ iss: 'x', exp: SECOND - 60 }))),
];

/** The service's clock is 10 seconds behind the verifier's. */
const SKEWED = [
  good('expired 4 seconds ago by the clock of the verifier', { exp: SECOND - 4 }),
  bad('expired 5 seconds ago by the clock of the verifier', signToken(claimsOf({ exp: SECOND - 5 })), 'token_expired'),
];

const goodGrant = (about: string, changes: Claims = {}): VectorCheck =>
  check(0, about, signGrant(changes), acceptedGrant(changes));
const badGrant = (about: string, changes: Claims, header: Claims = {}): VectorCheck =>
  bad(about, signGrant(changes, header));

const GRANTS = [
  goodGrant('a token of an application'),
  goodGrant('only standard scopes', { scope: 'openid profile email organization offline_access' }),
  goodGrant('an empty scope', { scope: '' }),
  goodGrant('aal2', { acr: 'aal2' }),
  goodGrant('claims of a session are ignored', { role: 'owner', perms: ['invoices.write'], email: 'ada@example.com' }),
  badGrant('another audience', { aud: 'https://other.example.com' }),
  badGrant('the audience with a slash', { aud: `${AUDIENCE}/` }),
  badGrant('a list of audiences', { aud: [AUDIENCE] }),
  badGrant('no audience', { aud: undefined }),
  badGrant('the issuer of sessions', { iss: ISSUER }),
  badGrant('a typ in the payload', { typ: 'access' }),
  badGrant('nbf', { nbf: SECOND - 60 }),
  badGrant('the header typ JWT', {}, { typ: 'JWT' }),
  badGrant('the header typ in upper case', {}, { typ: 'AT+JWT' }),
  badGrant('no header typ', {}, { typ: undefined }),
  badGrant('no scope', { scope: undefined }),
  badGrant('no client_id', { client_id: undefined }),
  badGrant('an empty client_id', { client_id: '' }),
  badGrant('no acr', { acr: undefined }),
  badGrant('no sid', { sid: undefined }),
  bad('an ID token', signGrant({ aud: 'client-of-the-vectors' }, { typ: 'JWT' })),
  bad('a token of a session', signToken()),
  bad('an API key, which is not exchanged', apiKeyOf('machine')),
];

export const tokens: VectorFile = {
  about: 'Single tokens, at one time, with an empty feed: format, signature, claims, times.',
  key_sets: KEY_SETS,
  scenarios: [
    scenario('the Authorization header', { checks: HEADERS }),
    scenario('accepted tokens', { checks: ACCEPTED }),
    scenario('malformed tokens', { checks: MALFORMED }),
    scenario('forged tokens', { checks: FORGED }),
    scenario('other tokens of the service', { checks: OTHER_TOKENS }),
    scenario('invalid claims', { checks: CLAIMS }),
    scenario('times', { checks: TIMES }),
    scenario('the clock of the service is behind', {
      polls: createPolls().feed({}, { clock: -10_000 }),
      checks: SKEWED,
    }),
    scenario('tokens of applications', {
      options: { audience: AUDIENCE },
      requests: { keys: oneKeyRequest('applications', '/oauth/jwks.json') },
      checks: GRANTS,
    }),
  ],
};
