import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { useTestDatabase } from '../../../test/database.ts';
import { after } from '../../platform/clock.ts';
import type { Mails } from '../../platform/db/schema.ts';
import { examineMailQueue } from './mail-queue.ts';

const clock = createTestClock();
const database = useTestDatabase();
beforeEach(async () => {
  await database.db.deleteFrom('mails').execute();
});

interface Row {
  readonly state?: Mails['state'];
  /** How many seconds ago the mail was queued. */
  readonly queuedAgo?: number;
  readonly finishedAgo?: number;
  readonly endsIn?: number;
  readonly last_error?: string | null;
}

const insert = ({ state = 'queued', queuedAgo = 0, finishedAgo, endsIn = 3600, last_error = null }: Row) => {
  const now = clock.now();
  return database.db
    .insertInto('mails')
    .values({
      id: uuid(),
      template: 'verify_email',
      locale: 'en',
      sealed: null,
      state,
      next_attempt_at: now,
      expires_at: after(now, endsIn),
      created_at: after(now, -queuedAgo),
      finished_at: finishedAgo === undefined ? null : after(now, -finishedAgo),
      last_error,
    })
    .execute();
};
const examine = (isServed = true) => examineMailQueue(database.db, clock, isServed);

describe('doctor: queued mails', () => {
  it('is ok for recent, expired and sent mails', async () => {
    await insert({ queuedAgo: 599 });
    await insert({ queuedAgo: 9000, endsIn: -1 });
    await insert({ state: 'sent', queuedAgo: 9000, finishedAgo: 10 });
    expect(await examine()).toMatchObject([{ check: 'mail queue', status: 'ok' }]);
  });

  it('reports count, age and reason of delayed mails, with the remedy', async () => {
    for (const last_error of ['smtp_535', 'smtp_535', 'timeout']) await insert({ queuedAgo: 7300, last_error });
    await insert({ queuedAgo: 601 });
    const [finding, ...more] = await examine();
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      status: 'warning',
      detail: '4 mails waiting, the oldest for 2 hours (mostly: smtp_535)',
      fix: 'Correct the user and password in SMTP_URL. Queued mails are then sent automatically.',
    });
    expect((await examine(false))[0]!.fix).toContain('npx gatehouse serve');
  });
});

describe('doctor: mails that this version cannot read', () => {
  it.each([
    ['unreadable', 'JWT_SECRET_PREVIOUS'],
    ['unknown_template', 'update every replica'],
  ])('last_error %s: the remedy contains "%s"', async (last_error, words) => {
    await database.db.deleteFrom('mails').execute();
    await insert({ queuedAgo: 7300, last_error });
    expect((await examine())[0]!.fix).toContain(words);
  });
});

describe('doctor: failed mails', () => {
  it('reports mails that failed in the last day', async () => {
    await insert({ state: 'failed', finishedAgo: 86_399, last_error: 'http_422' });
    await insert({ state: 'expired', finishedAgo: 5, last_error: 'http_422' });
    await insert({ state: 'failed', finishedAgo: 86_401, last_error: 'smtp_550' });
    // Expired without a failed attempt: not counted.
    await insert({ state: 'expired', finishedAgo: 5 });
    expect(await examine()).toMatchObject([
      {
        check: 'mail queue',
        status: 'warning',
        detail: '2 mails failed in the last day (mostly: http_422)',
        fix: expect.stringContaining('not sent again'),
      },
    ]);
  });
});
