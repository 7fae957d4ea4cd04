import type { Scenario, VectorFile } from './format.ts';
import {
  ADA,
  APPLICATION_KEY,
  AUDIENCE,
  accepted,
  acceptedGrant,
  claimsOf,
  grantClaimsOf,
  KEY,
  publicJwk,
  refused,
  SECOND,
  START,
  sha256,
  signGrant,
  signToken,
  uuidOf,
} from './sign.ts';
import { check, createPolls, oneKeyRequest, scenario, time } from './timeline.ts';

const STALE = refused('token_stale');
const REVOKED = refused('session_revoked');
const UNAVAILABLE = refused('service_unreachable');

const TOKEN = signToken();
const NEW_TOKEN = signToken(claimsOf({ perms_at: START + 1 }));
const OLD_SERVICE = { role: undefined, perms: undefined, perms_at: undefined };
const COLLEAGUE = { sub: uuidOf('user grace'), sid: uuidOf('session of grace') };
const STRANGER = { ...COLLEAGUE, org: uuidOf('other organization') };

/** The feed says that roles of `subject` changed: tokens whose roles were read before `before` are stale. */
const refresh = (subject: string, before = START, expires = 900_000) => ({
  key: sha256(subject),
  before,
  expires_at: time(expires),
});
const USER = `${ADA.org}/${ADA.sub}`;
const CHANGED = { refreshes: [refresh(USER)] };

const ofAda = (at: number, about: string, verdict = accepted()) => check(at, about, TOKEN, verdict);
const ofNew = (at: number, about: string, verdict = accepted({ perms_at: START + 1 })) =>
  check(at, about, NEW_TOKEN, verdict);
const ofColleague = (at: number, about: string, verdict = accepted(COLLEAGUE)) =>
  check(at, about, signToken(claimsOf(COLLEAGUE)), verdict);
const ofStranger = (at: number, about: string, verdict = accepted(STRANGER)) =>
  check(at, about, signToken(claimsOf(STRANGER)), verdict);

const CHANGES: readonly Scenario[] = [
  scenario('a change of the roles of a user', {
    polls: createPolls()
      .feed()
      .feed({ partial: true, ...CHANGED })
      .unchanged()
      .feed({ partial: true }),
    checks: [
      ofAda(0, 'before the change'),
      ofAda(2_000, 'roles read before the change', STALE),
      ofNew(2_000, 'roles read after the change'),
      check(2_000, 'roles read at `before`', signToken(claimsOf({ perms_at: START })), accepted({ perms_at: START })),
      check(2_000, 'a token without perms_at', signToken(claimsOf(OLD_SERVICE)), STALE),
      ofColleague(2_000, 'another member'),
      ofAda(4_000, 'after a 304', STALE),
      ofAda(6_000, 'after a partial feed that does not list it again', STALE),
    ],
  }),
  scenario('a change of a user in all organizations', {
    polls: createPolls().feed({ refreshes: [refresh(`*/${ADA.sub}`)] }),
    checks: [
      ofAda(0, 'the user', STALE),
      check(0, 'the user in another organization', signToken(claimsOf({ org: STRANGER.org })), STALE),
      ofNew(0, 'roles read after the change'),
      ofColleague(0, 'another member'),
    ],
  }),
  scenario('a change of roles in one organization', {
    polls: createPolls().feed({ refreshes: [refresh(ADA.org)] }),
    checks: [
      ofAda(0, 'a member', STALE),
      ofColleague(0, 'another member', STALE),
      ofStranger(0, 'a user of another organization'),
    ],
  }),
  scenario('a change of roles in all organizations', {
    polls: createPolls().feed({ refreshes: [refresh('*')] }),
    checks: [ofAda(0, 'a member', STALE), ofStranger(0, 'a user of another organization', STALE), ofNew(0, 'later')],
  }),
  scenario('of two entries with the same key, the later one counts', {
    polls: createPolls()
      .feed({ refreshes: [refresh(USER, START + 2), refresh(USER)] })
      .feed({ partial: true, refreshes: [refresh(USER, START - 90_000)] }),
    checks: [ofNew(0, 'in one feed', STALE), ofNew(2_000, 'in an older feed', STALE)],
  }),
  scenario('the hash is that of the ids in lower case', {
    polls: createPolls().feed(CHANGED),
    checks: [check(0, 'a token with upper case', signToken(claimsOf({ sub: ADA.sub.toUpperCase() })), STALE)],
  }),
  scenario('session_revoked and token_expired take precedence over token_stale', {
    polls: createPolls().feed({
      ...CHANGED,
      revocations: [{ sid: ADA.sid, revoked_at: time(0), expires_at: time(900_000) }],
    }),
    checks: [
      ofAda(0, 'revoked and stale', REVOKED),
      check(0, 'expired and stale', signToken(claimsOf({ exp: SECOND - 60 })), refused('token_expired')),
    ],
  }),
  scenario('an entry is removed 5 minutes after it has expired, by both clocks', {
    polls: createPolls()
      .feed({ refreshes: [refresh(USER, START, 10_000)] })
      .resumeAt(601_000)
      .feed({ partial: true })
      .feed({ partial: true }),
    sleeps: [{ at: 1_000, ms: 600_000 }],
    checks: [
      ofAda(0, 'listed', STALE),
      ofAda(601_000, 'the last two feeds: one is from before the sleep', STALE),
      ofAda(603_000, 'the entry is gone'),
    ],
  }),
  scenario('with too many entries, those with the smallest before are replaced by one for all users', {
    options: { max_revocations: 2 },
    polls: createPolls().feed({
      refreshes: [refresh('a', START - 50_000), refresh('b', START - 40_000), refresh('c'), refresh('d')],
    }),
    checks: [ofAda(0, 'a user whom no entry names', STALE), ofNew(0, 'roles read after that')],
  }),
  scenario('a token of an application is never stale', {
    options: { audience: AUDIENCE },
    requests: { keys: oneKeyRequest('applications', '/oauth/jwks.json') },
    polls: createPolls()
      .feed({ refreshes: [refresh('*'), refresh(USER)] })
      .feed({
        partial: true,
        revocations: [{ sid: grantClaimsOf().sid, revoked_at: time(0), expires_at: time(900_000) }],
      }),
    checks: [
      check(0, 'after a change of roles', signGrant(), acceptedGrant()),
      check(2_000, 'after the grant has ended', signGrant(), REVOKED),
    ],
  }),
];

