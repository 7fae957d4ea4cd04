import type { VectorFile, VectorRequest } from './format.ts';
import { accepted, claimsOf, KEY, NEXT_KEY, publicJwk, refused, signToken, UNPUBLISHED_KEY } from './sign.ts';
import { check, createPolls, scenario } from './timeline.ts';

const INVALID = refused('token_invalid');
const UNAVAILABLE = refused('service_unreachable');

const TOKEN = signToken();
const NEXT_TOKEN = signToken(claimsOf(), { key: NEXT_KEY });
const UNKNOWN_TOKEN = signToken(claimsOf(), { key: UNPUBLISHED_KEY });

const PATH = '/.well-known/jwks.json';
const keySet = (at: number, key_set: string, tag?: string): VectorRequest => ({
  at,
  path: PATH,
  ...(tag !== undefined && { if_none_match: `W/"${tag}"` }),
  response: { status: 200, headers: { etag: `W/"${key_set}"` }, key_set },
});
const unchanged = (at: number, tag: string): VectorRequest => ({
  at,
  path: PATH,
  if_none_match: `W/"${tag}"`,
  response: { status: 304, headers: { etag: `W/"${tag}"` } },
});
const failed = (at: number, tag?: string): VectorRequest => ({
  at,
  path: PATH,
  ...(tag !== undefined && { if_none_match: `W/"${tag}"` }),
  response: null,
});

export const keys: VectorFile = {
  about: 'The key set over time: new keys, removed keys, unknown keys, failures.',
  key_sets: {
    first: { keys: [publicJwk(KEY)] },
    both: { keys: [publicJwk(KEY), publicJwk(NEXT_KEY)] },
    next: { keys: [publicJwk(NEXT_KEY)] },
    replaced: { keys: [publicJwk(NEXT_KEY, { kid: KEY })] },
  },
  scenarios: [
    scenario('a new key is fetched when a token names it, 5 seconds after the last request', {
      requests: { keys: [keySet(0, 'first'), keySet(5_000, 'both', 'first')] },
      polls: createPolls().feed().unchanged(2),
      checks: [
        check(1_000, 'too soon', NEXT_TOKEN, INVALID),
        check(4_999, 'too soon', NEXT_TOKEN, INVALID),
        check(5_000, 'the key set is requested', NEXT_TOKEN, accepted()),
        check(5_000, 'the old key', TOKEN, accepted()),
      ],
    }),
    scenario('unknown key ids cause at most one request in 5 seconds', {
      requests: { keys: [keySet(0, 'first'), unchanged(5_000, 'first'), unchanged(10_000, 'first')] },
      polls: createPolls().feed().unchanged(5),
      checks: [
        check(5_000, 'a request', UNKNOWN_TOKEN, INVALID),
        check(6_000, 'no request', UNKNOWN_TOKEN, INVALID),
        check(9_000, 'no request', NEXT_TOKEN, INVALID),
        check(10_000, 'a request', NEXT_TOKEN, INVALID),
        check(10_000, 'a known key', TOKEN, accepted()),
      ],
    }),
    scenario('a removed key is noticed within a minute', {
      requests: { keys: [keySet(0, 'both'), keySet(60_000, 'next', 'both')] },
      polls: createPolls().feed().unchanged(30),
      checks: [
        check(0, 'the key is published', TOKEN, accepted()),
        check(59_000, 'not noticed yet', TOKEN, accepted()),
        check(60_000, 'the key is no longer published', TOKEN, INVALID),
        check(60_000, 'another key', NEXT_TOKEN, accepted()),
      ],
    }),
    scenario('another key under a known key id replaces it', {
      requests: { keys: [keySet(0, 'first'), keySet(5_000, 'replaced', 'first')] },
      polls: createPolls().feed().unchanged(2),
      checks: [
        check(0, 'the first key', TOKEN, accepted()),
        check(5_000, 'an unknown key id causes a request', UNKNOWN_TOKEN, INVALID),
        check(5_000, 'signed with the replaced key', TOKEN, INVALID),
        check(
          5_000,
          'signed with the new key',
          signToken(claimsOf(), { key: NEXT_KEY, header: { kid: KEY } }),
          accepted(),
        ),
      ],
    }),
    scenario('the key set cannot be fetched at the start', {
      ready: false,
      requests: { keys: [failed(0), failed(1_000), keySet(2_500, 'first')] },
      polls: createPolls().feed().unchanged(),
      checks: [
        check(500, 'no request within a second', TOKEN, UNAVAILABLE),
        check(1_000, 'a request that fails', TOKEN, UNAVAILABLE),
        check(1_500, 'no request within a second', TOKEN, UNAVAILABLE),
        check(2_500, 'a request', TOKEN, accepted()),
      ],
    }),
    scenario('without tokens, a failed request is repeated after 5 seconds', {
      ready: false,
      requests: { keys: [failed(0), keySet(5_000, 'first')] },
      polls: createPolls().feed().unchanged(2),
      checks: [check(5_000, 'the key set is known', TOKEN, accepted())],
    }),
    scenario('known keys stay valid while the key set cannot be fetched', {
      requests: { keys: [keySet(0, 'first'), failed(5_000, 'first')] },
      polls: createPolls().feed().unchanged(2),
      checks: [
        check(5_000, 'an unknown key', NEXT_TOKEN, UNAVAILABLE),
        check(5_000, 'a known key', TOKEN, accepted()),
        check(5_250, 'an unknown key, without a request', NEXT_TOKEN, UNAVAILABLE),
      ],
    }),
    scenario('a response without a list of keys is a failure', {
      requests: {
        keys: [
          keySet(0, 'first'),
          { at: 5_000, path: PATH, if_none_match: 'W/"first"', response: { status: 200, body: { keys: {} } } },
        ],
      },
      polls: createPolls().feed().unchanged(2),
      checks: [check(5_000, 'an unknown key', NEXT_TOKEN, UNAVAILABLE), check(5_000, 'a known key', TOKEN, accepted())],
    }),
  ],
};
