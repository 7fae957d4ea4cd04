import type { Scenario, VectorFile, VectorResponse } from './format.ts';
import { ADA, accepted, claimsOf, KEY, publicJwk, refused, SECOND, START, signToken, uuidOf } from './sign.ts';
import { check, createPolls, scenario, time } from './timeline.ts';

const TOKEN = signToken();
/** Another session, which no feed lists. */
const OTHER = { sub: uuidOf('user grace'), sid: uuidOf('session of grace'), jti: uuidOf('token of grace') };
const OTHER_TOKEN = signToken(claimsOf(OTHER));

const REVOKED = refused('session_revoked');
const UNAVAILABLE = refused('service_unreachable');
const EXPIRED = refused('token_expired');

const revocation = (sid: string, { revoked = 0, expires = 840_000 } = {}) => ({
  sid,
  revoked_at: time(revoked),
  expires_at: time(expires),
});
const LISTED = { revocations: [revocation(ADA.sid)] };

const ofAda = (at: number, about: string, verdict = accepted()) => check(at, about, TOKEN, verdict);
const ofOther = (at: number, about: string, verdict = accepted(OTHER)) => check(at, about, OTHER_TOKEN, verdict);

const REVOCATIONS: readonly Scenario[] = [
  scenario('a session is refused from the poll that lists it', {
    polls: createPolls()
      .feed()
      .feed({ partial: true, ...LISTED })
      .unchanged()
      .feed({ partial: true }),
    checks: [
      ofAda(0, 'before the revocation'),
      ofAda(1_999, 'before the second poll'),
      ofAda(2_000, 'after the second poll', REVOKED),
      ofOther(2_000, 'another session'),
      ofAda(4_000, 'after a 304', REVOKED),
      ofAda(6_000, 'after a partial feed that does not list it again', REVOKED),
      ofOther(6_000, 'another session'),
    ],
  }),
  scenario('a full feed that lacks an entry does not remove it', {
    polls: createPolls().feed(LISTED).feed().unchanged(),
    checks: [
      ofAda(0, 'listed', REVOKED),
      ofAda(2_000, 'after the feed of a replica that does not know it yet', REVOKED),
      ofAda(4_000, 'after a 304', REVOKED),
    ],
  }),
  scenario('the id of a revoked session is compared without regard to case', {
    polls: createPolls().feed({ revocations: [revocation(ADA.sid.toUpperCase())] }),
    checks: [ofAda(0, 'listed in upper case', REVOKED), ofOther(0, 'another session')],
  }),
  scenario('a revoked session stays refused after it would have expired, for 5 minutes by both clocks', {
    polls: createPolls()
      .feed({ revocations: [revocation(ADA.sid, { expires: 10_000 })] })
      .resumeAt(601_000)
      .feed({ partial: true })
      .feed({ partial: true })
      .feed({ partial: true }),
    sleeps: [{ at: 1_000, ms: 600_000 }],
    checks: [
      ofAda(0, 'listed', REVOKED),
      ofAda(601_000, 'the last two feeds: one is from before the sleep', REVOKED),
      ofAda(603_000, 'both feeds are later than the end of the entry, and 5 minutes have passed'),
      ofAda(605_000, 'the entry is gone'),
    ],
  }),
  scenario('an entry is kept while the clock of the service says that it has not expired', {
    polls: createPolls()
      .feed({ revocations: [revocation(ADA.sid, { expires: 10_000 })] })
      .resumeAt(601_000)
      .feed({ partial: true }, { clock: -600_000 })
      .feed({ partial: true }, { clock: -600_000 })
      .feed({ partial: true }, { clock: -600_000 }),
    sleeps: [{ at: 1_000, ms: 600_000 }],
    checks: [
      ofAda(601_000, 'after the first feed', REVOKED),
      ofAda(603_000, 'after the second feed', REVOKED),
      ofAda(605_000, 'after the third feed', REVOKED),
    ],
  }),
  scenario('a token that has expired by the clock of the service is refused', {
    polls: createPolls()
      .feed({}, { clock: 900_000 })
      .feed({ partial: true }, { clock: 900_000 })
      .feed({ partial: true })
      .unchanged(),
    checks: [
      ofAda(0, 'one feed from a fast clock', EXPIRED),
      ofAda(2_000, 'two feeds from a fast clock', EXPIRED),
      ofAda(4_000, 'the earlier of the last two feeds counts'),
      ofAda(6_000, 'after a 304'),
    ],
  }),
  scenario('with too many revocations, the oldest are dropped, and tokens issued up to then are refused', {
    options: { max_revocations: 2 },
    polls: createPolls()
      .feed({
        revocations: ['a', 'b', 'c', 'd'].map((name, index) =>
          revocation(uuidOf(name), { revoked: -60_000 + index * 1_000 }),
        ),
      })
      .unchanged(),
    checks: [
      check(0, 'a session that was dropped', signToken(claimsOf({ sid: uuidOf('a') })), EXPIRED),
      check(0, 'a session that was kept', signToken(claimsOf({ sid: uuidOf('d') })), REVOKED),
      ofAda(0, 'issued before the newest dropped revocation', EXPIRED),
      check(0, 'issued 10 seconds after it', signToken(claimsOf({ iat: SECOND - 49 })), EXPIRED),
      check(0, 'issued 11 seconds after it', signToken(claimsOf({ iat: SECOND - 48 })), accepted({ iat: SECOND - 48 })),
      check(2_000, 'after a 304', signToken(claimsOf({ iat: SECOND - 49 })), EXPIRED),
    ],
  }),
];

