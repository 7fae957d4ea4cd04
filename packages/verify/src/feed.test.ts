import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VerifierOptions } from './options.ts';
import {
  createService,
  hanging,
  ISSUER,
  pass,
  refused,
  revocation,
  type Service,
  settle,
  signToken,
  stopTime,
  until,
} from './service-fixture.ts';
import { createVerifier, type Verifier } from './verifier.ts';

let service: Service;
const verifiers: Verifier[] = [];
beforeEach(() => {
  stopTime();
  service = createService();
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

const alterFeed = (answer: (() => Response | Promise<Response>) | undefined): void => {
  service.alter = (path) => (path === 'feed' ? answer?.() : undefined);
};

const session = () => {
  const sid = randomUUID();
  return { sid, token: signToken({ sid }) };
};

const verdict = (verifier: Verifier, token: string): Promise<string> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error) => error.code,
  );

describe('§6 the revocation feed', () => {
  it('the feed is not fetched before the first use, then every two seconds with If-None-Match', async () => {
    const verifier = open();
    await pass(10_000);
    expect(service.asked).toEqual([]);
    await verifier.verify(signToken());
    await pass(10_000);
    const polls = service.asked.filter(({ path }) => path === 'feed');
    expect(polls.map(({ status }) => status)).toEqual([200, 304, 304, 304, 304, 304]);
    expect(polls[0]!.tag).toBeNull();
    expect(polls[1]!.tag).toMatch(/^W\/"/);
    expect(polls[1]!.init.redirect).toBe('error');
  });

  it('a verification costs no request for the feed or the key set', async () => {
    const verifier = open();
    const tokens = Array.from({ length: 20 }, () => signToken());
    await verifier.ready();
    for (let round = 0; round < 50; round++) await Promise.all(tokens.map((token) => verifier.verify(token)));
    expect(service.asked.map(({ path }) => path).sort()).toEqual(['discovery', 'feed', 'keys']);
  });

  it('a revoked session is rejected after the next poll, and no other session', async () => {
    const verifier = open();
    const [ended, active] = [session(), session()];
    await verifier.verify(ended.token);
    service.revocations = [revocation(ended.sid.toUpperCase())];
    await pass(2_000);
    expect(await verdict(verifier, ended.token)).toBe('session_revoked');
    expect(await verdict(verifier, signToken({ sid: ended.sid }))).toBe('session_revoked');
    expect(await verdict(verifier, active.token)).toBe('accepted');
  });

  it('feeds are merged: a revoked session stays revoked when an older feed follows', async () => {
    const verifier = open();
    const [first, second] = [session(), session()];
    service.revocations = [revocation(first.sid)];
    await verifier.ready();
    service.revocations = [revocation(second.sid)];
    await pass(2_000);
    service.revocations = [];
    await pass(2_000);
    expect(await verdict(verifier, first.token)).toBe('session_revoked');
    expect(await verdict(verifier, second.token)).toBe('session_revoked');
  });

  it('a 304 is not accepted if the request had no If-None-Match', async () => {
    const verifier = open();
    alterFeed(() => new Response(null, { status: 304 }));
    expect(await verdict(verifier, signToken())).toBe('service_unreachable');
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['an error response', () => Response.json({ error: { code: 'internal_error' } }, { status: 500 })],
    ['an empty body', () => new Response('')],
    ['HTML', () => new Response('<html>')],
    ['another document', () => Response.json({ keys: [] })],
    ['null', () => Response.json(null)],
    ['an entry that is null', () => Response.json({ revocations: [null] })],
    ['an entry with a wrong sid', () => Response.json({ revocations: [{ ...revocation(randomUUID()), sid: 'all' }] })],
    ['a wrong expires_at', () => Response.json({ revocations: [{ ...revocation(randomUUID()), expires_at: 7 }] })],
    [
      'an entry with an empty revoked_at',
      () => Response.json({ revocations: [{ ...revocation(randomUUID()), revoked_at: '' }] }),
    ],
    ['a huge body', () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }))],
    ['an interrupted body', () => new Response(new ReadableStream({ start: (to) => to.error(new Error('reset')) }))],
    ['invalid UTF-8', () => new Response(new Uint8Array([0xff]))],
    ['a refused connection', refused],
  ])('%s counts as a failed poll', async (_, answer) => {
    const verifier = open({ maxRevocations: 10 });
    alterFeed(answer);
    await expect(verifier.verify(signToken())).rejects.toMatchObject({ code: 'service_unreachable', status: 503 });
    alterFeed(undefined);
    await pass(250);
    expect(await verdict(verifier, signToken())).toBe('accepted');
  });

  it('the tag of an invalid feed is not sent, so that a 304 for it is never trusted', async () => {
    const verifier = open();
    const { sid, token } = session();
    service.revocations = [revocation(sid)];
    alterFeed(() => new Response('{', { headers: { etag: 'W/"bad"' } }));
    expect(await verdict(verifier, token)).toBe('service_unreachable');
    alterFeed(undefined);
    await pass(500);
    expect(service.asked.findLast(({ path }) => path === 'feed')?.tag).toBeNull();
    expect(await verdict(verifier, token)).toBe('session_revoked');
  });

  it('a feed that comes from a cache is rejected', async () => {
    alterFeed(() => Response.json({ revocations: [] }, { headers: { age: '3600' } }));
    expect(await verdict(open(), session().token)).toBe('service_unreachable');
    expect(service.asked.every(({ init }) => (init as { cache?: string }).cache === 'no-store')).toBe(true);
  });

  it('a rejection of onFeed is ignored', async () => {
    const onFeed = vi.fn(() => Promise.reject(new Error('no log')));
    alterFeed(refused);
    expect(await verdict(open({ onFeed }), session().token)).toBe('service_unreachable');
    await settle();
    expect(onFeed).toHaveBeenCalledOnce();
  });

  it('no entry of a feed is added if one of them is invalid', async () => {
    const verifier = open({ whenFeedFails: 'accept' });
    const one = session();
    await verifier.ready();
    service.revocations = [revocation(one.sid), { ...revocation(randomUUID()), sid: 'x' }];
    await pass(2_000);
    expect(await verdict(verifier, one.token)).toBe('accepted');
  });
});

