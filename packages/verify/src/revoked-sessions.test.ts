import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRevokedSessions } from './revoked-sessions.ts';
import { type Revoked, revocation, stopTime } from './service-fixture.ts';
import type { Claims } from './session.ts';

beforeEach(stopTime);
afterEach(() => vi.useRealTimers());

const feed = (...revocations: Revoked[]) => ({ generated_at: new Date().toISOString(), revocations });
/** As if this clock were ahead of the service's by so many seconds. */
const feedFrom = (ahead: number, ...revocations: Revoked[]) => ({
  generated_at: new Date(Date.now() - ahead * 1000).toISOString(),
  revocations,
});
const claims = (sid: string, issued = 0) => ({ sid, iat: Math.floor(Date.now() / 1000) + issued }) as Claims;
const advance = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

describe('revoked sessions', () => {
  it('are none before the first feed: a token has not ended by the clock of a service that was never heard', () => {
    const exp = Math.floor(Date.now() / 1000) + 900;
    expect(createRevokedSessions(10).stateOf({ ...claims(randomUUID()), exp })).toBe('alive');
  });

  it('are forgotten five minutes after their last token has ended, once the feed lists them no more', () => {
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

  it('stay for as long as the feed lists them, whatever this clock says', () => {
    const revoked = createRevokedSessions(10);
    const entry = revocation(randomUUID());
    revoked.merge(feed(entry));
    advance(86_400);
    revoked.merge(feed(entry));
    advance(-86_400);
    expect(revoked.stateOf(claims(entry.sid))).toBe('revoked');
  });

  it('stay while they have not ended by the clock of the service, though partial feeds list them no more', () => {
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

  it('end with the latest end that was told', () => {
    const revoked = createRevokedSessions(10);
    const sid = randomUUID();
    revoked.merge(feed(revocation(sid, { expires: 900 })));
    revoked.merge(feed(revocation(sid, { expires: 60 })));
    advance(800);
    revoked.merge(feed());
    expect(revoked.stateOf(claims(sid))).toBe('revoked');
  });
});

describe('more revoked sessions than are remembered', () => {
  const overfull = () => {
    const revoked = createRevokedSessions(3);
    const entries = [-50, -40, -30, -20, -10].map((at) => revocation(randomUUID(), { revoked: at }));
    revoked.merge(feed(...entries));
    return { revoked, entries };
  };

  it('the newest are remembered; tokens as old as the end of any other are refused', () => {
    const { revoked, entries } = overfull();
    const states = entries.map(({ sid }) => revoked.stateOf(claims(sid, -100)));
    expect(states).toEqual(['unknown', 'unknown', 'revoked', 'revoked', 'revoked']);
    expect(revoked.stateOf(claims(randomUUID(), -100))).toBe('unknown');
    // The last one that was left out ended 40 seconds ago; 10 more are for clocks that differ.
    expect(revoked.stateOf(claims(randomUUID(), -30))).toBe('unknown');
    expect(revoked.stateOf(claims(randomUUID(), -29))).toBe('alive');
  });

  it('the same feed again changes nothing', () => {
    const { revoked, entries } = overfull();
    revoked.merge(feed(...entries));
    expect(revoked.stateOf(claims(randomUUID(), -29))).toBe('alive');
    expect(revoked.stateOf(claims(entries[2]!.sid))).toBe('revoked');
  });

  it('is over when the last token of those left out has ended', () => {
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