/** A response to the second poll that counts as a failed poll. */
interface Fault {
  readonly name: string;
  readonly response: VectorResponse | null;
  /** Whether the next poll must ask for the full feed. */
  readonly unmerged?: boolean;
}

const DATE = new Date(START + 2_000).toUTCString();
const BODY = { generated_at: time(2_000), max_staleness_seconds: 5, cursor: 'cursor-x', partial: true };
const bodyWith = (changes: object) => ({
  status: 200,
  headers: { etag: 'W/"tag-x"', date: DATE },
  body: { ...BODY, revocations: [], refreshes: [], ...changes },
});
const headersWith = (headers: Record<string, string>): VectorResponse => ({
  ...bodyWith({}),
  headers: { etag: 'W/"tag-x"', date: DATE, ...headers },
});

const FAULTS: readonly Fault[] = [
  { name: 'a connection that fails', response: null },
  { name: 'status 500', response: { ...bodyWith({}), status: 500 } },
  { name: 'status 204', response: { status: 204 } },
  { name: 'status 404', response: { ...bodyWith({}), status: 404 } },
  { name: 'a body that is not JSON', response: { status: 200, text: '<html>' } },
  { name: 'a body with NaN', response: { status: 200, text: '{"generated_at":NaN,"revocations":[]}' } },
  { name: 'a byte order mark', response: { status: 200, text: `\ufeff${JSON.stringify(bodyWith({}).body)}` } },
  { name: 'an empty body', response: { status: 200, text: '' } },
  { name: 'Age: 1', response: headersWith({ age: '1' }) },
  { name: 'an Age that is not a number', response: headersWith({ age: 'old' }) },
  { name: 'a 304 with Age: 5', response: { status: 304, headers: { etag: 'W/"tag-1"', age: '5' } } },
  {
    name: 'generated_at more than 2 seconds before Date',
    response: bodyWith({ generated_at: time(-1) }),
    unmerged: true,
  },
  { name: 'a Date that is not a date', response: headersWith({ date: 'today' }), unmerged: true },
  { name: 'no generated_at', response: bodyWith({ generated_at: undefined }), unmerged: true },
  { name: 'a list as body', response: { ...bodyWith({}), body: [] }, unmerged: true },
  { name: 'no revocations', response: bodyWith({ revocations: undefined }), unmerged: true },
  { name: 'revocations that are an object', response: bodyWith({ revocations: {} }), unmerged: true },
  {
    name: 'a revocation without sid',
    response: bodyWith({ revocations: [{ ...revocation(ADA.sid), sid: undefined }] }),
    unmerged: true,
  },
  { name: 'a revocation that is null', response: bodyWith({ revocations: [null] }), unmerged: true },
  {
    name: 'a revocation with an invalid time, after a valid revocation',
    response: bodyWith({ revocations: [revocation(ADA.sid), { ...revocation(uuidOf('a')), expires_at: 'soon' }] }),
    unmerged: true,
  },
  { name: 'refreshes that are not a list', response: bodyWith({ refreshes: null }), unmerged: true },
  {
    name: 'a refresh whose key is not a SHA-256',
    response: bodyWith({ refreshes: [{ key: 'x', before: START, expires_at: time(900_000) }] }),
    unmerged: true,
  },
  {
    name: 'a refresh whose before is not an integer',
    response: bodyWith({ refreshes: [{ key: 'x'.repeat(43), before: '1', expires_at: time(900_000) }] }),
    unmerged: true,
  },
];

