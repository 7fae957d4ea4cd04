import type { MemberList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countMembers, listMembers } from '../../domain/memberships/queries.ts';
import type { Paging } from '../../http/page-query.ts';
import { isDeep } from '../../platform/db/deep-page.ts';
import { describeMember } from './describe.ts';

interface ListQuery {
  readonly organization_id: string;
  readonly q: string | undefined;
  readonly paging: Paging;
}

/** GET /orgs/:org_id/members: oldest membership first; `q` searches email and display name. */
export async function listTeam(
  { db, config }: Deps,
  { organization_id, q, paging: { page, page_size, offset } }: ListQuery,
): Promise<MemberList> {
  const search = { organization_id, q: q?.trim() || undefined };
  const counted = countMembers(db, search);
  const isBeyond = isDeep(offset) && offset >= (await counted);
  const [rows, total] = await Promise.all([
    isBeyond ? [] : listMembers(db, { ...search, limit: page_size, offset }),
    counted,
  ]);
  return { items: rows.map((row) => describeMember(config, row)), total, page, page_size };
}
