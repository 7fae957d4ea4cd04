import { membersOf } from './document.ts';
import { type Claims, isUuid } from './session.ts';

interface Revocation {
  /** As it stands in the feed, so that what has not changed need not be read again. */
  readonly text: string;
  readonly revoked: number;
  /** When the last access token of the session ends. */
  readonly expires: number;
}

export interface RevokedSessions {
  /** Adds a full or partial feed to the known entries. Throws, and adds nothing, if any part of it is invalid. */
  merge(feed: unknown): void;
  /** `ended`: by the service's own clock, so that it need not stand in the feed any more. `unknown`: there were too many to remember, and this token is old enough to be of one that was left out. */
  stateOf(claims: Claims): 'alive' | 'revoked' | 'unknown' | 'ended';
}

/** Milliseconds for which an entry is kept after its end: longer than tokens are accepted after theirs. */
const KEPT_LONGER = 300_000;
/** How far the clocks of the service's replicas may be apart. */
const REPLICAS_APART = 10_000;

/**
 * A revoked session is kept until its tokens have expired: behind a balancer, the next feed may be an older one, and a
 * partial one does not list it again. It is removed when it has ended by the clock of this machine, which decides when
 * tokens expire, and by that of the service: a clock that was wrong for a while must not make its tokens valid again.
 *
 * With more than `max`, those revoked first are left out, and every token issued up to then is refused: a revoked
 * session gets no token after its end. People who are still signed in refresh, and go on.
 */
export function createRevokedSessions(max: number): RevokedSessions {
  const known = new Map<string, Revocation>();
  let leftOut: Omit<Revocation, 'text'> | undefined;
  /** When the last two feeds were made, by the service's clock: one that is wrong about it does not count for long. */
  let made: number[] = [];

  /** Covered already: so that a feed that is too long is not sorted anew at each poll. */
  const isLeftOut = ({ revoked, expires }: Revocation): boolean =>
    leftOut !== undefined && revoked <= leftOut.revoked && expires <= leftOut.expires;

  const leaveOut = (revocations: readonly (readonly [string, Revocation])[]): void => {
    for (const [sid, { revoked, expires }] of revocations) {
      leftOut = {
        revoked: Math.max(revoked, leftOut?.revoked ?? 0),
        expires: Math.max(expires, leftOut?.expires ?? 0),
      };
      known.delete(sid);
    }
  };

  return {
    merge(feed) {
      const listed = readFeed(feed, known);
      made = [...made, momentOr(membersOf(feed).generated_at) ?? 0].slice(-2);
      const past = Math.min(Date.now(), ...made) - KEPT_LONGER;
      for (const [sid, { expires }] of known) if (expires < past) known.delete(sid);
      if (leftOut && leftOut.expires < past) leftOut = undefined;
      for (const [sid, revocation] of listed) {
        if (isLeftOut(revocation)) continue;
        const before = known.get(sid);
        if (before === revocation) continue;
        known.set(sid, {
          text: revocation.text,
          revoked: Math.max(revocation.revoked, before?.revoked ?? 0),
          expires: Math.max(revocation.expires, before?.expires ?? 0),
        });
      }
      if (known.size <= max) return;
      const byAge = [...known].sort(([, left], [, right]) => left.revoked - right.revoked);
      leaveOut(byAge.slice(0, known.size - max));
    },

    stateOf({ sid, iat, exp }) {
      if (known.has(sid)) return 'revoked';
      if (made.length > 0 && exp * 1000 <= Math.min(...made)) return 'ended';
      return leftOut && iat * 1000 <= leftOut.revoked + REPLICAS_APART ? 'unknown' : 'alive';
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
    if (!isUuid(sid)) throw new Error('a revocation in the feed names no session');
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
