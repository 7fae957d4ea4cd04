import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { findServerTime } from '../../platform/db/server-state.ts';
import { examineClock } from './clock.ts';

const database = useTestDatabase();

/** Checks a stopped clock with this offset from the clock of the database, so that only the offset decides. */
async function examine(seconds: number, unsure = 0) {
  const start = (await findServerTime(database.db)).getTime() + seconds * 1000;
  let looks = 0;
  return examineClock(database.db, { now: () => new Date(start + (looks++ % 2) * unsure * 2000) });
}

describe('doctor: the clock against the database', () => {
  it('is ok if the clocks of service and database agree', async () => {
    expect(await examine(2)).toMatchObject({ check: 'clock', status: 'ok' });
    expect((await examine(-1)).status).toBe('ok');
  });

  it('warns if the clocks differ', async () => {
    const ahead = await examine(30);
    expect(ahead).toMatchObject({ status: 'warning', fix: expect.stringContaining('timedatectl set-ntp true') });
    expect(ahead.detail).toMatch(/^this machine is \d+ seconds ahead of the database$/);
    expect((await examine(-40)).detail).toMatch(/behind the database$/);
  });

  it('fails if the clocks differ by a minute or more', async () => {
    expect(await examine(7200)).toMatchObject({ status: 'failed', detail: expect.stringContaining('TOTP codes') });
    expect((await examine(-7200)).status).toBe('failed');
  });

  it('does not count the round trip to the database as a difference', async () => {
    expect((await examine(30)).status).toBe('warning');
    expect((await examine(2, 28)).status).toBe('ok');
  });
});
