import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createService,
  ISSUER,
  pass,
  type Revoked,
  revocation,
  type Service,
  signToken,
  stopTime,
} from './service-fixture.ts';
import { createVerifier, type Verifier } from './verifier.ts';

let service: Service;
let verifier: Verifier;
beforeEach(() => {
  stopTime();
  service = createService();
  verifier = createVerifier({ issuer: ISSUER, fetch: service.fetch });
});
afterEach(() => {
  verifier.close();
  vi.useRealTimers();
});

const session = () => {
  const sid = randomUUID();
  return { sid, token: signToken({ sid }) };
};
const verdict = (token: string): Promise<string> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error) => error.code,
  );

interface Feed {
  readonly revocations?: Revoked[];
  readonly cursor?: unknown;
  readonly partial?: unknown;
  readonly generated_at?: unknown;
}

const feedOf = (feed: Feed, headers: Record<string, string> = {}): Response =>
  Response.json({ generated_at: new Date().toISOString(), revocations: [], ...feed }, { headers });
/** Sets the response of the feed. If it is undefined, the response is that of a service without cursors. */
const answer = (response: (() => Response) | undefined): void => {
  service.alter = (path) => (path === 'feed' ? response?.() : undefined);
};
/** Returns the cursors that were sent, in order. */
const sent = (): (string | null)[] =>
  service.asked.filter(({ path }) => path === 'feed').map(({ url }) => new URL(url).searchParams.get('after'));

describe('the feed by cursor', () => {
  it('requests entries since the last response and merges them', async () => {
    const [first, second, third] = [session(), session(), session()];
    answer(() => feedOf({ revocations: [revocation(first.sid)], cursor: 'a.1' }));
    await verifier.ready();
    answer(() => feedOf({ revocations: [revocation(second.sid)], cursor: 'a 2', partial: true }));
    await pass(2_000);
    answer(() => feedOf({ cursor: 'a.3', partial: true }));
    await pass(2_000);
    expect(sent()).toEqual([null, 'a.1', 'a 2']);
    expect([await verdict(first.token), await verdict(second.token), await verdict(third.token)]).toEqual([
      'session_revoked',
      'session_revoked',
      'accepted',
    ]);
  });

  it('accepts the full feed if the service does not know the cursor, and continues with the new cursor of this feed', async () => {
    const [first, second] = [session(), session()];
    answer(() => feedOf({ revocations: [revocation(first.sid)], cursor: 'old' }));
    await verifier.ready();
    answer(() => feedOf({ revocations: [revocation(second.sid)], cursor: 'new' }));
    await pass(4_000);
    expect(sent()).toEqual([null, 'old', 'new']);
    expect([await verdict(first.token), await verdict(second.token)]).toEqual(['session_revoked', 'session_revoked']);
  });

  it('works with a service that has no cursors', async () => {
    const { sid, token } = session();
    await verifier.ready();
    service.revocations = [revocation(sid)];
    await pass(4_000);
    expect(sent()).toEqual([null, null, null]);
    expect(await verdict(token)).toBe('session_revoked');
  });

  it('keeps its cursor after a response without one, as of a replica that is not upgraded yet', async () => {
    answer(() => feedOf({ cursor: 'a.1' }));
    await verifier.ready();
    answer(undefined);
    await pass(2_000);
    answer(() => feedOf({ cursor: 'a.2', partial: true }));
    await pass(2_000);
    expect(sent()).toEqual([null, 'a.1', 'a.1']);
  });

  it('requests the full feed after an invalid response', async () => {
    answer(() => feedOf({ cursor: 'a.1' }));
    await verifier.ready();
    answer(() => feedOf({ cursor: 'a.2', partial: true, revocations: [{ ...revocation(randomUUID()), sid: 'all' }] }));
    await pass(2_000);
    answer(() => feedOf({ cursor: 'b.1' }));
    await pass(250);
    expect(sent()).toEqual([null, 'a.1', null]);
    expect(await verdict(session().token)).toBe('accepted');
  });

  it('keeps its cursor when the service cannot be reached', async () => {
    answer(() => feedOf({ cursor: 'a.1' }));
    await verifier.ready();
    answer(() => Response.json({}, { status: 500 }));
    await pass(2_000);
    answer(() => feedOf({ cursor: 'a.2', partial: true }));
    await pass(250);
    expect(sent()).toEqual([null, 'a.1', 'a.1']);
  });

  it('rejects a partial feed if the full one was requested', async () => {
    answer(() => feedOf({ cursor: 'a.1', partial: true }));
    expect(await verdict(session().token)).toBe('service_unreachable');
  });

  it.each([7, null, { a: 1 }, 'x'.repeat(2_001)])(
    'does not send a cursor that is not a string or is too long: %j',
    async (cursor) => {
      answer(() => feedOf({ cursor }));
      await verifier.ready();
      await pass(2_000);
      expect(sent()).toEqual([null, null]);
    },
  );
});

