import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import type { Archiving } from '../../platform/db/server-state.ts';
import { examineBackups } from './backups.ts';

const now = new Date('2030-01-31T12:00:00Z');
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
const NOT_ARCHIVED: Archiving = { mode: 'off', last_archived_at: null, last_failed_at: null, standbys: 0 };
const examine = (exportedAt: Date | null, archiving?: Archiving, NODE_ENV = 'production') =>
  examineBackups(configOf({ NODE_ENV, DATA_DIR: '/srv/data' }), { now, exportedAt, archiving });

describe('doctor: traces of backups', () => {
  it('skips the check in development', () => {
    expect(examine(null, undefined, 'development')).toMatchObject({ check: 'backups', status: 'skipped' });
  });

  it('embedded PostgreSQL: reports the last export, but cannot detect a copy of the data folder', () => {
    expect(examine(daysAgo(3))).toEqual({
      check: 'backups',
      status: 'ok',
      detail: 'the last `gatehouse export` was 3 days ago',
    });
    const unknown = examine(null);
    expect(unknown).toMatchObject({ status: 'skipped', fix: expect.stringContaining('npx gatehouse export') });
    expect(unknown.detail).toContain('copies of /srv/data cannot be detected');
    expect(examine(daysAgo(31))).toMatchObject({ status: 'warning', detail: expect.stringContaining('31 days ago') });
  });

  it('external PostgreSQL: says that dumps cannot be detected', () => {
    const unknown = examine(null, NOT_ARCHIVED);
    expect(unknown).toMatchObject({ status: 'skipped', fix: expect.stringContaining('pg_dump') });
    expect(unknown.detail).toContain('dumps and snapshots cannot be detected');
    expect(examine(null, { ...NOT_ARCHIVED, standbys: 2 }).detail).toContain(
      '2 standby servers replicate it, which is not a backup',
    );
  });

  it('external PostgreSQL: reports WAL archiving, and that a base backup cannot be detected', () => {
    const archiving = { ...NOT_ARCHIVED, mode: 'on', last_archived_at: daysAgo(0.01) };
    expect(examine(null, archiving)).toMatchObject({ status: 'ok', detail: expect.stringContaining('base backup') });
    expect(examine(null, { ...archiving, last_archived_at: daysAgo(9) }).status).toBe('skipped');
    expect(examine(null, { ...archiving, last_archived_at: null }).status).toBe('skipped');
  });

  it('external PostgreSQL: warns while WAL archiving fails', () => {
    const failing = { ...NOT_ARCHIVED, mode: 'on', last_archived_at: daysAgo(2), last_failed_at: daysAgo(1) };
    expect(examine(daysAgo(1), failing)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('fails to archive'),
      fix: expect.stringContaining('archive_command'),
    });
    expect(examine(null, { ...failing, last_archived_at: daysAgo(0.5) }).status).toBe('ok');
  });
});
