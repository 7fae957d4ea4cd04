import type { Config } from '../../platform/config/settings.ts';
import { type Db, LIMITS } from '../../platform/db/connect.ts';
import { listMissingLimits } from '../../platform/db/server-state.ts';
import { type Finding, ok, warning } from './finding.ts';

/** The service sets its timeouts when it connects. A pooler does not pass them on, so they must be set on the role. */
export async function examinePooler({ DATABASE_URL, DATABASE_POOLER }: Config, db: Db): Promise<Finding[]> {
  if (DATABASE_URL === undefined || DATABASE_POOLER === 'none') return [];
  const missing = await listMissingLimits(db);
  if (missing.length === 0) return [ok('pooler', `${DATABASE_POOLER}, and the role has its timeouts`)];
  const settings = Object.entries(LIMITS).filter(([name]) => missing.includes(name));
  const statements = settings.map(([name, time]) => `alter role current_user set ${name} = '${time / 1000}s';`);
  return [
    warning(
      'pooler',
      `the role has no ${missing.join(', ')}: a blocked statement may never end`,
      `Run in psql: ${statements.join(' ')} This applies to new connections.`,
    ),
  ];
}
