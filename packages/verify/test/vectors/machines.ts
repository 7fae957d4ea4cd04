import type { VectorFile, VectorRequest, VectorResponse } from './format.ts';
import {
  ADA,
  accepted,
  apiKeyOf,
  type Claims,
  claimsOf,
  KEY,
  publicJwk,
  refused,
  SECOND,
  START,
  sha256,
  signToken,
  uuidOf,
} from './sign.ts';
import { basic, check, createPolls, scenario, time } from './timeline.ts';

const INVALID = refused('token_invalid');
const UNAVAILABLE = refused('service_unreachable');

const API_KEY = apiKeyOf('machine');
const OTHER_KEY = apiKeyOf('other machine');

const secondOf = (at: number): number => SECOND + Math.floor(at / 1000);

/** The claims of a token that a key is exchanged for at this time. */
const machine = (at: number, changes: Claims = {}): Claims => ({
  sub: uuidOf('service account'),
  sid: uuidOf('session of the key'),
  jti: uuidOf(`token of the key, ${at}`),
  email: undefined,
  email_verified: undefined,
  auth_method: 'api_key',
  role: 'machine',
  scope: 'invoices.read',
  auth_time: secondOf(at),
  iat: secondOf(at),
  exp: secondOf(at) + 300,
  perms_at: START + at,
  ...changes,
});

const exchange = (at: number, response: VectorResponse | null, key = API_KEY): VectorRequest => ({
  at,
  path: '/oauth/token',
  authorization: basic(key),
  form: 'grant_type=client_credentials',
  response,
});
const granted = (claims: Claims, expires_in: unknown = 300): VectorResponse => ({
  status: 200,
  body: { access_token: signToken(claimsOf(claims)), token_type: 'Bearer', expires_in, scope: claims.scope },
});
const DENIED: VectorResponse = { status: 401, body: { error: 'invalid_client' } };

const ofKey = (at: number, about: string, verdict = INVALID, key = API_KEY) => check(at, about, key, verdict);
const asMachine = (at: number, changes: Claims = {}) => accepted(machine(at, changes));

const MALFORMED = [
  ['the last character changed', API_KEY.slice(0, -1) + (API_KEY.endsWith('0') ? '1' : '0')],
  ['a character of the secret changed', API_KEY.replace(/.(?=.{20}$)/, (character) => (character === 'a' ? 'b' : 'a'))],
  ['cut off', API_KEY.slice(0, -1)],
  ['a character too many', `${API_KEY}0`],
  ['only the prefix', API_KEY.slice(0, 16)],
  ['only the first four characters', 'gth_'],
  ['a character that is not base62', API_KEY.replace(/.(?=.{30}$)/, '-')],
] as const;

const rejections: readonly (readonly [string, VectorResponse | null, number])[] = [
  ['a key that the service rejects is not sent again for 5 seconds', DENIED, 5_000],
  ['a response 400', { status: 400, body: { error: 'invalid_request' } }, 5_000],
];
const failures: readonly (readonly [string, VectorResponse | null])[] = [
  ['a connection that fails', null],
  ['status 500', { status: 500 }],
  ['status 429', { status: 429 }],
  ['status 408', { status: 408 }],
  ['status 302', { status: 302, headers: { location: 'https://other.example.com' } }],
  ['a body that is not JSON', { status: 200, text: 'x' }],
  ['no token', { status: 200, body: { expires_in: 300 } }],
  ['a lifetime of 0', granted(machine(0), 0)],
  ['a lifetime of more than an hour', granted(machine(0), 3_601)],
  ['a lifetime that is a string', granted(machine(0), '300')],
];