describe('when the feed cannot be read', () => {
  it('accepts tokens for 3 seconds from the start of the last poll, then rejects them; calls onFeed once', async () => {
    const onFeed = vi.fn();
    const verifier = open({ onFeed });
    const token = signToken();
    await verifier.ready();
    alterFeed(refused);
    await pass(3_000);
    expect(await verdict(verifier, token)).toBe('accepted');
    await pass(50);
    expect(await verdict(verifier, token)).toBe('service_unreachable');
    await pass(20_000);
    expect(onFeed.mock.calls).toEqual([['lost', expect.any(TypeError)]]);
    alterFeed(undefined);
    await pass(2_000);
    expect(await verdict(verifier, token)).toBe('accepted');
    expect(onFeed.mock.calls.slice(1)).toEqual([['regained', undefined]]);
  });

  it('uses the last known feed without waiting if whenFeedFails is accept', async () => {
    const onFeed = vi.fn(() => {
      throw new Error('of the one who listens');
    });
    const verifier = open({ whenFeedFails: 'accept', onFeed });
    const [ended, active] = [session(), session()];
    service.revocations = [revocation(ended.sid)];
    await verifier.ready();
    alterFeed(hanging);
    await pass(60_000);
    expect(await verdict(verifier, active.token)).toBe('accepted');
    expect(await verdict(verifier, ended.token)).toBe('session_revoked');
    service.revocations = [revocation(active.sid)];
    alterFeed(undefined);
    await pass(4_000);
    expect(await verdict(verifier, active.token)).toBe('session_revoked');
    expect(onFeed.mock.calls).toHaveLength(2);
  });

  it('aborts a poll that hangs and rejects the tokens that wait for it', async () => {
    const verifier = open();
    alterFeed(hanging);
    const answers = [signToken(), signToken()].map((token) => verdict(verifier, token));
    await until(() => service.count('feed') === 1);
    await pass(2_000);
    expect(await Promise.all(answers)).toEqual(['service_unreachable', 'service_unreachable']);
  });

  it('retries with growing delays up to two seconds, however many tokens are verified', async () => {
    const verifier = open();
    const tokens = [signToken(), signToken()];
    alterFeed(refused);
    for (let passed = 0; passed < 20_000; passed += 250) {
      await Promise.all(tokens.map((token) => verdict(verifier, token)));
      await pass(250);
    }
    // Polls at 0, 0.25, 0.75 and 1.75 seconds, then every two seconds.
    expect(service.count('feed')).toBe(4 + 9);
  });

  it('shares one poll between all tokens that wait for it', async () => {
    const verifier = open();
    const answers = Array.from({ length: 100 }, () => verdict(verifier, signToken()));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['accepted']));
    expect(service.asked.map(({ path }) => path).sort()).toEqual(['feed', 'keys']);
  });
});

describe('a process that slept', () => {
  const sleep = () => vi.setSystemTime(Date.now() + 60_000);

  it('polls before it accepts a token, although no timer has fired and the monotonic clock stood still', async () => {
    const verifier = open();
    const { sid, token } = session();
    await verifier.verify(token);
    service.revocations = [revocation(sid)];
    sleep();
    expect(await verdict(verifier, token)).toBe('session_revoked');
    expect(service.count('feed')).toBe(2);
  });

  it('during a poll polls again', async () => {
    const verifier = open();
    const { sid, token } = session();
    await verifier.ready();
    let answer = (_: Response): void => {};
    alterFeed(() => new Promise((resolve) => (answer = resolve)));
    await pass(2_000);
    sleep();
    const asked = verdict(verifier, token);
    await settle();
    alterFeed(undefined);
    service.revocations = [revocation(sid)];
    answer(Response.json({ revocations: [] }));
    expect(await asked).toBe('session_revoked');
  });

  it('or was busy until its poll timed out does not report the feed as lost', async () => {
    const onFeed = vi.fn();
    const verifier = open({ onFeed });
    const token = signToken();
    await verifier.verify(token);
    alterFeed(hanging);
    await pass(2_000);
    alterFeed(undefined);
    sleep();
    const asked = verdict(verifier, token);
    await pass(2_000);
    expect(await asked).toBe('accepted');
    expect(onFeed).not.toHaveBeenCalled();
  });

  it('a process whose clock was set back polls before it accepts a token', async () => {
    const verifier = open();
    const { sid, token } = session();
    await verifier.verify(token);
    service.revocations = [revocation(sid)];
    vi.setSystemTime(Date.now() - 30_000);
    expect(await verdict(verifier, token)).toBe('session_revoked');
  });
});

describe('close', () => {
  it('stops the polling and pending requests; every token is rejected after it', async () => {
    const verifier = open({ whenFeedFails: 'accept' });
    const token = signToken();
    await verifier.verify(token);
    alterFeed(hanging);
    await pass(2_000);
    verifier.close();
    expect(service.asked.at(-1)!.init.signal!.aborted).toBe(true);
    const asked = service.asked.length;
    await pass(120_000);
    expect(service.asked).toHaveLength(asked);
    expect(vi.getTimerCount()).toBe(0);
    expect(await verdict(verifier, token)).toBe('service_unreachable');
  });
});
