import { membersOf } from './document.ts';
import { type Claims, isUuid } from './session.ts';

interface Revocation {
  /** The dates as in the feed, so that an unchanged entry need not be parsed again. */
  readonly text: string;
  readonly revoked: number;
  /** When the last access token of the session expires. */
  readonly expires: number;
}

export interface RevokedSessions {
  /**
   * Adds a full or partial feed to the known entries. Throws, and adds nothing, if any part of it is invalid. Returns
   * the time up to which entries of the feed have expired by all clocks.
   */
  merge(feed: unknown): number;
  /**
   * `ended`: the token has expired by the service's clock, so the feed may no longer list its session. `unknown`: too
   * many sessions were revoked to store all, and this token is old enough to belong to a dropped session.
   */
  stateOf(claims: Claims): 'alive' | 'revoked' | 'unknown' | 'ended';
}

/** How long an entry is kept after it expires: longer than tokens are accepted after they expire. */
const RETENTION_MS = 300_000;
/** The maximum difference between the clocks of the service's replicas. */
const MAX_REPLICA_SKEW_MS = 10_000;

/**
 * A revoked session is kept until its tokens have expired: behind a load balancer, the next feed may come from a
 * replica that does not know the entry yet, and a partial one does not list it again. It is removed when its tokens
 * have expired both by the clock of this machine, which verifies them, and by that of the service: a clock that was
 * wrong for a while must not make them valid again. With more than `max`, those revoked first are dropped, and every
 * token issued up to then is rejected: a revoked session gets no new tokens. Users who are still signed in refresh and
 * continue.
 */
export function createRevokedSessions(max: number): RevokedSessions {
  const known = new Map<string, Revocation>();
  let dropped: Omit<Revocation, 'text'> | undefined;
  /** `generated_at` of the last two feeds. The earlier one counts: one feed from a fast clock has no effect. */
  let made: number[] = [];

  /** Whether the entry was dropped before. Avoids sorting a feed that is too long at each poll. */
  const isDropped = ({ revoked, expires }: Revocation): boolean =>
    dropped !== undefined && revoked <= dropped.revoked && expires <= dropped.expires;

  const drop = (revocations: readonly (readonly [string, Revocation])[]): void => {
    for (const [sid, { revoked, expires }] of revocations) {
      dropped = {
        revoked: Math.max(revoked, dropped?.revoked ?? 0),
        expires: Math.max(expires, dropped?.expires ?? 0),
      };
      known.delete(sid);
    }
  };

  return {
    merge(feed) {
      const listed = readFeed(feed, known);
      made = [...made, momentOr(membersOf(feed).generated_at) ?? 0].slice(-2);
      const past = Math.min(Date.now(), ...made) - RETENTION_MS;
      for (const [sid, { expires }] of known) if (expires < past) known.delete(sid);
      if (dropped && dropped.expires < past) dropped = undefined;
      for (const [sid, revocation] of listed) {
        if (isDropped(revocation)) continue;
        const before = known.get(sid);
        if (before === revocation) continue;
        known.set(sid, {
          text: revocation.text,
          revoked: Math.max(revocation.revoked, before?.revoked ?? 0),
          expires: Math.max(revocation.expires, before?.expires ?? 0),
        });
      }
      if (known.size > max) {
        const byAge = [...known].sort(([, left], [, right]) => left.revoked - right.revoked);
        drop(byAge.slice(0, known.size - max));
      }
      return past;
    },

    stateOf({ sid, iat, exp }) {
      if (known.has(sid)) return 'revoked';
      if (made.length > 0 && exp * 1000 <= Math.min(...made)) return 'ended';
      return dropped && iat * 1000 <= dropped.revoked + MAX_REPLICA_SKEW_MS ? 'unknown' : 'alive';
    },
  };
}

function readFeed(feed: unknown, known: ReadonlyMap<string, Revocation>): Map<string, Revocation> {
  const { revocations } = membersOf(feed);
  if (!Array.isArray(revocations)) throw new Error('the feed has no list of revocations');
  const listed = new Map<string, Revocation>();
  for (const entry of revocations) {
    const { sid, revoked_at, expires_at } = membersOf(entry);
    const text = `${revoked_at} ${expires_at}`;
    const before = known.get(sid as string);
    if (before?.text === text) {
      listed.set(sid as string, before);
      continue;
    }
    const revocation = { text, revoked: momentOf(revoked_at), expires: momentOf(expires_at) };
    if (!isUuid(sid)) throw new Error('a revocation in the feed has no valid sid');
    listed.set(sid.toLowerCase(), revocation);
  }
  return listed;
}

const momentOr = (value: unknown): number | undefined => {
  const moment = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
};

function momentOf(value: unknown): number {
  const moment = momentOr(value);
  if (moment === undefined) throw new Error('a revocation in the feed has no time');
  return moment;
}