export const machines: VectorFile = {
  about: 'API keys: checksum, exchange for an access token, renewal, rejection.',
  key_sets: { first: { keys: [publicJwk(KEY)] } },
  scenarios: [
    scenario('a mistyped key is rejected without a request', {
      checks: MALFORMED.map(([about, key]) => ofKey(0, about, INVALID, key)),
    }),
    scenario('a key is exchanged once', {
      requests: {
        exchange: [exchange(0, granted(machine(0))), exchange(0, granted(machine(0, { sid: uuidOf('b') })), OTHER_KEY)],
      },
      polls: createPolls().feed().unchanged(2),
      checks: [
        ofKey(0, 'exchanged', asMachine(0)),
        ofKey(0, 'kept', asMachine(0)),
        ofKey(0, 'another key', asMachine(0, { sid: uuidOf('b') }), OTHER_KEY),
        ofKey(5_000, 'kept', asMachine(0)),
        check(5_000, 'the token itself', signToken(claimsOf(machine(0))), asMachine(0)),
      ],
    }),
    scenario('a token is renewed when half of its lifetime, at most 30 seconds, is left', {
      requests: {
        exchange: [
          exchange(0, granted(machine(0), 10)),
          exchange(5_250, granted(machine(5_250), 10)),
          exchange(11_000, null),
          exchange(12_000, { status: 503 }),
          exchange(15_250, granted(machine(15_250), 10)),
        ],
      },
      polls: createPolls().feed().unchanged(7),
      checks: [
        ofKey(0, 'exchanged', asMachine(0)),
        ofKey(5_000, 'half of the lifetime is left', asMachine(0)),
        ofKey(5_250, 'less than half is left: the kept token is used, and another one requested', asMachine(0)),
        ofKey(5_500, 'the new token', asMachine(5_250)),
        ofKey(11_000, 'the renewal fails: the kept token is used', asMachine(5_250)),
        ofKey(11_500, 'no request within a second', asMachine(5_250)),
        ofKey(12_000, 'the renewal fails again', asMachine(5_250)),
        ofKey(15_250, 'the kept token has ended: exchanged', asMachine(15_250)),
      ],
    }),
    scenario('a revoked key', {
      requests: { exchange: [exchange(0, granted(machine(0))), exchange(2_000, DENIED)] },
      polls: createPolls()
        .feed()
        .feed({
          partial: true,
          revocations: [{ sid: machine(0).sid, revoked_at: time(1_000), expires_at: time(300_000) }],
        })
        .unchanged(),
      checks: [
        ofKey(0, 'exchanged', asMachine(0)),
        ofKey(2_000, 'the feed lists its session: the key is exchanged again, and rejected', INVALID),
        ofKey(4_000, 'no request within 5 seconds', INVALID),
      ],
    }),
    scenario('the roles of a machine change', {
      requests: {
        exchange: [
          exchange(0, granted(machine(0))),
          exchange(2_000, granted(machine(2_000, { scope: 'invoices.write' }))),
        ],
      },
      polls: createPolls()
        .feed()
        .feed({
          partial: true,
          refreshes: [
            { key: sha256(`${ADA.org}/${machine(0).sub}`), before: START + 1_000, expires_at: time(300_000) },
          ],
        })
        .unchanged(),
      checks: [
        ofKey(0, 'exchanged', asMachine(0)),
        ofKey(
          2_000,
          'the kept token is stale: the key is exchanged again',
          asMachine(2_000, { scope: 'invoices.write' }),
        ),
        ofKey(4_000, 'kept', asMachine(2_000, { scope: 'invoices.write' })),
        check(4_000, 'the stale token itself', signToken(claimsOf(machine(0))), refused('token_stale')),
      ],
    }),
    scenario('a key whose new token is rejected is not exchanged again for 5 seconds', {
      requests: {
        exchange: [
          exchange(0, granted(machine(0, { iss: 'https://id.example.net' }))),
          exchange(5_000, granted(machine(5_000))),
        ],
      },
      polls: createPolls().feed().unchanged(2),
      checks: [
        ofKey(0, 'the token has another issuer', INVALID),
        ofKey(4_000, 'no request', INVALID),
        ofKey(5_000, 'exchanged', asMachine(5_000)),
      ],
    }),
    ...rejections.map(([name, response, ms]) =>
      scenario(name, {
        requests: { exchange: [exchange(0, response), exchange(ms, granted(machine(ms)))] },
        polls: createPolls().feed().unchanged(2),
        checks: [
          ofKey(0, 'rejected', INVALID),
          ofKey(ms - 250, 'no request', INVALID),
          ofKey(ms, 'exchanged', asMachine(ms)),
        ],
      }),
    ),
    ...failures.map(([name, response]) =>
      scenario(`a failed exchange is repeated after a second: ${name}`, {
        requests: { exchange: [exchange(0, response), exchange(1_000, granted(machine(1_000)))] },
        checks: [
          ofKey(0, 'the exchange fails', UNAVAILABLE),
          ofKey(750, 'no request', UNAVAILABLE),
          ofKey(1_000, 'exchanged', asMachine(1_000)),
        ],
      }),
    ),
  ],
};