const WITHOUT = { refreshes: undefined };

/** While a service is upgraded, older replicas send feeds without `refreshes`. */
const UPGRADES: readonly Scenario[] = [
  scenario('a service that sends no refreshes', {
    polls: createPolls()
      .feed(WITHOUT)
      .feed({ partial: true, ...WITHOUT }),
    checks: [ofAda(0, 'a full feed'), ofAda(2_000, 'a partial feed')],
  }),
  scenario('the first feed with refreshes is partial: earlier ones may be missing', {
    polls: createPolls()
      .feed(WITHOUT)
      .answer(partialWith(2_000, { refreshes: [] }), 'unmerged')
      .feed(CHANGED),
    checks: [
      ofAda(2_000, 'the poll has failed; the last good one is recent'),
      ofAda(2_250, 'the full feed lists the change', STALE),
    ],
  }),
  scenario('a cursor of a feed without refreshes is not used after one with them', {
    polls: createPolls()
      .feed()
      .feed({ partial: true, ...WITHOUT })
      .keepCursor('cursor-1')
      .feed({ partial: true, ...CHANGED }),
    checks: [ofAda(2_000, 'the feed of an older replica'), ofAda(4_000, 'the change', STALE)],
  }),
  scenario('an unreadable feed', {
    polls: createPolls().feed(CHANGED).answer(null, 'failed').answer(null, 'failed').answer(null, 'failed'),
    checks: [ofAda(3_000, 'the last good poll is recent', STALE), ofNew(3_250, 'no recent poll', UNAVAILABLE)],
  }),
];

function partialWith(at: number, changes: object) {
  const body = { generated_at: time(at), max_staleness_seconds: 5, cursor: 'cursor-x', partial: true, revocations: [] };
  return { status: 200, headers: { etag: 'W/"tag-x"' }, body: { ...body, ...changes } };
}

export const stale: VectorFile = {
  about: 'Changes of roles: which tokens are stale.',
  key_sets: { first: { keys: [publicJwk(KEY)] }, applications: { keys: [publicJwk(APPLICATION_KEY)] } },
  scenarios: [...CHANGES, ...UPGRADES],
};
