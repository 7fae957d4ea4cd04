import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VerifierOptions } from './options.ts';
import { refusalOf } from './refusal.ts';
import {
  createService,
  ISSUER,
  pass,
  type Refresh,
  refresh,
  refused,
  revocation,
  type Service,
  signToken,
  stopTime,
} from './service-fixture.ts';
import { createVerifier, type Verifier } from './verifier.ts';

let service: Service;
const verifiers: Verifier[] = [];
beforeEach(() => {
  stopTime();
  service = createService();
  service.refreshes = [];
});
afterEach(() => {
  for (const verifier of verifiers.splice(0)) verifier.close();
  vi.useRealTimers();
});

const open = (options: Partial<VerifierOptions> = {}): Verifier => {
  const verifier = createVerifier({ issuer: ISSUER, fetch: service.fetch, ...options });
  verifiers.push(verifier);
  return verifier;
};
const verdict = (verifier: Verifier, token: string): Promise<string> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error) => error.code,
  );
const account = () => ({ sub: randomUUID(), org: randomUUID(), sid: randomUUID() });
type Account = ReturnType<typeof account>;
const tokenOf = (one: Account, claims: Record<string, unknown> = {}) =>
  signToken({ ...one, role: 'member', perms: [], perms_at: Date.now(), ...claims });
const changeOf = ({ org, sub }: Account) => refresh(`${org}/${sub}`, { before: Date.now() + 1 });

describe('role changes in the feed', () => {
  it('make older tokens of that user stale after the next poll, cached ones too', async () => {
    const verifier = open();
    const [changed, other] = [account(), account()];
    const [old, unseen, unaffected] = [tokenOf(changed), tokenOf(changed), tokenOf(other)];
    for (const token of [old, unaffected]) expect(await verdict(verifier, token)).toBe('accepted');
    service.refreshes = [changeOf(changed)];
    await pass(2_000);
    expect(await verdict(verifier, old)).toBe('token_stale');
    expect(await verdict(verifier, unseen)).toBe('token_stale');
    expect(await verdict(verifier, unaffected)).toBe('accepted');
    expect(await verdict(verifier, tokenOf(changed))).toBe('accepted');
  });

  it('make verifiers answer older tokens with 401 and error_description stale', async () => {
    const verifier = open();
    const changed = account();
    const token = tokenOf(changed);
    service.refreshes = [changeOf(changed)];
    const error = await verifier.verify(token).catch((reason) => reason);
    expect(refusalOf(error)).toEqual({
      status: 401,
      headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="stale"' },
      body: {
        error: { code: 'authentication_required', message: expect.any(String), type: 'authentication_error' },
      },
    });
  });

  it('make tokens stale that were issued before the upgrade and have no perms_at', async () => {
    const verifier = open();
    const [changed, other] = [account(), account()];
    const [old, unaffected] = [signToken(changed), signToken(other)];
    service.refreshes = [changeOf(changed)];
    expect(await verdict(verifier, old)).toBe('token_stale');
    expect(await verdict(verifier, unaffected)).toBe('accepted');
  });

  it('are kept when a later feed does not list them, and dropped 5 minutes after their expires_at', async () => {
    const verifier = open();
    const changed = account();
    const claims = { perms_at: Date.now(), exp: Math.floor(Date.now() / 1000) + 3_600 };
    const token = tokenOf(changed, claims);
    service.refreshes = [changeOf(changed)];
    await verifier.ready();
    service.refreshes = [];
    await pass(4_000);
    expect(await verdict(verifier, token)).toBe('token_stale');
    // An entry is kept for 5 minutes after its expires_at, as revoked sessions are.
    vi.setSystemTime(Date.now() + 1_201_000);
    for (let changes = 0; changes < 2; changes++) {
      service.revocations = [revocation(randomUUID())];
      await pass(2_000);
    }
    expect(await verdict(verifier, token)).toBe('accepted');
  });

  it('do not hide that a session was revoked or a token has expired', async () => {
    const verifier = open();
    const changed = account();
    const expired = { perms_at: 0, exp: Math.floor(Date.now() / 1000) - 10 };
    const [revoked, ended] = [tokenOf(changed), tokenOf({ ...changed, sid: randomUUID() }, expired)];
    service.refreshes = [changeOf(changed)];
    service.revocations = [revocation(changed.sid)];
    expect(await verdict(verifier, revoked)).toBe('session_revoked');
    expect(await verdict(verifier, ended)).toBe('token_expired');
  });

  it('make a token stale even if its look-up is cached', async () => {
    const verifier = open();
    const one = account();
    const { org, sub, sid } = one;
    const user = { user_id: sub, organization_id: org, session_family_id: sid, mfa_verified_at: null };
    const capabilities = { role: 'member', permissions: ['members.list'], platform_role: null };
    service.session = { user, capabilities };
    const token = tokenOf(one);
    await verifier.requirePermission(token, 'members.list');
    service.refreshes = [changeOf(one)];
    await pass(2_000);
    await expect(verifier.requirePermission(token, 'members.list')).rejects.toMatchObject({ code: 'token_stale' });
    await expect(verifier.lookUp(token)).rejects.toMatchObject({ code: 'token_stale' });
    expect(service.count('session')).toBe(1);
  });

  it('are unknown to an older service, whose feed is accepted without them', async () => {
    service.refreshes = undefined;
    const verifier = open();
    expect(await verdict(verifier, signToken())).toBe('accepted');
    expect(await verdict(verifier, tokenOf(account()))).toBe('accepted');
  });
});

