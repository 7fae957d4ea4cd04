import { createHash } from 'node:crypto';
import { LIMITS, type RevocationFeed } from '@gatehouse/contract';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { listRevocations } from './queries.ts';

/** The feed as it goes out. The tag changes with the entries alone, so that a poller with nothing new gets 304. */
export interface RenderedFeed {
  /** Bytes: it may be long, and many poll it. */
  readonly body: Buffer;
  readonly etag: string;
}

export interface RevocationFeedCache {
  /** At once while it is young enough. */
  current(): RenderedFeed | Promise<RenderedFeed>;
}

const REUSE = 1_000;

/** §6, the contract section 4: at most 2 seconds old. Many pollers share one look at the table each second. */
export function createRevocationFeed(db: Db, clock: Clock): RevocationFeedCache {
  let rendered: RenderedFeed | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<RenderedFeed> | undefined;

  const read = async (): Promise<RenderedFeed> => {
    const startedAt = performance.now();
    const now = clock.now();
    const rows = await listRevocations(db, now);
    const revocations = rows.map((row) => ({
      sid: row.sid,
      revoked_at: row.revoked_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
    }));
    // Written out once, for the tag and for the feed: there may be many.
    const list = JSON.stringify(revocations satisfies RevocationFeed['revocations']);
    const head: Omit<RevocationFeed, 'revocations'> = {
      generated_at: now.toISOString(),
      max_staleness_seconds: LIMITS.revocationFeed.maxStaleness,
    };
    const tag = createHash('sha256').update(list).digest('base64url').slice(0, 22);
    rendered = {
      body: Buffer.from(`${JSON.stringify(head).slice(0, -1)},"revocations":${list}}`),
      etag: `W/"${tag}"`,
    };
    readAt = startedAt;
    return rendered;
  };

  return {
    current() {
      if (rendered && performance.now() - readAt < REUSE) return rendered;
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
  };
}
