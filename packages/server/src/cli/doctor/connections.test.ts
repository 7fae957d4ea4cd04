import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import type { Environment } from '../../platform/config/load.ts';
import { assessConnections } from './connections.ts';

const EXTERNAL = { DATABASE_URL: 'postgresql://db.example.com/x' };
const assess = (environment: Environment, most: number, others = 0, bound: 'server' | 'role' | 'database' = 'server') =>
  assessConnections(configOf({ ...EXTERNAL, ...environment }), { most, bound, others });

describe('doctor: connections', () => {
  it('is ok if the limit allows all connections of a replica, and warns if it allows one connection less', () => {
    const workers = { WORKERS: '4', DATABASE_POOL_SIZE: '20' };
    expect(assess(workers, 97, 1)).toMatchObject({ check: 'connections', status: 'ok' });
    expect(assess(workers, 97, 2)).toMatchObject({ status: 'warning' });
    expect(assess(workers, 97, 1).detail).toBe(
      'a replica uses up to 96; max_connections allows 97, of which others use 1',
    );
  });

  it('if the limit is too low, suggests a pool size that fits, fewer workers or a higher limit', () => {
    const { fix } = assess({ WORKERS: '4', DATABASE_POOL_SIZE: '40' }, 97, 17);
    expect(fix).toContain('DATABASE_POOL_SIZE=16');
    expect(fix).toContain('alter system set max_connections = 400;');
    expect(assess({ WORKERS: '4', DATABASE_POOL_SIZE: '16' }, 97, 17).status).toBe('ok');
    expect(assess({ WORKERS: '30' }, 97).fix).toMatch(/^Set fewer WORKERS/);
  });

  it('gives the remedy for a limit of the role, of the database and of the embedded PostgreSQL', () => {
    expect(assess({}, 5, 0, 'role').fix).toContain('alter role');
    expect(assess({}, 5, 0, 'database').fix).toContain('alter database');
    expect(assess({ DATABASE_URL: undefined }, 5).fix).toContain('restart the service');
  });
});
