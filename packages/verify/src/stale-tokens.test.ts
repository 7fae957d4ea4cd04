import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { refresh } from './service-fixture.ts';
import type { Claims } from './session.ts';
import { createStaleTokens, EVERYONE, readRefreshes, roleHolderOf } from './stale-tokens.ts';

const [org, sub] = [randomUUID(), randomUUID()];
const holder = (perms_at?: number) => roleHolderOf({ org, sub, perms_at } as Claims);
const read = (...refreshes: ReturnType<typeof refresh>[]) => readRefreshes({ refreshes })!;
const LONG_AGO = 0;

describe('a role change', () => {
  it.each([
    ['the user in the organization', `${org}/${sub}`, true],
    ['the user in all organizations', `*/${sub}`, true],
    ['another user in all organizations', `*/${randomUUID()}`, false],
    ['the organization', org, true],
    ['everyone', '*', true],
    ['another user of the organization', `${org}/${randomUUID()}`, false],
    ['the user in another organization', `${randomUUID()}/${sub}`, false],
    ['another organization', randomUUID(), false],
    ['the user without an organization', sub, false],
  ])('of %s makes a token stale: $2', async (_, subject, isStale) => {
    const stale = createStaleTokens(10);
    stale.merge(read(refresh(subject, { before: 1_000 })), LONG_AGO);
    expect(stale.isStale(await holder(999))).toBe(isStale);
  });

  it('makes tokens stale whose roles were read before it, and tokens without perms_at', async () => {
    const stale = createStaleTokens(10);
    const holders = await Promise.all([undefined, 0, 999, 1_000, 1_001].map(holder));
    const states = () => holders.map(stale.isStale);
    expect(states()).toEqual([false, false, false, false, false]);
    stale.merge(read(refresh(org, { before: 1_000 })), LONG_AGO);
    expect(states()).toEqual([true, true, true, false, false]);
    stale.merge(read(refresh(`${org}/${sub}`, { before: 1_001 })), LONG_AGO);
    expect(states()).toEqual([true, true, true, true, false]);
  });

  it('keeps the larger `before` and the later `expires_at` of all entries with its key', async () => {
    const stale = createStaleTokens(10);
    const token = await holder(1_500);
    stale.merge(read(refresh(org, { before: 2_000, expires: 60 })), LONG_AGO);
    stale.merge(read(refresh(org, { before: 1_000, expires: 900 })), LONG_AGO);
    expect(stale.isStale(token)).toBe(true);
    stale.merge(read(), Date.now() + 800_000);
    expect(stale.isStale(token)).toBe(true);
    stale.merge(read(), Date.now() + 901_000);
    expect(stale.isStale(token)).toBe(false);
  });

  it('counts with the larger `before` if one feed lists its key twice', async () => {
    const stale = createStaleTokens(10);
    stale.merge(read(refresh(org, { before: 2_000 }), refresh(org, { before: 1_000 })), LONG_AGO);
    expect(stale.isStale(await holder(1_500))).toBe(true);
  });

  it('looks up the keys of a token once per change of the entries', async () => {
    const stale = createStaleTokens(10);
    const token = await holder(500);
    let lookUps = 0;
    const counting = {
      ...token,
      get keys() {
        lookUps++;
        return token.keys;
      },
    };
    const lookUpsOf = (times: number) => {
      lookUps = 0;
      for (let time = 0; time < times; time++) stale.isStale(counting);
      return lookUps;
    };
    expect(lookUpsOf(1)).toBeGreaterThan(0);
    expect(lookUpsOf(100)).toBe(0);
    stale.merge(read(), LONG_AGO);
    expect(lookUpsOf(100)).toBe(0);
    stale.merge(read(refresh(org, { before: 1_000 })), LONG_AGO);
    expect(lookUpsOf(1)).toBeGreaterThan(0);
    expect(lookUpsOf(100)).toBe(0);
    expect(stale.isStale(counting)).toBe(true);
  });
});

describe('more role changes than the maximum', () => {
  const changes = [1_000, 2_000, 3_000, 4_000, 5_000].map((before) => refresh(randomUUID(), { before }));

  it('make all tokens stale that are older than the newest change no longer stored separately', async () => {
    const stale = createStaleTokens(3);
    stale.merge(read(...changes, refresh(org, { before: 6_000 })), LONG_AGO);
    const other = (perms_at: number) => roleHolderOf({ org: randomUUID(), sub, perms_at } as Claims);
    // The changes at 5,000 and 6,000 stay separate entries; an entry for everyone at 4,000 replaces the others.
    expect(stale.isStale(await other(3_999))).toBe(true);
    expect(stale.isStale(await other(4_000))).toBe(false);
    expect(stale.isStale(await holder(5_999))).toBe(true);
    expect(stale.isStale(await holder(6_000))).toBe(false);
  });

  it('make no further tokens stale when the same feed is merged again', async () => {
    const stale = createStaleTokens(3);
    for (let poll = 0; poll < 3; poll++) stale.merge(read(...changes), LONG_AGO);
    expect(stale.isStale(await holder(2_999))).toBe(true);
    expect(stale.isStale(await holder(3_000))).toBe(false);
  });

  it('make older tokens of everyone stale until the last of them has expired', async () => {
    const stale = createStaleTokens(1);
    // The feed's own entry for everyone expires earlier; it does not shorten the entry that replaces dropped changes.
    const first = refresh('*', { before: 1_500, expires: 60 });
    stale.merge(read(first, refresh(randomUUID(), { before: 1_000, expires: 900 })), LONG_AGO);
    stale.merge(read(), Date.now() + 899_000);
    expect(stale.isStale(await holder(500))).toBe(true);
    stale.merge(read(), Date.now() + 901_000);
    expect(stale.isStale(await holder(500))).toBe(false);
  });
});

describe('the refreshes of a feed', () => {
  it('are undefined if an older service does not send them', () => {
    expect(readRefreshes({ revocations: [] })).toBeUndefined();
    expect(readRefreshes({ refreshes: [] })).toEqual(new Map());
  });

  const valid = refresh(org);
  it.each<[string, unknown]>([
    ['null', null],
    ['an object', {}],
    ['an entry that is null', [null]],
    ['an entry with the organization itself as key', [{ ...valid, key: org }]],
    ['an entry with a key in base64', [{ ...valid, key: `${'+'.repeat(42)}=` }]],
    ['an entry without before', [{ ...valid, before: undefined }]],
    ['an entry with a date as before', [{ ...valid, before: valid.expires_at }]],
    ['an entry with a fraction as before', [{ ...valid, before: 1.5 }]],
    ['an entry without expires_at', [{ ...valid, expires_at: undefined }]],
    ['an entry with an invalid expires_at', [{ ...valid, expires_at: 'soon' }]],
  ])('are rejected with %s', (_, refreshes) => {
    expect(() => readRefreshes({ refreshes })).toThrow(/refreshes of the feed/);
  });

  it('identify all users by the hash of *', () => {
    expect(EVERYONE).toBe(createHash('sha256').update('*').digest('base64url'));
  });
});
