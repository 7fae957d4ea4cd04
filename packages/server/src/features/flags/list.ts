import type { FeatureFlag } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { listFlags } from '../../domain/flags/queries.ts';

/** §4.11 GET /admin/feature-flags: the defaults and, if an organization is named, its overrides. */
export const listAllFlags = ({ db }: Deps, organization_id: string | undefined): Promise<FeatureFlag[]> =>
  listFlags(db, { organization_id: organization_id ?? null });
