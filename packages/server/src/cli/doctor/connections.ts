import type { Config } from '../../platform/config/settings.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Connections, findConnections } from '../../platform/db/server-state.ts';
import { connectionsOf, perProcess } from '../support/database.ts';
import { type Finding, ok, warning } from './finding.ts';

const CHECK = 'connections';

/** Whether the database has enough connections for a replica. Not checked behind a pooler. */
export async function examineConnections(config: Config, db: Db): Promise<Finding[]> {
  if (config.DATABASE_URL !== undefined && config.DATABASE_POOLER !== 'none') return [];
  return [assessConnections(config, await findConnections(db))];
}

const BOUND_NAMES: Readonly<Record<Connections['bound'], string>> = {
  server: 'max_connections',
  role: 'the connection limit of the role',
  database: 'the connection limit of the database',
};

export function assessConnections(config: Config, { most, bound, others }: Connections): Finding {
  const wanted = connectionsOf(config);
  const left = most - others;
  const room = `${BOUND_NAMES[bound]} allows ${most}${others > 0 ? `, of which others use ${others}` : ''}`;
  const detail = `a replica uses up to ${wanted}; ${room}`;
  if (wanted <= left) return ok(CHECK, detail);
  return warning(CHECK, `${detail}: requests will fail under load`, remedy(config, { bound, left, wanted }));
}

interface Lack {
  readonly bound: Connections['bound'];
  readonly left: number;
  readonly wanted: number;
}

function remedy({ WORKERS, DATABASE_POOL_SIZE, DATABASE_URL }: Config, { bound, left, wanted }: Lack): string {
  const fits = Math.floor(left / WORKERS) - perProcess(0);
  const fewer =
    fits >= 2 && fits < DATABASE_POOL_SIZE
      ? `Set DATABASE_POOL_SIZE=${fits}, or fewer WORKERS. Or`
      : 'Set fewer WORKERS. Or';
  if (DATABASE_URL === undefined) return `${fewer} restart the service: the embedded database then raises its limit.`;
  const raise: Readonly<Record<Connections['bound'], string>> = {
    server: `in psql, as its superuser: alter system set max_connections = ${roundUp(wanted * 2)}; and restart PostgreSQL.`,
    role: `in psql, as its superuser: alter role <role> connection limit ${roundUp(wanted * 2)};`,
    database: `in psql, as its superuser: alter database <database> connection limit ${roundUp(wanted * 2)};`,
  };
  return `${fewer} ${raise[bound]}`;
}

const roundUp = (count: number): number => Math.ceil(count / 50) * 50;
