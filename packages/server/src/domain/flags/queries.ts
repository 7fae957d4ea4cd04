import type { Db } from '../../platform/db/connect.ts';

/** What one organization has of its own; with null, the defaults for all of them. */
export const listFlagStates = (db: Db, { organization_id }: { organization_id: string | null }) =>
  db
    .selectFrom('feature_flags')
    .select(['flag_key', 'enabled', 'value'])
    .where('organization_id', organization_id === null ? 'is' : '=', organization_id)
    .execute();
