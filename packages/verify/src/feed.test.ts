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
  it('is not asked for before the first use, and then every two seconds by its tag', async () => {
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

  it('costs no request per verification, nor do the keys', async () => {
    const verifier = open();
    const tokens = Array.from({ length: 20 }, () => signToken());
    await verifier.ready();
    for (let round = 0; round < 50; round++) await Promise.all(tokens.map((token) => verifier.verify(token)));
    expect(service.asked.map(({ path }) => path).sort()).toEqual(['feed', 'keys']);
  });

  it('refuses a session within the poll that follows its end, and no other', async () => {
    const verifier = open();
    const [gone, here] = [session(), session()];
    await verifier.verify(gone.token);
    service.revocations = [revocation(gone.sid.toUpperCase())];
    await pass(2_000);
    expect(await verdict(verifier, gone.token)).toBe('session_revoked');
    expect(await verdict(verifier, signToken({ sid: gone.sid }))).toBe('session_revoked');
    expect(await verdict(verifier, here.token)).toBe('accepted');
  });

  it('is merged: a session once seen revoked stays so when an older feed follows', async () => {
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

  it('an answer that nothing has changed, to nobody who asked that, is no answer', async () => {
    const verifier = open();
    alterFeed(() => new Response(null, { status: 304 }));
    expect(await verdict(verifier, signToken())).toBe('service_unreachable');
  });

  it.each<[string, () => Response | Promise<Response>]>([
    ['an error', () => Response.json({ error: { code: 'internal_error' } }, { status: 500 })],
    ['nothing', () => new Response('')],
    ['no JSON', () => new Response('<html>')],
    ['another document', () => Response.json({ keys: [] })],
    ['null', () => Response.json(null)],
    ['an entry that is null', () => Response.json({ revocations: [null] })],
    ['an entry without a session', () => Response.json({ revocations: [{ ...revocation(randomUUID()), sid: 'all' }] })],
    ['an entry without an end', () => Response.json({ revocations: [{ ...revocation(randomUUID()), expires_at: 7 }] })],
    [
      'an entry without a beginning',
      () => Response.json({ revocations: [{ ...revocation(randomUUID()), revoked_at: '' }] }),
    ],
    ['more than fits', () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }))],
    ['a body that breaks off', () => new Response(new ReadableStream({ start: (to) => to.error(new Error('reset')) }))],
    ['text that is no UTF-8', () => new Response(new Uint8Array([0xff]))],
    ['a refusal to connect', refused],
  ])('%s counts as a poll that failed', async (_, answer) => {
    const verifier = open({ maxRevocations: 10 });
    alterFeed(answer);
    await expect(verifier.verify(signToken())).rejects.toMatchObject({ code: 'service_unreachable', status: 503 });
    alterFeed(undefined);
    await pass(250);
    expect(await verdict(verifier, signToken())).toBe('accepted');
  });

  it('the tag of a feed that could not be taken is not kept: what follows it is no 304 to trust', async () => {
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

  it('a copy that has lain somewhere for an hour is no feed', async () => {
    alterFeed(() => Response.json({ revocations: [] }, { headers: { age: '3600' } }));
    expect(await verdict(open(), session().token)).toBe('service_unreachable');
    expect(service.asked.every(({ init }) => (init as { cache?: string }).cache === 'no-store')).toBe(true);
  });

  it('who listens may fail later, too', async () => {
    const onFeed = vi.fn(() => Promise.reject(new Error('no log')));
    alterFeed(refused);
    expect(await verdict(open({ onFeed }), session().token)).toBe('service_unreachable');
    await settle();
    expect(onFeed).toHaveBeenCalledOnce();
  });

  it('a feed with one bad entry adds none of the others', async () => {
    const verifier = open({ whenFeedFails: 'accept' });
    const one = session();
    await verifier.ready();
    service.revocations = [revocation(one.sid), { ...revocation(randomUUID()), sid: 'x' }];
    await pass(2_000);
    expect(await verdict(verifier, one.token)).toBe('accepted');
  });
});

describe('when the feed cannot be read', () => {
  it('what is known holds for 3 seconds from the start of the last poll; then it is refused, and told of once', async () => {
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

  it('accept: goes on with what was known, and waits for nothing', async () => {
    const onFeed = vi.fn(() => {
      throw new Error('of the one who listens');
    });
    const verifier = open({ whenFeedFails: 'accept', onFeed });
    const [gone, here] = [session(), session()];
    service.revocations = [revocation(gone.sid)];
    await verifier.ready();
    alterFeed(hanging);
    await pass(60_000);
    expect(await verdict(verifier, here.token)).toBe('accepted');
    expect(await verdict(verifier, gone.token)).toBe('session_revoked');
    service.revocations = [revocation(here.sid)];
    alterFeed(undefined);
    await pass(4_000);
    expect(await verdict(verifier, here.token)).toBe('session_revoked');
    expect(onFeed.mock.calls).toHaveLength(2);
  });

  it('a poll that hangs is given up, and those who wait for it with it', async () => {
    const verifier = open();
    alterFeed(hanging);
    const answers = [signToken(), signToken()].map((token) => verdict(verifier, token));
    await until(() => service.count('feed') === 1);
    await pass(2_000);
    expect(await Promise.all(answers)).toEqual(['service_unreachable', 'service_unreachable']);
  });

  it('it is tried again sooner at first, then every two seconds, however many ask', async () => {
    const verifier = open();
    const tokens = [signToken(), signToken()];
    alterFeed(refused);
    for (let passed = 0; passed < 20_000; passed += 250) {
      await Promise.all(tokens.map((token) => verdict(verifier, token)));
      await pass(250);
    }
    // At 0, 0.25, 0.75, 1.75, and then every two seconds.
    expect(service.count('feed')).toBe(4 + 9);
  });

  it('many who wait share one poll', async () => {
    const verifier = open();
    const answers = Array.from({ length: 100 }, () => verdict(verifier, signToken()));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['accepted']));
    expect(service.asked.map(({ path }) => path).sort()).toEqual(['feed', 'keys']);
  });
});

describe('a process that slept', () => {
  const sleep = () => vi.setSystemTime(Date.now() + 60_000);

  it('asks before it says anything, although no timer and no steady clock has noticed', async () => {
    const verifier = open();
    const { sid, token } = session();
    await verifier.verify(token);
    service.revocations = [revocation(sid)];
    sleep();
    expect(await verdict(verifier, token)).toBe('session_revoked');
    expect(service.count('feed')).toBe(2);
  });

  it('in the middle of a poll asks once more', async () => {
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

  it('or was busy until its poll was given up, has not lost the feed by that', async () => {
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

  it('whose clock was set back asks, too', async () => {
    const verifier = open();
    const { sid, token } = session();
    await verifier.verify(token);
    service.revocations = [revocation(sid)];
    vi.setSystemTime(Date.now() - 30_000);
    expect(await verdict(verifier, token)).toBe('session_revoked');
  });
});

describe('close', () => {
  it('ends the polling and what is under way; nothing is accepted after it', async () => {
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
