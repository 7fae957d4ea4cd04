import { describe, expect, it } from 'vitest';
import { configOf } from '../../domain/providers/rows-fixture.ts';
import type { Environment } from '../../platform/config/load.ts';
import { assessConnections } from './connections.ts';

const EXTERNAL = { DATABASE_URL: 'postgresql://db.example.com/x' };
const judge = (environment: Environment, most: number, others = 0, bound: 'server' | 'role' | 'database' = 'server') =>
  assessConnections(configOf({ ...EXTERNAL, ...environment }), { most, bound, others });

describe('doctor: connections', () => {
  it('what a replica holds, to the last one', () => {
    const workers = { WORKERS: '4', DATABASE_POOL_SIZE: '20' };
    expect(judge(workers, 97, 1)).toMatchObject({ check: 'connections', status: 'ok' });
    expect(judge(workers, 97, 2)).toMatchObject({ status: 'warning' });
    expect(judge(workers, 97, 1).detail).toBe(
      'a replica uses up to 96; max_connections allows 97, of which others use 1',
    );
  });

  it('says which number would fit, and how to make room', () => {
    const { fix } = judge({ WORKERS: '4', DATABASE_POOL_SIZE: '40' }, 97, 17);
    expect(fix).toContain('DATABASE_POOL_SIZE=16');
    expect(fix).toContain('alter system set max_connections = 400;');
    expect(judge({ WORKERS: '4', DATABASE_POOL_SIZE: '16' }, 97, 17).status).toBe('ok');
    expect(judge({ WORKERS: '30' }, 97).fix).toMatch(/^Set fewer WORKERS/);
  });

  it('a limit of the role or the database, and the embedded one', () => {
    expect(judge({}, 5, 0, 'role').fix).toContain('alter role');
    expect(judge({}, 5, 0, 'database').fix).toContain('alter database');
    expect(judge({ DATABASE_URL: undefined }, 5).fix).toContain('restart the service');
  });
});