const FAILED_POLLS = FAULTS.map(({ name, response, unmerged = false }) =>
  scenario(`a failed poll: ${name}`, {
    polls: createPolls()
      .feed()
      .answer(response, unmerged ? 'unmerged' : 'failed')
      .answer(null, 'failed')
      .answer(null, 'failed')
      .feed(),
    checks: [
      ofAda(2_000, 'the last good poll began 2 seconds ago'),
      ofAda(3_000, 'it began 3 seconds ago'),
      ofAda(3_001, 'it began more than 3 seconds ago', UNAVAILABLE),
      ofAda(3_750, 'after the next good poll'),
    ],
  }),
);

const GOOD_POLLS: readonly (readonly [string, VectorResponse])[] = [
  ['Age: 0', headersWith({ age: '0' })],
  ['no Date', { ...bodyWith({}), headers: { etag: 'W/"tag-x"' } }],
  ['no Date and no generated_at', { ...bodyWith({ generated_at: undefined }), headers: { etag: 'W/"tag-x"' } }],
  ['generated_at 2 seconds before Date', bodyWith({ generated_at: time(0) })],
  [
    'a Date far from the clock of the verifier',
    {
      ...headersWith({ date: new Date(START - 86_400_000).toUTCString() }),
      body: { ...BODY, revocations: [], refreshes: [], generated_at: time(-86_400_000) },
    },
  ],
  ['unknown members', bodyWith({ color: 'blue' })],
  ['no ETag', { ...bodyWith({}), headers: { date: DATE } }],
  ['no cursor', bodyWith({ cursor: undefined })],
  ['a cursor that is too long', bodyWith({ cursor: 'c'.repeat(2_001) })],
  ['a cursor with characters that a URL cannot contain', bodyWith({ cursor: 'a b&c=d/é' })],
  ['a full feed although a cursor was sent', bodyWith({ partial: undefined })],
];

const UNUSUAL_POLLS = GOOD_POLLS.map(([name, response]) =>
  scenario(`a good poll: ${name}`, {
    polls: createPolls()
      .feed()
      .answer(response, 'ok')
      .feed({ partial: true, ...LISTED }),
    checks: [
      ofAda(3_001, 'more than 3 seconds after the first poll'),
      ofAda(4_000, 'revoked by the third poll', REVOKED),
      ofOther(4_000, 'another session'),
    ],
  }),
);