describe('when the feed with role changes cannot be read', () => {
  const failFeed = () => {
    service.alter = (path) => (path === 'feed' ? refused() : undefined);
  };

  it('rejects all tokens after 3 seconds', async () => {
    const verifier = open();
    const token = tokenOf(account());
    await verifier.verify(token);
    failFeed();
    await pass(3_000);
    expect(await verdict(verifier, token)).toBe('accepted');
    await pass(50);
    expect(await verdict(verifier, token)).toBe('service_unreachable');
  });

  it('uses the last known changes if whenFeedFails is accept', async () => {
    const verifier = open({ whenFeedFails: 'accept' });
    const [changed, other] = [account(), account()];
    const tokens = [tokenOf(changed), tokenOf(other)];
    service.refreshes = [changeOf(changed)];
    await verifier.ready();
    failFeed();
    await pass(60_000);
    expect(await Promise.all(tokens.map((token) => verdict(verifier, token)))).toEqual(['token_stale', 'accepted']);
  });

  it('counts an invalid entry as a failed poll and adds nothing, no revocation either', async () => {
    const verifier = open({ whenFeedFails: 'accept' });
    const [changed, revoked] = [account(), account()];
    const tokens = [tokenOf(changed), tokenOf(revoked)];
    await verifier.ready();
    service.refreshes = [changeOf(changed), { ...changeOf(account()), before: -0.5 }];
    service.revocations = [revocation(revoked.sid)];
    await pass(4_000);
    expect(await Promise.all(tokens.map((token) => verdict(verifier, token)))).toEqual(['accepted', 'accepted']);
    const closed = open();
    expect(await verdict(closed, tokens[0]!)).toBe('service_unreachable');
  });
});

describe('role changes by cursor', () => {
  interface Feed {
    readonly refreshes?: Refresh[];
    readonly cursor: string;
    readonly partial?: true;
  }
  const answer = (feed: Feed): void => {
    const body = { generated_at: new Date().toISOString(), revocations: [], ...feed };
    service.alter = (path) => (path === 'feed' ? Response.json(body) : undefined);
  };
  const sent = (): (string | null)[] =>
    service.asked.filter(({ path }) => path === 'feed').map(({ url }) => new URL(url).searchParams.get('after'));

  it('are merged by key', async () => {
    const verifier = open();
    const [first, second] = [account(), account()];
    const tokens = [tokenOf(first), tokenOf(second), tokenOf(account())];
    answer({ refreshes: [changeOf(first)], cursor: 'a.1' });
    await verifier.ready();
    answer({ refreshes: [changeOf(second)], cursor: 'a.2', partial: true });
    await pass(2_000);
    answer({ refreshes: [{ ...changeOf(first), before: 1 }], cursor: 'a.3', partial: true });
    await pass(2_000);
    expect(sent()).toEqual([null, 'a.1', 'a.2']);
    expect(await Promise.all(tokens.map((token) => verdict(verifier, token)))).toEqual([
      'token_stale',
      'token_stale',
      'accepted',
    ]);
  });

  it('are requested from the beginning when the first replica sends them after an upgrade', async () => {
    const verifier = open();
    const changed = account();
    const token = tokenOf(changed);
    answer({ cursor: 'old.1' });
    await verifier.ready();
    // The change was committed before the cursor of the older replica, which did not send it.
    answer({ refreshes: [], cursor: 'new.1', partial: true });
    await pass(2_000);
    answer({ cursor: 'old.2' });
    await pass(250);
    answer({ refreshes: [changeOf(changed)], cursor: 'new.2' });
    await pass(2_000);
    expect(sent()).toEqual([null, 'old.1', null, null]);
    expect(await verdict(verifier, token)).toBe('token_stale');
  });

  it('are not skipped by the cursor of a replica that is not upgraded yet', async () => {
    const verifier = open();
    answer({ refreshes: [], cursor: 'new.1' });
    await verifier.ready();
    answer({ cursor: 'old.2', partial: true });
    await pass(2_000);
    answer({ refreshes: [], cursor: 'new.3', partial: true });
    await pass(4_000);
    expect(sent()).toEqual([null, 'new.1', 'new.1', 'new.3']);
    expect(await verdict(verifier, tokenOf(account()))).toBe('accepted');
  });
});