describe('an outdated feed counts as a failed poll', () => {
  const fails = async (response: () => Response): Promise<boolean> => {
    answer(response);
    return (await verdict(session().token)) === 'service_unreachable';
  };

  it.each([
    ['0', false],
    ['0.4', false],
    ['1', true],
    ['3600', true],
    ['0, 7', true],
    ['long ago', true],
  ])('a feed with an Age of %s counts as a failed poll: %s', async (age, isRefused) => {
    expect(await fails(() => feedOf({}, { age }))).toBe(isRefused);
  });

  it('a 304 response with an Age over the maximum counts as a failed poll', async () => {
    answer(() => feedOf({}, { etag: 'W/"1"' }));
    await verifier.ready();
    answer(() => new Response(null, { status: 304, headers: { age: '0' } }));
    await pass(4_000);
    expect(await verdict(session().token)).toBe('accepted');
    answer(() => new Response(null, { status: 304, headers: { age: '1' } }));
    await pass(4_000);
    expect(await verdict(session().token)).toBe('service_unreachable');
  });

  const made = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  it.each([
    [0, false],
    [-2, false],
    [-2.001, true],
    [-60, true],
    [60, false],
  ])('a feed with generated_at %d seconds from its Date counts as a failed poll: %s', async (seconds, isRefused) => {
    vi.setSystemTime('2026-05-05T05:05:05Z');
    const date = new Date().toUTCString();
    expect(await fails(() => feedOf({ generated_at: made(seconds) }, { date }))).toBe(isRefused);
  });

  it.each([undefined, null, 7, 'soon'])(
    'a feed with a Date and generated_at %j counts as a failed poll',
    async (generated_at) => {
      expect(await fails(() => feedOf({ generated_at }, { date: new Date().toUTCString() }))).toBe(true);
    },
  );

  it('a feed with an invalid Date counts as a failed poll', async () => {
    expect(await fails(() => feedOf({}, { date: 'today' }))).toBe(true);
  });

  it.each([-86_400, 86_400])(
    'a feed does not count as a failed poll if only the local clock is wrong by %d seconds',
    async (seconds) => {
      const [generated_at, date] = [new Date().toISOString(), new Date().toUTCString()];
      vi.setSystemTime(Date.now() + seconds * 1000);
      expect(await fails(() => feedOf({ generated_at }, { date, age: '0' }))).toBe(false);
    },
  );
});

describe('a slow full feed', () => {
  const slow = (feed: Feed, { pieces, everyMs }: { pieces: number; everyMs: number }): Response => {
    const text = JSON.stringify({ generated_at: new Date().toISOString(), revocations: [], ...feed });
    const size = Math.ceil(text.length / pieces);
    let at = 0;
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, everyMs));
        controller.enqueue(Buffer.from(text.slice(at, at + size)));
        at += size;
        if (at >= text.length) controller.close();
      },
    });
    return new Response(body);
  };

  it('is followed immediately by a partial one, and both are used', async () => {
    const [first, second, other] = [session(), session(), session()];
    let isFirst = true;
    answer(() => {
      if (!isFirst) return feedOf({ partial: true, cursor: 'b', revocations: [revocation(second.sid)] });
      isFirst = false;
      return slow({ cursor: 'a', revocations: [revocation(first.sid)] }, { pieces: 8, everyMs: 1_500 });
    });
    const ready = verifier.ready();
    await pass(12_500);
    await ready;
    expect(sent()).toEqual([null, 'a']);
    expect(await verdict(first.token)).toBe('session_revoked');
    expect(await verdict(second.token)).toBe('session_revoked');
    expect(await verdict(other.token)).toBe('accepted');
  });

  it.each([
    ['without a byte for 2 seconds', { pieces: 3, everyMs: 2_100 }, 2_250],
    ['for more than 15 seconds', { pieces: 12, everyMs: 1_500 }, 15_250],
  ])('is rejected: %s', async (_, pace, afterMs) => {
    answer(() => slow({ cursor: 'a' }, pace));
    const outcome = verifier.ready().then(
      () => 'ready',
      (error) => error.code,
    );
    let isOver = false;
    void outcome.then(() => {
      isOver = true;
    });
    await pass(afterMs - 500);
    expect(isOver).toBe(false);
    await pass(500);
    expect(isOver).toBe(true);
    expect(await outcome).toBe('service_unreachable');
  });
});
