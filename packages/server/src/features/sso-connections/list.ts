import type { SsoConnection, SsoConnectionList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listConnections } from '../../domain/sso/queries.ts';
import type { Db } from '../../platform/db/connect.ts';
import { describeConnection, noSuchConnection } from './describe.ts';

export async function listAllConnections(deps: Deps, organization_id: string): Promise<SsoConnectionList> {
  const rows = await listConnections(deps.db, { organization_id });
  return { items: rows.map((row) => describeConnection(deps, row)) };
}

interface ConnectionKey {
  readonly id: string;
  readonly organization_id: string;
}

export async function findListed(db: Db, key: ConnectionKey) {
  const [row] = await listConnections(db, key);
  if (!row) throw noSuchConnection();
  return row;
}

/** Returns the connection as the API shows it. In a transaction, pass the transaction as `db`. */
export const readConnection = async (deps: Deps, key: ConnectionKey, db: Db = deps.db): Promise<SsoConnection> =>
  describeConnection(deps, await findListed(db, key));
