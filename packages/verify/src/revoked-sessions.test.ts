import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRevokedSessions } from './revoked-sessions.ts';
import { type Revoked, revocation, stopTime } from './service-fixture.ts';
import type { Claims } from './session.ts';

beforeEach(stopTime);
afterEach(() => vi.useRealTimers());

const feed = (...revocations: Revoked[]) => ({ generated_at: new Date().toISOString(), revocations });
/** A feed of a service whose clock is behind: the local clock is `ahead` seconds ahead of it. */
const feedFrom = (ahead: number, ...revocations: Revoked[]) => ({
  generated_at: new Date(Date.now() - ahead * 1000).toISOString(),
  revocations,
});
const claims = (sid: string, issued = 0) => ({ sid, iat: Math.floor(Date.now() / 1000) + issued }) as Claims;
const advance = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

describe('revoked sessions', () => {
  it('before the first feed no session counts as revoked, and no token as expired by the clock of the service', () => {
    const exp = Math.floor(Date.now() / 1000) + 900;
    expect(createRevokedSessions(10).stateOf({ ...claims(randomUUID()), exp })).toBe('alive');
  });

  it('are removed five minutes after their last token has expired, once the feed no longer lists them', () => {
    const revoked = createRevokedSessions(10);
    const sid = randomUUID();
    revoked.merge(feed(revocation(sid, { expires: 60 })));
    advance(60 + 299);
    for (let poll = 0; poll < 3; poll++) revoked.merge(feed());
    expect(revoked.stateOf(claims(sid))).toBe('revoked');
    advance(2);
    for (let poll = 0; poll < 2; poll++) revoked.merge(feed());
    expect(revoked.stateOf(claims(sid))).toBe('alive');
  });

  it('stay while the feed lists them, whatever the local clock says', () => {
    const revoked = createRevokedSessions(10);
    const entry = revocation(randomUUID());
    revoked.merge(feed(entry));
    advance(86_400);
    revoked.merge(feed(entry));
    advance(-86_400);
    expect(revoked.stateOf(claims(entry.sid))).toBe('revoked');
  });

  it('stay until their tokens have expired by the clock of the service, although partial feeds do not list them', () => {
    const revoked = createRevokedSessions(10);
    const entry = revocation(randomUUID());
    revoked.merge(feed(entry));
    advance(86_400);
    for (let poll = 0; poll < 3; poll++) revoked.merge({ ...feedFrom(86_400), partial: true });
    advance(-86_400);
    revoked.merge({ ...feed(), partial: true });
    expect(revoked.stateOf(claims(entry.sid))).toBe('revoked');
  });

  it('stay when the clock of one replica is far ahead', () => {
    const revoked = createRevokedSessions(10);
    const entry = revocation(randomUUID());
    revoked.merge(feed(entry));
    advance(86_400);
    revoked.merge(feedFrom(86_400));
    revoked.merge(feed());
    advance(-86_400);
    expect(revoked.stateOf(claims(entry.sid))).toBe('revoked');
  });

  it('stay until the latest expires_at of all feeds', () => {
    const revoked = createRevokedSessions(10);
    const sid = randomUUID();
    revoked.merge(feed(revocation(sid, { expires: 900 })));
    revoked.merge(feed(revocation(sid, { expires: 60 })));
    advance(800);
    revoked.merge(feed());
    expect(revoked.stateOf(claims(sid))).toBe('revoked');
  });
});

describe('more revoked sessions than the maximum', () => {
  const overfull = () => {
    const revoked = createRevokedSessions(3);
    const entries = [-50, -40, -30, -20, -10].map((at) => revocation(randomUUID(), { revoked: at }));
    revoked.merge(feed(...entries));
    return { revoked, entries };
  };

  it('over the maximum the newest revoked sessions are kept; older tokens than the newest dropped revocation have the state unknown', () => {
    const { revoked, entries } = overfull();
    const states = entries.map(({ sid }) => revoked.stateOf(claims(sid, -100)));
    expect(states).toEqual(['unknown', 'unknown', 'revoked', 'revoked', 'revoked']);
    expect(revoked.stateOf(claims(randomUUID(), -100))).toBe('unknown');
    // The newest dropped session was revoked 40 seconds ago; clocks of replicas may differ by 10 seconds.
    expect(revoked.stateOf(claims(randomUUID(), -30))).toBe('unknown');
    expect(revoked.stateOf(claims(randomUUID(), -29))).toBe('alive');
  });

  it('over the maximum nothing changes when the same feed is merged again', () => {
    const { revoked, entries } = overfull();
    revoked.merge(feed(...entries));
    expect(revoked.stateOf(claims(randomUUID(), -29))).toBe('alive');
    expect(revoked.stateOf(claims(entries[2]!.sid))).toBe('revoked');
  });

  it('over the maximum no token has the state unknown once the last token of the dropped sessions has expired', () => {
    const { revoked } = overfull();
    const old = claims(randomUUID(), -100);
    advance(900 + 299);
    for (let poll = 0; poll < 3; poll++) revoked.merge(feed());
    expect(revoked.stateOf(old)).toBe('unknown');
    advance(2);
    for (let poll = 0; poll < 2; poll++) revoked.merge(feed());
    expect(revoked.stateOf(old)).toBe('alive');
  });
});