const FRESHNESS: readonly Scenario[] = [
  scenario('failed polls are repeated after 250 ms, then twice as long, at most 2 seconds', {
    polls: [1, 2, 3, 4, 5, 6].reduce((polls) => polls.answer(null, 'failed'), createPolls().feed()).feed(),
    checks: [
      ofAda(3_000, 'the last good poll began 3 seconds ago'),
      ofAda(3_250, 'no recent poll', UNAVAILABLE),
      check(
        3_250,
        'a token that is invalid even without the feed',
        signToken(claimsOf({ typ: 'mfa' })),
        refused('token_invalid'),
      ),
      check(3_250, 'a token that has expired', signToken(claimsOf({ exp: SECOND - 60 })), EXPIRED),
      ofAda(9_500, 'still', UNAVAILABLE),
      ofAda(9_750, 'after the next good poll'),
    ],
  }),
  scenario('the first poll fails', {
    ready: false,
    polls: createPolls().answer(null, 'failed').answer({ status: 503 }, 'failed').feed(),
    checks: [
      ofAda(0, 'without any feed', UNAVAILABLE),
      ofAda(500, 'after the second failure', UNAVAILABLE),
      ofAda(750, 'after the first good poll'),
    ],
  }),
  scenario('the first response is partial, although the full feed was requested', {
    ready: false,
    polls: createPolls()
      .answer({ ...bodyWith({ partial: true, generated_at: time(0) }), headers: {} }, 'unmerged')
      .feed(),
    checks: [ofAda(0, 'entries may be missing', UNAVAILABLE), ofAda(250, 'after the full feed')],
  }),
  scenario('a poll that takes long counts from its start', {
    polls: createPolls().feed().feed({ partial: true }, { takes_ms: 2_500 }).feed({ partial: true }).unchanged(),
    checks: [
      ofAda(3_000, 'during the poll, 3 seconds after the start of the last good one'),
      ofAda(4_500, 'the next poll follows at once'),
      ofAda(6_750, 'after a 304'),
    ],
  }),
  scenario('a poll that takes longer than 3 seconds is followed by another one', {
    polls: createPolls()
      .feed()
      .feed({ partial: true, ...LISTED }, { takes_ms: 3_500 })
      .feed({ partial: true }),
    checks: [ofAda(5_500, 'revoked', REVOKED), ofOther(5_500, 'another session')],
  }),
  scenario('after a sleep, the verifier polls before it accepts a token', {
    polls: createPolls()
      .feed()
      .resumeAt(61_000)
      .feed({ partial: true, ...LISTED })
      .unchanged(),
    sleeps: [{ at: 1_000, ms: 60_000 }],
    checks: [
      ofAda(1_000 - 1, 'before the sleep'),
      ofAda(61_000, 'revoked during the sleep', REVOKED),
      ofOther(61_000, 'another session'),
      ofOther(63_000, 'after the next poll'),
    ],
  }),
  scenario('a failed poll after a sleep', {
    polls: createPolls().feed().resumeAt(61_000).answer(null, 'failed').feed({ partial: true }),
    sleeps: [{ at: 1_000, ms: 60_000 }],
    checks: [ofAda(61_000, 'the poll on demand fails', UNAVAILABLE), ofAda(61_250, 'after the next good poll')],
  }),
  scenario('when_feed_fails accept: the last known feed decides', {
    options: { when_feed_fails: 'accept' },
    polls: createPolls().feed(LISTED).answer(null, 'failed').answer(null, 'failed').answer(null, 'failed'),
    checks: [
      ofOther(3_500, 'not revoked in the last known feed'),
      ofAda(3_500, 'revoked in the last known feed', REVOKED),
    ],
  }),
  scenario('when_feed_fails accept: the first poll fails', {
    options: { when_feed_fails: 'accept' },
    ready: false,
    polls: createPolls().answer(null, 'failed').feed(LISTED),
    checks: [ofAda(0, 'without any feed'), ofAda(250, 'after the first good poll', REVOKED)],
  }),
];

export const feeds: VectorFile = {
  about: 'The feed over time: revoked sessions, merging, cursor, 304, failed polls, freshness.',
  key_sets: { first: { keys: [publicJwk(KEY)] } },
  scenarios: [...REVOCATIONS, ...FRESHNESS, ...UNUSUAL_POLLS, ...FAILED_POLLS],
};
