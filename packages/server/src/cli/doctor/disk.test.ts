import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { examineDisk, measureRoom } from './disk.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const examine = (free: number, total: number) => examineDisk(50 * MIB, { folder: '/srv/data', room: { free, total } });

describe('doctor: disk space', () => {
  it.each([
    [50 * GIB, 100 * GIB, 'ok'],
    [10 * GIB, 100 * GIB, 'ok'],
    [10 * GIB - 1, 100 * GIB, 'warning'],
    [1 * GIB, 5 * GIB, 'ok'],
    [1 * GIB - 1, 5 * GIB, 'warning'],
    [100 * MIB, 5 * GIB, 'warning'],
    [100 * MIB - 1, 5 * GIB, 'failed'],
  ])('with %i of %i bytes free the finding is %s', (free, total, status) => {
    const finding = examine(free, total);
    expect(finding).toMatchObject({ check: 'disk', status });
    if (status !== 'ok') expect(finding.fix).toContain('du -sh /srv/data/*');
  });

  it('formats sizes with units', () => {
    expect(examine(1.5 * GIB, 4 * GIB).detail).toBe(
      '1.5 GiB of 4.0 GiB are free at /srv/data, the database uses 50 MiB',
    );
  });

  it('reports only the size of an external database', () => {
    expect(examineDisk(3 * GIB)).toMatchObject({ status: 'ok', detail: expect.stringContaining('uses 3.0 GiB') });
  });

  it('measures the free space of a folder', async () => {
    const { free, total } = await measureRoom(tmpdir());
    expect(total).toBeGreaterThan(MIB);
    expect(free).toBeLessThanOrEqual(total);
  });
});
