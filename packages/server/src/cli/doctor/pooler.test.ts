import { describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { loadConfig } from '../../platform/config/load.ts';
import { connectDatabase } from '../../platform/db/connect.ts';
import { examinePooler } from './pooler.ts';

const database = useTestDatabase();

const configOf = (DATABASE_POOLER: string) =>
  loadConfig({
    JWT_SECRET: 'a secret for tests, and for nothing else',
    PUBLIC_BASE_URL: 'http://localhost:8080',
    DATABASE_URL: database.url,
    DATABASE_POOLER,
  });

describe('doctor: DATABASE_POOLER', () => {
  it('warns if the role lacks the timeouts, which the service cannot set through a pooler', async () => {
    const address = { connectionString: database.plain_url, pooler: 'transaction' } as const;
    const { db, close } = connectDatabase({ address, poolSize: 1, onIdleError: () => {} });
    const [finding] = await examinePooler(configOf('transaction'), db);
    expect(finding).toMatchObject({ check: 'pooler', status: 'warning' });
    expect(finding!.fix).toContain("alter role current_user set statement_timeout = '10s';");
    await close();
  });

  it('is ok if the role has the timeouts, and has no finding without a pooler', async () => {
    expect(await examinePooler(configOf('transaction'), database.db)).toMatchObject([{ status: 'ok' }]);
    expect(await examinePooler(configOf('none'), database.db)).toEqual([]);
  });
});
